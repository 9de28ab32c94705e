/** Gates that a candidate neutered: each trick makes a red run green, and the canary's plants show it. */
import { describe, expect, test } from 'vitest';
import { CARGO, GO } from '../../fixtures/neutered/compiled.ts';
import { PYTEST, UNITTEST } from '../../fixtures/neutered/python.ts';
import { JEST, MAKE, TAP, VITEST } from '../../fixtures/neutered/script.ts';
import { untested } from '../../support/untested.ts';
import { plantedTree, Runs, unreported, WITHOUT } from './runs.ts';

const SCRIPT = { node: TAP, make: MAKE, vitest: VITEST, jest: JEST };
const ALL = Object.entries({ ...SCRIPT, pytest: PYTEST, unittest: UNITTEST, go: GO, cargo: CARGO });

/** Every `step`th trick of each runner. */
export function neuteredCases(step: number): void {
  describe.each(ALL)('%s', (_, { runner, command, base, tests, broken, tricks }) => {
    const skips = untested(`gates of ${runner} that a candidate neutered`, WITHOUT[runner]);

    test.skipIf(skips)('red without a trick, and every plant is named on the base', () => {
      using runs = new Runs();
      expect(runs.run(runner, base, command)).toMatchObject({ status: 0 });
      expect(runs.run(runner, { ...base, ...broken }, command).status).not.toBe(0);
      const planted = plantedTree(runner, base, tests, 3);
      const ran = runs.run(runner, planted.tree, command);
      expect(ran.status).not.toBe(0);
      expect(unreported(runner, ran, planted.plants), `${ran.stdout}${ran.stderr}`).toEqual([]);
    });

    const some = tricks.filter((_, n) => n % step === 0);
    test.skipIf(skips).each(some)('$kind: $how', ({ files }) => {
      using runs = new Runs();
      const tree = { ...base, ...broken, ...files };
      const green = runs.run(runner, tree, command);
      expect(green, `${green.stdout}${green.stderr}`).toMatchObject({ status: 0 });
      const planted = plantedTree(runner, tree, tests, 3);
      const ran = runs.run(runner, planted.tree, command);
      const isSeen = ran.status === 0 || unreported(runner, ran, planted.plants).length > 0;
      expect(isSeen, `${ran.status}\n${ran.stdout}${ran.stderr}`).toBe(true);
    });
  });
}
