/** What the canary plants is seen by the real runners: the run is red, and its list of failed tests names every plant. */
import { describe, expect, test } from 'vitest';
import type { TestRunner } from '../../../src/mind/canary/plant.ts';
import { untested } from '../../support/untested.ts';
import { failedIn, plantedTree, Runs, unreported, WITHOUT } from './runs.ts';
import { SAMPLES } from './samples.ts';

const SEEDS: Readonly<Record<TestRunner, readonly number[]>> = {
  tap: [1, 2, 3, 4, 5, 6],
  vitest: [1, 2, 3, 4],
  jest: [1, 2, 3],
  pytest: [1, 2, 3, 4],
  unittest: [1, 2, 3, 4],
  go: [1, 2, 3],
  cargo: [1, 2, 3],
};

describe.each(Object.keys(SAMPLES) as TestRunner[])('%s', (runner) => {
  test.skipIf(untested(`the canary's plants in real runs of ${runner}`, WITHOUT[runner]))(
    'is green without plants, and names each of them',
    () => {
      using runs = new Runs();
      const { tree, tests } = SAMPLES[runner];
      const green = runs.run(runner, tree);
      expect(green, JSON.stringify(green, null, 1)).toMatchObject({ status: 0 });
      for (const seed of SEEDS[runner]) {
        const planted = plantedTree(runner, tree, tests, seed, seed % 2 === 0 ? 'all' : undefined);
        if (seed % 2 === 0) expect(planted.plants.some(({ kind }) => kind === 'altered')).toBe(true);
        expect(new Set(planted.plants.map(({ path }) => path)).size).toBeGreaterThan(tests.length);
        const ran = runs.run(runner, planted.tree);
        const about = `${ran.stdout}\n${ran.stderr}\n${JSON.stringify(planted, null, 1)}`;
        expect(ran.status, about).not.toBe(0);
        expect(failedIn(runner, ran), about).not.toBeNull();
        expect(unreported(runner, ran, planted.plants), about).toEqual([]);
      }
    },
  );
});
