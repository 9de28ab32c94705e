/** Makes a workflow whole before a task pins it: which gates check each change, and which CLIs do each step. */
import { nearest } from '../../kernel/nearest.ts';
import { type Rejection, rejected } from '../../kernel/result.ts';
import type { GateConfig } from '../config/project-config.ts';
import type { WorkflowDefinition } from './workflow.ts';

export type Filling = {
  /** Of the project, in their order. */
  readonly gates: readonly Pick<GateConfig, 'name' | 'blocking' | 'on_fail'>[];
  /** Only these of them; null: all. */
  readonly chosen: readonly string[] | null;
  /** The operator's word for a change that nothing checks. */
  readonly noGates: boolean;
  /** First choice and fail-overs for steps that name none. */
  readonly clis: readonly string[];
};

type Step = WorkflowDefinition['steps'][number];
type GateRule = Exclude<NonNullable<Step['gates']>[number], string>;

export function fillWorkflow(definition: WorkflowDefinition, filling: Filling): WorkflowDefinition | Rejection {
  const known = new Map(filling.gates.map((gate) => [gate.name as string, gate]));
  const asked = [...(filling.chosen ?? []), ...definition.steps.flatMap((step) => (step.gates ?? []).map(nameOf))];
  const unknown = asked.find((name) => !known.has(name));
  if (unknown !== undefined && !filling.noGates) return unknownGate(unknown, [...known.keys()]);
  const all = [...known.keys()].filter((name) => filling.chosen === null || filling.chosen.includes(name));
  const rules = (step: Step): GateRule[] => {
    if (filling.noGates) return [];
    const written = step.gates ?? (step.kind === 'change' ? all : []);
    return written.map((gate) => {
      const own = typeof gate === 'string' ? { name: gate } : gate;
      const { blocking, on_fail } = known.get(own.name) ?? {};
      return { blocking: blocking ?? true, on_fail: on_fail ?? 'retry', ...own };
    });
  };
  const steps = definition.steps.map((step) => ({
    ...step,
    gates: rules(step),
    cli: step.cli ?? [...filling.clis],
  }));
  const unchecked = steps.find((step) => step.kind === 'change' && !step.gates.some((gate) => gate.blocking));
  if (unchecked !== undefined && !filling.noGates)
    return rejected(
      'no_gate',
      `nothing would check step ${unchecked.id}: name a gate in .supervisor/config.yaml (\`supervisor init\` suggests one) or with --gate NAME=COMMAND, or say --no-gates`,
    );
  return { ...definition, steps };
}

const nameOf = (gate: string | GateRule): string => (typeof gate === 'string' ? gate : gate.name);

function unknownGate(name: string, known: readonly string[]): Rejection {
  const meant = nearest(name, known);
  const list = known.length > 0 ? `known: ${known.join(', ')}` : 'none is configured';
  return rejected(
    'unknown_gate',
    `there is no gate ${name}${meant === null ? '' : `, did you mean ${meant}?`} (${list})`,
  );
}
