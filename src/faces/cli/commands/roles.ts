/** `supervisor roles`: lists roles, shows one, checks a file, or explains where each value comes from. */
import { resolve } from 'node:path';
import type { RoleEntry } from '../../../app/config/role-layers.ts';
import { loadRoles, loadRolesWith, type Roles } from '../../../app/config/roles.ts';
import { surveyRoles } from '../../../app/config/survey-roles.ts';
import { nearest } from '../../../kernel/nearest.ts';
import type { Role } from '../../../mind/roles/role.ts';
import { type CommandContext, type CommandRun, EXIT, UsageError } from '../command.ts';
import type { Output } from '../output.ts';

const ACTIONS = ['list', 'show', 'validate', 'explain'] as const;

export const run: CommandRun = async (context) => {
  const [action = 'list', name] = context.args;
  if (action === 'list') {
    if (name !== undefined)
      throw new UsageError(`list takes no name: \`supervisor roles show ${name}\` shows one role`);
    return list(context);
  }
  if (action === 'validate') return validate(context, name);
  if (action === 'show' || action === 'explain') {
    if (name === undefined)
      throw new UsageError(`which role? \`supervisor roles ${action} NAME\` (\`supervisor roles\` lists them)`);
    return action === 'show' ? show(context, name) : explain(context, name);
  }
  const meant = nearest(action, ACTIONS);
  throw new UsageError(
    `roles cannot ${JSON.stringify(action)}${meant === null ? '' : `, did you mean ${meant}?`} (known: ${ACTIONS.join(', ')})`,
  );
};

const open = async ({ environment, dir }: CommandContext) => {
  const { files, clis, packs } = await surveyRoles(environment, dir);
  return { roles: loadRoles(environment, files, clis), packs };
};

/** One role in a list, for programs. */
type RoleRow = RoleEntry & {
  readonly description: string | null;
  readonly extends: string | null;
  readonly base_role: string | null;
  readonly kind: string | null;
  readonly cli: readonly string[];
  readonly problem: string | null;
};

function rowOf(roles: Roles, entry: RoleEntry): RoleRow {
  const problem = roles.problem(entry.name);
  const role = problem === null ? roles.get(entry.name) : null;
  return {
    ...entry,
    description: role?.description ?? null,
    extends: role?.extends ?? null,
    base_role: role?.base_role ?? null,
    kind: role?.kind ?? null,
    cli: role?.cli ?? [],
    problem,
  };
}

async function list(context: CommandContext): Promise<number> {
  const { out } = context;
  const { roles, packs } = await open(context);
  const rows = roles.entries().map((entry) => rowOf(roles, entry));
  out.value({ roles: rows.map((row) => ({ ...row, of_use: row.pack === null || packs.includes(row.pack) })) });
  const width = columnOf(rows.map((row) => row.name));
  for (const [title, of] of groups(rows, packs)) {
    out.heading(title);
    for (const row of of)
      out.entry(
        `  ${row.name.padEnd(width)} `,
        row.problem === null ? (row.description ?? '') : `✗ ${row.problem.split('\n')[0]}`,
        row.problem === null ? 'plain' : 'bad',
      );
  }
  out.line();
  out.line('Use one:         supervisor run "TEXT" --role NAME');
  out.line('Look at one:     supervisor roles show NAME, supervisor roles explain NAME');
  out.line('Write your own:  .supervisor/roles/NAME.yaml, such as');
  out.line('                   extends: implementer');
  out.line('                   description: Knows our billing code');
  out.line('                   system_prompt_additions: Amounts are integers of cents.');
  return EXIT.done;
}

/** Nearest layer first, then the packs that are useful here. */
function groups(rows: readonly RoleRow[], packs: readonly string[]): [string, RoleRow[]][] {
  const titles = { project: 'Of this project', user: 'Your own', 'built-in': 'Built in' } as const;
  const own = (['project', 'user', 'built-in'] as const).map((layer): [string, RoleRow[]] => [
    titles[layer],
    rows.filter((row) => row.layer === layer && row.pack === null),
  ]);
  const names = [...new Set(rows.flatMap((row) => row.pack ?? []))].sort();
  const ordered = [...names.filter((pack) => packs.includes(pack)), ...names.filter((pack) => !packs.includes(pack))];
  const inPacks = ordered.map((pack): [string, RoleRow[]] => [
    `Pack ${pack}${packs.includes(pack) ? ' (of use here)' : ''}`,
    rows.filter((row) => row.pack === pack),
  ]);
  return [...own, ...inPacks].filter(([, of]) => of.length > 0);
}

