/** Honest changes of four sample projects through the real hand and sandbox: their gates are green, and no canary is alarmed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GateHand } from '../../src/hands/gates/gate-hand.ts';
import { canaryOf } from '../../src/mind/gates/kinds.ts';
import { GO } from '../fixtures/honest/go.ts';
import { NODE } from '../fixtures/honest/node.ts';
import { PYTHON } from '../fixtures/honest/python.ts';
import { VITEST } from '../fixtures/honest/vitest.ts';
import type { Checks } from './checks.ts';
import { lacks, runnerChecks } from './runners.ts';

const PROJECTS = { node: NODE, vitest: VITEST, python: PYTHON, go: GO };
const ALARM = /NEUTERED|could not be proven/;

/** Every `step`th change of each project; `least`: of how many the gate is proven. */
export function honestCases(step: number, least: number): void {
  const seen = { proven: 0, unproven: 0, not: 0 };

  test('there are 60 changes of four projects', () => {
    expect(Object.values(PROJECTS).map(({ changes }) => Object.keys(changes).length)).toEqual([15, 15, 15, 15]);
  });

  describe.each(Object.entries(PROJECTS))('%s', (_, { runner, base, changes }) => {
    const some = Object.entries(changes).filter((_, n) => n % step === 0);
    const skips = lacks(runner);
    if (skips) seen.not += some.length;
    let checks: Checks;
    let hand: GateHand;
    beforeAll(() => {
      checks = runnerChecks(runner, base);
      hand = checks.hand();
    });
    afterAll(() => checks[Symbol.asyncDispose]());

    test.skipIf(skips).each(some)('%s', async (_, files) => {
      const candidate = await checks.candidate(files);
      const gate = await checks.check('tests', candidate, { hand });
      expect(gate, gate.text).toMatchObject({ status: 'pass' });
      const canary = await checks.check(canaryOf('tests'), candidate, { hand });
      expect(canary, canary.text).toMatchObject({ status: 'pass' });
      expect(canary.text).not.toMatch(ALARM);
      seen[/^ended: proven: /m.test(canary.text) ? 'proven' : 'unproven'] += 1;
    });
  });

  test('nearly all of them are proven', () => {
    console.log(`honest changes: ${seen.proven} proven, ${seen.unproven} not proven, ${seen.not} not tried, no alarm`);
    expect(seen.proven + seen.not).toBeGreaterThanOrEqual(least);
  });
}
