/** Loops for random workflows: reviews that each send the change back by themselves, and changes that fall back to less. */
import type { WorkflowDefinition } from '../../src/mind/workflows/step.ts';
import type { Random } from './random.ts';

type Step = WorkflowDefinition['steps'][number];

/** With a row of random numbers of its own: what is drawn here moves nothing else. */
export function withLoops(random: Random, definition: WorkflowDefinition): WorkflowDefinition {
  const steps = definition.steps.map((step) =>
    step.kind === 'change' && random.chance(0.15) ? lowered(random, step) : step,
  );
  const analysed = steps.map((step) =>
    step.kind === 'change' && random.chance(0.3) ? { ...step, analyses: analystsFor(random) } : step,
  );
  const change = analysed.findLast(({ kind }) => kind === 'change');
  const isLooked = steps.some(({ on_reject, on_fail }) => (on_reject ?? on_fail) !== undefined);
  if (change === undefined || isLooked || !random.chance(0.15)) return { ...definition, steps: analysed };
  // One that says no voids the other at its work.
  const back = { kind: 'answer' as const, role: 'reviewer', needs: [change.id], on_reject: change.id };
  const pair: Step[] = ['read-a', 'read-b'].map((id) => ({ ...back, id, rounds: random.int(2, 3) }));
  return { ...definition, steps: [...analysed, ...pair] };
}

/** One of them has a CLI that is parked or broken more often than others. */
const analystsFor = (random: Random): NonNullable<Step['analyses']> =>
  random.pick([
    [{ role: 'doctor', cli: ['claude'] }],
    [
      { role: 'doctor', cli: ['codex', 'claude'] },
      { role: 'architect', cli: ['gemini'] },
    ],
  ]);

const lowered = (random: Random, step: Step): Step => ({
  ...step,
  degrade: random.pick([['simplified'], ['minimal'], ['simplified', 'minimal']]),
});
