/** Makes a role from the merged values of a chain: fills in defaults, and translates other tools' words into ours. */
import { parseDuration } from '../../kernel/duration.ts';
import { DIFF_SENTINEL } from '../fields/variables.ts';
import type { Tool } from '../workers/adapter.ts';
import type { Role, RoleGate } from './role.ts';
import { ALWAYS_FIRST, isExtension, TOOLS, type WholeRole } from './schema.ts';

const DEFAULT_BUDGET = 20_000;

const TEMPLATE: Readonly<Record<string, string>> = {
  plan: 'planning',
  implementation: 'implement',
  review: 'review',
  test: 'test',
  security: 'security',
};
const STRATEGY = { change: 'implementer_targeted', answer: 'explore' } as const;

type Lineage = Pick<Role, 'extends' | 'base_role' | 'pack'>;

export function finish(merged: WholeRole, lineage: Lineage): Role {
  const kind = merged.kind ?? 'change';
  const answer = merged.answer ?? 'generic';
  const { context = {} } = merged;
  const include = context.include ?? [];
  return {
    name: merged.name,
    description: merged.description.trim(),
    extends: lineage.extends,
    base_role: lineage.base_role,
    kind,
    answer,
    template: merged.template ?? TEMPLATE[answer] ?? (kind === 'change' ? 'implement' : 'investigate'),
    cli: typeof merged.cli === 'string' ? [merged.cli] : once(merged.cli ?? []),
    tier: merged.tier ?? null,
    strengths: merged.strengths ?? [],
    system_prompt: [merged.system_prompt, ...toolsText(merged)].join('\n\n'),
    context: {
      strategy: context.strategy ?? STRATEGY[kind],
      include: include.filter((pattern) => pattern !== DIFF_SENTINEL),
      exclude: context.exclude ?? [],
      always_include: context.always_include ?? [],
      token_budget: context.token_budget ?? DEFAULT_BUDGET,
      git_diff: context.git_diff ?? include.includes(DIFF_SENTINEL),
      priority_order: (context.priority_order ?? []).filter(
        (part) => !(ALWAYS_FIRST as readonly string[]).includes(part),
      ),
    },
    gates: (merged.gates ?? []).map(gateOf),
    // Its own commands run with the shell: no CLI has a narrower tool for them.
    allowed_tools:
      merged.allowed_tools === undefined
        ? null
        : once(merged.allowed_tools.map((word): Tool => TOOLS[word] ?? 'shell')),
    continue: merged.continue ?? 0,
    write_scope: merged.write_scope ?? [],
    grants: merged.grants ?? [],
    flags: merged.flags ?? [],
    config: merged.config ?? {},
    extensions: Object.fromEntries(Object.entries(merged).filter(([key]) => isExtension(key))),
    pack: lineage.pack,
  };
}

function gateOf(gate: NonNullable<WholeRole['gates']>[number]): RoleGate {
  if (typeof gate === 'string') return gate;
  const { name, command, timeout, blocking, on_fail } = gate;
  return {
    name,
    ...(command === undefined ? {} : { command }),
    ...(timeout === undefined ? {} : { timeout: parseDuration(timeout) as number }),
    ...(blocking === undefined ? {} : { blocking }),
    ...(on_fail === undefined ? {} : { on_fail }),
  };
}

/** Its own tools, if `allowed_tools` lets it use them. */
function toolsText({ tools = {}, allowed_tools }: WholeRole): string[] {
  const lines = Object.entries(tools).flatMap(([name, command]) =>
    allowed_tools === undefined || allowed_tools.includes(name) ? [`- ${name}: ${command}`] : [],
  );
  return lines.length === 0 ? [] : [`Tools of your own, each a command to run in the shell:\n${lines.join('\n')}`];
}

const once = <T>(all: readonly T[]): T[] => [...new Set(all)];
