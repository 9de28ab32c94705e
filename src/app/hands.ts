/** Chooses the hands of each effect by its task: a simulated task is played, every other one is done for real. */
import type { Hands } from '../engine/ports/hands.ts';
import type { Spec } from '../mind/domain/values.ts';

/**
 * `real` is made when it is first needed: a simulated task needs no sandbox and no worker. A task without a
 * sandbox was made so by the operator and says so in its spec; no other task of the same run is.
 */
export function handsByTask(played: Hands, real: (unsafe: boolean) => Promise<Hands>): Hands {
  const of = async (spec: Spec): Promise<Hands> =>
    spec.simulated === true ? played : real(spec.unsafe_no_sandbox === true);
  return {
    worker: { run: async (effect, work, context) => (await of(work.spec)).worker.run(effect, work, context) },
    gate: { run: async (effect, work, context) => (await of(work.spec)).gate.run(effect, work, context) },
    applier: {
      probe: async (effect, work, context) => (await of(work.spec)).applier.probe(effect, work, context),
      run: async (effect, work, context) => (await of(work.spec)).applier.run(effect, work, context),
    },
    notifier: { run: async (effect, work, context) => (await of(work.spec)).notifier.run(effect, work, context) },
  };
}
