/** Which project gates a workflow means by their kind, and which of its gate steps have nothing to run here. */
import { type Rejection, rejected } from '../../kernel/result.ts';
import type { GateConfig } from '../gates/gate-config.ts';
import { gateKind } from '../gates/kinds.ts';
import { withoutSteps } from '../workflows/drop-steps.ts';
import type { ExpandedWorkflow, GateChoice } from '../workflows/expand.ts';
import type { WorkflowDefinition } from '../workflows/step.ts';

type ChosenGates = {
  readonly type: 'chosen';
  readonly definition: WorkflowDefinition;
  /** Skipped gate steps, with the reason for people. */
  readonly left: readonly { readonly step: string; readonly why: string }[];
};

type GateChoiceOptions = {
  /** The gates of the project and of the task. */
  readonly gates: readonly GateConfig[];
  /** Only these among them, and those of roles; null for all. */
  readonly chosen: readonly string[] | null;
  readonly ofRoles?: ReadonlySet<string>;
  readonly noGates: boolean;
};

type GateChoiceFields = Exclude<GateChoice, string>;
type Gates = NonNullable<WorkflowDefinition['steps'][number]['gates']>;

export function chooseGates(workflow: ExpandedWorkflow, choosing: GateChoiceOptions): ChosenGates | Rejection {
  const { definition, choices, commands, settings, required } = workflow;
  const own = new Set(commands.map(({ name }) => name));
  const usable = choosing.gates.filter(
    ({ name }) =>
      !own.has(name) &&
      (choosing.chosen === null || choosing.chosen.includes(name) || choosing.ofRoles?.has(name) === true),
  );
  const isTested = usable.some((gate) => gateKind(gate) === 'tests');
  if (settings.require_tests === true && !choosing.noGates && !isTested)
    return rejected(
      'no_gate',
      `workflow ${definition.name} requires tests (\`settings.require_tests\`), and no gate of kind tests is there: ${HOW}`,
    );
  const left: { step: string; why: string }[] = [];
  const steps = definition.steps.map((step) => {
    const said = choices.get(step.id);
    if (said !== undefined) return { ...step, gates: choosing.noGates ? [] : gatesOf(said, usable) };
    return step;
  });
  for (const step of steps) {
    if (step.kind !== 'gate') continue;
    const said = choices.get(step.id);
    const isEmpty = said === undefined ? step.gates === undefined && usable.length === 0 : step.gates?.length === 0;
    if (!choosing.noGates && !isEmpty) continue;
    const what = said === undefined ? 'gate' : meant(said);
    if (required.has(step.id) && !choosing.noGates)
      return rejected(
        'no_gate',
        `step ${step.id} of workflow ${definition.name} is required, and no ${what} is there: ${HOW}`,
      );
    left.push({ step: step.id, why: choosing.noGates ? 'no gates are run' : `no ${what} is configured` });
  }
  const gone = new Set(left.map((one) => one.step));
  return { type: 'chosen', definition: withoutSteps({ ...definition, steps }, gone), left };
}

const HOW =
  'declare one in .supervisor/config.yaml (`supervisor init` suggests one), or name one with --gate NAME=COMMAND';

function gatesOf(said: readonly GateChoice[], gates: readonly GateConfig[]): Gates {
  const found = said.flatMap((choice): Gates => {
    if (typeof choice === 'string') return [choice];
    const { optional: _, name, kind, ...rule } = choice;
    if (name !== undefined && choice.optional !== true) return [ruled(choice, name)];
    const named = gates.filter((gate) => (name === undefined ? gateKind(gate) === kind : gate.name === name));
    return named.map((gate) => ({ ...rule, name: gate.name }) as Gates[number]);
  });
  return [...new Map(found.map((gate) => [typeof gate === 'string' ? gate : gate.name, gate])).values()];
}

function ruled({ optional: _, ...rule }: GateChoiceFields, name: string): Gates[number] {
  return { ...rule, name } as Gates[number];
}

function meant(said: readonly GateChoice[]): string {
  const words = said.map((choice) => {
    if (typeof choice === 'string') return `gate ${choice}`;
    return choice.name === undefined ? `gate of kind ${choice.kind}` : `gate ${choice.name}`;
  });
  return [...new Set(words)].join(' or ');
}