async function show(context: CommandContext, name: string): Promise<number> {
  const { out } = context;
  const { roles } = await open(context);
  const role = roles.get(name);
  out.value(role);
  out.heading(`${role.name}: ${role.description}`);
  const { chain } = roles.explain(name);
  for (const [head, text] of facts(role, chain)) if (text !== '') out.entry(`  ${head.padEnd(14)}`, text);
  out.line();
  out.heading('Its instructions');
  for (const line of role.system_prompt.split('\n')) out.line(line === '' ? '' : `  ${line}`);
  return EXIT.done;
}

function facts(role: Role, chain: readonly RoleEntry[]): [string, string][] {
  const { context } = role;
  return [
    ['made of', chain.map((link) => `${link.name} (${link.layer})`).join(' > ')],
    ['does', role.kind === 'change' ? 'changes files' : 'reads and answers, changes nothing'],
    ['answers with', role.answer],
    ['CLI', role.cli.join(', then ') || 'default_cli of the config'],
    ['model', role.tier ?? ''],
    ['good at', role.strengths.join(', ')],
    [
      'context',
      `${context.strategy}, at most ${context.token_budget.toLocaleString('en')} tokens${context.git_diff ? ', with the diff of the task' : ''}`,
    ],
    ['  always', context.always_include.join(', ')],
    ['  from', context.include.join(', ')],
    ['  never', context.exclude.join(', ')],
    ['gates', role.gates.map((gate) => (typeof gate === 'string' ? gate : gate.name)).join(', ')],
    ['tools', role.allowed_tools === null ? '' : role.allowed_tools.join(', ') || 'none'],
    ['may change', role.write_scope.join(', ')],
    ['is granted', role.grants.join(', ')],
    ['flags', role.flags.join(' ')],
    ['asked again', role.continue === 0 ? '' : `at most ${role.continue} times in one session`],
    [
      'settings',
      Object.entries(role.config)
        .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
        .join(', '),
    ],
    ['own keys', Object.keys(role.extensions).join(', ')],
    ['pack', role.pack ?? ''],
  ];
}

async function explain(context: CommandContext, name: string): Promise<number> {
  const { out } = context;
  const { roles } = await open(context);
  const { chain, values } = roles.explain(name);
  out.value({ name, chain, values });
  out.heading(chain.map((link) => link.name).join(' > '));
  for (const link of chain) out.entry(`  ${link.name} (${link.layer})`, link.file);
  out.line();
  const place = ({ from }: ExplainedValue) => (from === null ? 'default' : `${from.role}:${from.line}`);
  const [left, right] = [columnOf(values.map((one) => one.path)), columnOf(values.map(place))];
  for (const one of values) out.entry(`  ${one.path.padEnd(left)}  ${place(one).padEnd(right)} `, short(one.value));
  return EXIT.done;
}

type ExplainedValue = ReturnType<Roles['explain']>['values'][number];

const columnOf = (texts: readonly string[]): number => Math.max(...texts.map((text) => text.length));

function short(value: unknown): string {
  const text = typeof value === 'string' ? value.replaceAll(/\s+/g, ' ').trim() : JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}

async function validate(context: CommandContext, file: string | undefined): Promise<number> {
  const { out, environment, dir } = context;
  const { files, clis } = await surveyRoles(environment, dir);
  const path = file === undefined ? null : resolve(file);
  const roles = path === null ? loadRoles(environment, files, clis) : loadRolesWith(path, environment, files, clis);
  const checked = roles
    .entries()
    .filter((entry) => path === null || entry.file === path)
    .map((entry) => ({ ...entry, problem: roles.problem(entry.name) }));
  const bad = checked.filter((one) => one.problem !== null);
  out.value({ valid: bad.length === 0, roles: checked });
  report(out, checked.length, bad);
  return bad.length === 0 ? EXIT.done : EXIT.usage;
}

function report(out: Output, count: number, bad: readonly { readonly problem: string | null }[]): void {
  for (const { problem } of bad) out.line(`✗ ${problem}`, 'bad');
  const right = count - bad.length;
  if (bad.length === 0) out.line(count === 1 ? '✓ the role is valid' : `✓ all ${count} roles are valid`, 'good');
  else out.line(`${bad.length} of ${count} ${count === 1 ? 'role is' : 'roles are'} wrong, ${right} right`, 'note');
}
