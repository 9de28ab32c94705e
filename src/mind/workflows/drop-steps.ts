/** Removes steps from a pinned workflow: what waited for one then waits for what it waited for. */
import type { WorkflowDefinition } from './step.ts';

export function withoutSteps(definition: WorkflowDefinition, gone: ReadonlySet<string>): WorkflowDefinition {
  if (gone.size === 0) return definition;
  const needs = new Map<string, readonly string[]>();
  for (const [n, { id, needs: said }] of definition.steps.entries()) {
    const before = definition.steps[n - 1];
    needs.set(id, said ?? (before === undefined ? [] : [before.id]));
  }
  const passed = (ids: readonly string[]): string[] => [
    ...new Set(ids.flatMap((id) => (gone.has(id) ? passed(needs.get(id) ?? []) : [id]))),
  ];
  const steps = definition.steps
    .filter(({ id }) => !gone.has(id))
    .map((step) => {
      const left = { ...step, needs: passed(needs.get(step.id) ?? []) };
      for (const key of ['on_reject', 'on_fail'] as const) {
        const [target] = left[key] === undefined ? [] : passed([left[key]]);
        if (target !== undefined) left[key] = target;
      }
      return left;
    });
  return { ...definition, steps };
}
