/** `supervisor pack [TASK]`: exactly what a role would receive, the cost of each part, and what was left out. */

import { missingFile } from '../../../app/check-files-flag.ts';
import { lookAt, unready } from '../../../app/clis.ts';
import { ConfigError } from '../../../app/config/config-error.ts';
import { loadSettings } from '../../../app/config/files.ts';
import { locateProject, openToRead } from '../../../app/open-store.ts';
import { type PackAsk, type PackResult, packFor } from '../../../app/pack.ts';
import { clisFor, insideRepository, lineOf } from '../../../app/request.ts';
import { findTask, viewTask } from '../../../app/task-view.ts';
import { findTools } from '../../../app/tools.ts';
import { isId } from '../../../kernel/ids.ts';
import { terminalLine, terminalText } from '../../../kernel/terminal-text.ts';
import { comparePacks, explainPack } from '../../../mind/context/explain.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { type CommandContext, type CommandRun, EXIT, list, text, UsageError } from '../command.ts';
import { tellSilence } from '../silence.ts';

export const run: CommandRun = async (context) => {
  const { flags, out } = context;
  using silence = tellSilence(out, 'choosing context for the role …');
  const ask = await askOf(context);
  try {
    const other = text(flags['compare']);
    const wanted = [text(flags['strategy']) ?? null, ...(other === undefined ? [] : [other])];
    const packs = await packFor(ask, wanted);
    silence.end();
    out.value(document(ask, packs));
    if (out.json) return EXIT.done;
    const [one, two] = packs.made;
    if (one !== undefined && two === undefined) process.stdout.write(`${terminalText(one.text)}\n`);
    for (const packet of packs.made) show(context, ask, packet, packs);
    if (one !== undefined && two !== undefined) compare(context, one, two);
    return EXIT.done;
  } finally {
    await ask.store?.close();
  }
};

async function askOf({ args, flags, dir, environment }: CommandContext): Promise<PackAsk> {
  const project = locateProject(dir);
  const repository = await readRepository(dir);
  const loaded = loadSettings(environment, { id: project.id, top: repository.top });
  const store = await openToRead(environment, project);
  const said = (args[0] ?? '').trim();
  const known = store !== null && isId(said) ? await findTask(store, project.id, said) : null;
  if (known !== null && typeof known !== 'string' && /^t-[a-z0-9]{6,}$/.test(said)) throw new UsageError(known.message);
  const task = store !== null && typeof known === 'string' ? await viewTask(store, project.id, known) : null;
  const line = task === null ? await lineOf(text(flags['onto']) ?? null, repository) : null;
  const role = loaded.told.roles.get(text(flags['role']) ?? roleOf(task) ?? 'implementer');
  const files = list(flags['files'])?.map((file) => insideRepository(file, repository.top, dir));
  const spec = task?.task.spec ?? { version: 1 as const, text: said === '' ? NO_TASK : said };
  const tools = findTools(environment, project);
  const ready = (cli: string) => unready(cli, lookAt(cli, loaded.settings, environment, tools));
  const clis = clisFor(role, { cli: list(flags['cli']), script: null, simulate: false }, { ...loaded, unready: ready });
  // A simulated task has no tree.
  const candidate = spec.simulated === true ? null : (task?.task.candidate ?? null);
  const base = candidate?.base ?? task?.task.base ?? line?.base;
  if (base === undefined) throw new ConfigError(`task ${said} has no commit to start from`);
  const missing = await missingFile(files, { repository, base, line: task?.task.onto ?? line?.onto ?? base });
  if (missing !== null) throw new UsageError(missing);
  return {
    environment,
    project,
    repository,
    loaded,
    role,
    store,
    base,
    cli: clis.find((cli) => cli !== 'scripted') ?? null,
    spec: files === undefined ? spec : { ...spec, files },
    tree: candidate?.tree ?? null,
    task: task?.task.id ?? null,
  };
}

const NO_TASK = '(no task was named)';

type View = Awaited<ReturnType<typeof viewTask>>;

/** The role of the task's current step, or of its first one. */
const roleOf = (view: View | null): string | undefined =>
  view === null ? undefined : view.workflow.steps.get(view.task.open[0] ?? view.workflow.initial[0] ?? '')?.role;

function document(ask: PackAsk, { factor, made }: PackResult): object {
  const packs = made.map(({ text: packet, context: { packed, budget, tokens } }) => ({
    budget,
    tokens,
    over: tokens > budget,
    packet,
    strategy: packed.strategy,
    parts: packed.parts,
    left: packed.left,
    warnings: packed.warnings,
  }));
  const [one, two] = made;
  const facts = { role: ask.role.name, cli: ask.cli, factor, base: ask.base, tree: ask.tree, task: ask.task };
  if (one === undefined || two === undefined) return { ...facts, ...packs[0] };
  return { ...facts, packs, comparison: comparePacks(one.context.packed, two.context.packed) };
}

type MadePacket = PackResult['made'][number];

/** Prints to stderr, because stdout holds the packet alone: `supervisor pack … > packet.md`. */
function show({ out }: CommandContext, ask: PackAsk, { context }: MadePacket, { factor }: PackResult): void {
  const { packed, budget, tokens } = context;
  const report = explainPack(packed);
  const say = (line = '') => out.aside(line);
  say(
    `${ask.role.name} by ${packed.strategy}: ${number(tokens)} of ${number(budget)} tokens${factorText(ask.cli, factor)}`,
  );
  say(`  ${number(tokens - packed.tokens).padStart(7)}  role, task, rules, form of the answer`);
  for (const { kind, path, tokens: cost, why, lines } of report.parts) {
    const what = path === null ? kind : `${kind} ${path}${lines === null ? '' : `:${lines}`}`;
    say(
      `  ${number(cost).padStart(7)}  ${terminalLine(what, 100)}${why === '' ? '' : `  (${terminalLine(why, 100)})`}`,
    );
  }
  for (const { reason, files } of report.left) {
    const named = files.slice(0, MOST_NAMED).map(({ path }) => path);
    const more = files.length > named.length ? ` and ${files.length - named.length} more` : '';
    say(`  left out: ${terminalLine(reason, 80)}: ${terminalLine(named.join(', '), 160)}${more}`);
  }
  for (const warning of packed.warnings) say(`  ! ${warning}`);
}

const MOST_NAMED = 4;

function factorText(cli: string | null, { factor, known }: PackResult['factor']): string {
  const whose = cli === null ? 'a CLI that is not known' : cli;
  if (factor === 1) return ` as ${whose} counts`;
  return ` as ${whose} ${known ? 'is said to count' : 'may count (a cautious guess)'}, x${factor} of what we count`;
}

function compare({ out }: CommandContext, one: MadePacket, two: MadePacket): void {
  const { strategies, both, only } = comparePacks(one.context.packed, two.context.packed);
  const named = (part: { readonly kind?: string; readonly path: string | null }) => part.path ?? part.kind ?? '';
  out.line(`in both: ${both.map(named).join(', ') || 'nothing'}`);
  for (const n of [0, 1] as const) out.line(`only ${strategies[n]}: ${only[n].map(named).join(', ') || 'nothing'}`);
}

const number = (value: number): string => value.toLocaleString('en');
