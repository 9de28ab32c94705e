/**
 * Gates that an answering role brings. They check the change that the role looks at, so they run in a separate gate
 * step before it. Without an earlier change there is nothing to check, and they do not run.
 */
import type { StepDefinition, WorkflowDefinition } from '../workflows/step.ts';
import type { Role } from './role.ts';

export function withAnsweringGates(
  definition: WorkflowDefinition,
  roleOf: (step: StepDefinition) => Role | null,
): WorkflowDefinition {
  const needs = new Map<string, string[]>();
  for (const [n, { id, needs: said }] of definition.steps.entries()) {
    const before = definition.steps[n - 1];
    needs.set(id, said ?? (before === undefined ? [] : [before.id]));
  }
  const byId = new Map(definition.steps.map((step) => [step.id, step]));
  const steps = definition.steps.flatMap((step): StepDefinition[] => {
    const role = step.kind === 'answer' && step.gates === undefined ? roleOf(step) : null;
    const to = role === null || role.gates.length === 0 ? null : backTo(step, { needs, byId });
    if (role === null || to === null) return [{ ...step, needs: needs.get(step.id) ?? [] }];
    const id = gatesOf(step.id);
    const gates = role.gates.map((gate) => (typeof gate === 'string' ? gate : ruleOf(gate)));
    return [
      { id, kind: 'gate', needs: needs.get(step.id) ?? [], gates, on_fail: to },
      { ...step, needs: [id] },
    ];
  });
  return steps.length === definition.steps.length ? definition : { ...definition, steps };
}

/** Whether a gate step runs the checks of the role of this step. */
export const hasGates = ({ steps }: WorkflowDefinition, id: string): boolean =>
  steps.some((step) => step.id === gatesOf(id) && step.kind === 'gate');

export const gatesOf = (id: string): string => `${id}-gates`;

type Graph = {
  readonly needs: ReadonlyMap<string, readonly string[]>;
  readonly byId: ReadonlyMap<string, StepDefinition>;
};

/**
 * Where a failed check sends the change: like the review itself, else like the nearest earlier gate step, else to the
 * last change.
 */
function backTo(step: StepDefinition, { needs, byId }: Graph): string | null {
  const before: StepDefinition[] = [];
  const queue = [...(needs.get(step.id) ?? [])];
  for (const id of queue) {
    const one = byId.get(id);
    if (one === undefined || before.includes(one)) continue;
    before.push(one);
    queue.push(...(needs.get(id) ?? []));
  }
  const change = before.find((one) => one.kind === 'change');
  if (change === undefined) return null;
  const join = [...byId.values()].find((one) => one.kind === 'join' && needs.get(one.id)?.includes(step.id) === true);
  return (
    step.on_reject ??
    join?.on_reject ??
    before.find((one) => one.kind === 'gate' && one.on_fail !== undefined)?.on_fail ??
    change.id
  );
}

function ruleOf({
  name,
  blocking,
  on_fail,
}: Exclude<Role['gates'][number], string>): NonNullable<StepDefinition['gates']>[number] {
  const rule: { name: string; blocking?: boolean; on_fail?: NonNullable<typeof on_fail> } = { name };
  if (blocking !== undefined) rule.blocking = blocking;
  if (on_fail !== undefined) rule.on_fail = on_fail;
  return rule;
}
