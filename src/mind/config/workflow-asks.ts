/**
 * What a workflow asks for, as a person has to see it before trusting it: each step, and every command that it brings.
 */
import type { ExpandedWorkflow } from '../workflows/expand.ts';
import type { GateRule, StepDefinition } from '../workflows/step.ts';

export type AskedWorkflow = Pick<ExpandedWorkflow, 'definition'> &
  Partial<Pick<ExpandedWorkflow, 'choices' | 'commands'>>;

/** `known`: gates of the config, of which a step may leave some out. */
export function workflowFacts({ definition, choices, commands = [] }: AskedWorkflow, known: readonly string[]) {
  return {
    steps: definition.steps.map((step) =>
      stepText({ ...step, gates: choices?.get(step.id)?.map(ruleOf) ?? step.gates }, known),
    ),
    commands: commands.map(({ name, command }) => ({ name, text: commandText(command) })),
  };
}

type OptionalGateRule = GateRule & { readonly optional?: boolean };
type ConditionChoice = NonNullable<ReturnType<ExpandedWorkflow['choices']['get']>>[number];

function ruleOf(choice: ConditionChoice): string | OptionalGateRule {
  if (typeof choice === 'string') return choice;
  const { name, kind, optional, ...rule } = choice;
  const shown = name ?? `all of kind ${kind}`;
  return { ...rule, name: optional === true ? `${shown} if there is one` : shown } as OptionalGateRule;
}

/** Shows if a step of a project leaves out a gate or makes it harmless. */
function stepText(
  step: Omit<StepDefinition, 'gates'> & { readonly gates: readonly (string | GateRule)[] | undefined },
  known: readonly string[],
): string {
  const { id, kind, role, gates, cli, attempts, continue: turns, grants = [], write_scope = [] } = step;
  const rules = gates?.map((gate) => (typeof gate === 'string' ? { name: gate } : gate));
  const left = known.filter((name) => rules?.some((rule) => rule.name === name) !== true);
  const checks = rules?.map(ruleText).join(', ') || 'none';
  const without = kind === 'change' && left.length > 0 ? `, without ${left.join(', ')}` : '';
  const isWork = kind === 'change' || kind === 'answer';
  const all = kind === 'change' || kind === 'gate' ? 'all' : 'none';
  const said = isWork || kind === 'gate';
  const usual = rules === undefined ? `gates: ${all}` : `gates: ${checks}${without}`;
  return [
    `${id} (${kind})`,
    ...(said ? [usual] : []),
    ...(isWork ? [`cli: ${cli?.join(', ') ?? 'the default'}`] : []),
    ...(role === undefined ? [] : [`role: ${role}`]),
    ...(attempts === undefined ? [] : [`attempts: ${attempts}`]),
    ...(turns === undefined ? [] : [`asked again in its session: ${turns}`]),
    ...(grants.length === 0 ? [] : [`may change protected ${grants.join(', ')}`]),
    ...(write_scope.length === 0 ? [] : [`may change only ${write_scope.join(', ')}`]),
    ...(step.degrade === undefined ? [] : [`may fall back to ${step.degrade.join(', ')} work`]),
    ...(step.hand_over === true ? ['its answer is checked before it is handed over'] : []),
    ...(step.config === undefined ? [] : [`told: ${JSON.stringify(step.config)}`]),
  ].join('; ');
}

function ruleText({ name, blocking, on_fail }: GateRule): string {
  const facts = [
    ...(blocking === undefined ? [] : [blocking ? 'blocks' : 'does not block']),
    ...(on_fail === undefined ? [] : [ENDS[on_fail]]),
  ];
  return facts.length === 0 ? name : `${name} (${facts.join(', ')})`;
}

const ENDS = { retry: 'retries', escalate: 'escalates', block: 'blocks the task', warn: 'does not block' } as const;

/** A list is printed so that its words can be told apart; a line is printed as the shell gets it. */
export const commandText = (command: string | readonly string[]): string =>
  typeof command === 'string' ? command : JSON.stringify(command);
