/** Chooses the hands of each effect by its task: a simulated task is played, every other one is done for real. */
import type { Hands, LineReport } from '../engine/ports/hands.ts';
import type { Effect, Work } from '../mind/domain/effects.ts';

/** The hands for a task that is not simulated; or, in a sentence, why this process must not work on it. */
export type RealFor = (effect: Effect, work: Work) => Promise<Hands | string>;

const refused = (reason: string): LineReport => ({ status: 'refused', reason });

/** `real` is asked when it is first needed: a simulated task needs no sandbox and no worker. */
export function handsByTask(played: Hands, real: RealFor): Hands {
  const of = async (effect: Effect, work: Work): Promise<Hands | string> =>
    work.spec.simulated === true ? played : real(effect, work);
  return {
    worker: {
      async run(effect, work, context) {
        const hands = await of(effect, work);
        return typeof hands === 'string'
          ? { class: 'blocked', reason: hands }
          : hands.worker.run(effect, work, context);
      },
    },
    gate: {
      async run(effect, work, context) {
        const hands = await of(effect, work);
        if (typeof hands !== 'string') return hands.gate.run(effect, work, context);
        return { status: 'error', evidence: await context.keep(`ended: could not run: ${hands}\n`) };
      },
    },
    // What is applied was judged already.
    applier: {
      async probe(effect, work, context) {
        const hands = await of(effect, work);
        return typeof hands === 'string' ? null : hands.applier.probe(effect, work, context);
      },
      async run(effect, work, context) {
        const hands = await of(effect, work);
        return typeof hands === 'string'
          ? { status: 'error', commit: null, reason: hands }
          : hands.applier.run(effect, work, context);
      },
    },
    lander: {
      async integrate(effect, work, context) {
        const hands = await of(effect, work);
        return typeof hands === 'string' ? refused(hands) : hands.lander.integrate(effect, work, context);
      },
      async probe(effect, work, context) {
        const hands = await of(effect, work);
        return typeof hands === 'string' ? null : hands.lander.probe(effect, work, context);
      },
      async move(effect, work, context) {
        const hands = await of(effect, work);
        return typeof hands === 'string' ? refused(hands) : hands.lander.move(effect, work, context);
      },
      async read(effect, work, context) {
        const hands = await of(effect, work);
        return typeof hands === 'string' ? refused(hands) : hands.lander.read(effect, work, context);
      },
    },
    notifier: {
      async run(effect, work, context) {
        const hands = await of(effect, work);
        return typeof hands === 'string' ? { result: hands } : hands.notifier.run(effect, work, context);
      },
    },
  };
}
