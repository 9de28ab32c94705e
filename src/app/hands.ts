/** Passes each effect on to the hands that were chosen for its task. */
import type { Hands, LineReport } from '../engine/ports/hands.ts';
import type { Effect, Work } from '../mind/domain/work.ts';

/** Returns the hands for an effect, or a sentence that says why this process must not work on its task. */
export type ChooseHands = (effect: Effect, work: Work) => Promise<Hands | string>;

const refused = (reason: string): LineReport => ({ status: 'refused', reason });

/** Chooses for each effect: one process drives simulated and real tasks. */
export function handsByTask(of: ChooseHands): Hands {
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
    // The candidate was judged before it was applied.
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
