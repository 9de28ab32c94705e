/** `make quick` chooses tests by what they import, and says what it leaves out. */
import { expect, test } from 'vitest';
import { choose, readImports } from '../../tools/quick.ts';

const IMPORTS = readImports();
const chosen = (file: string, seconds = 0) => choose(IMPORTS, [file], () => seconds);
const SMOKE = 'test/scenarios/scenarios.test.ts';

test('a change in one room is met by its own tests and by a few scenarios', () => {
  const { run, left } = chosen('src/mind/secrets/scan.ts');
  expect(run).toEqual(expect.arrayContaining(['test/mind/secrets/shapes.test.ts', 'test/architecture.test.ts', SMOKE]));
  expect(run).not.toContain('test/mind/retries.test.ts');
  expect(left).toEqual([]);
});

test('tests that start the bundle are reached by their name', () => {
  expect(chosen('src/app/land.ts').run).toContain('test/cli/land.test.ts');
  // All of them start it; only what the change itself imports counts.
  expect(chosen('src/hands/store/sqlite/store.ts').run).not.toContain('test/cli/land.test.ts');
});

test('data is met by the tests that read it, prose by none', () => {
  expect(chosen('templates/roles/reviewer.yaml').run).toEqual(
    expect.arrayContaining(['test/mind/prompts/golden.test.ts', SMOKE]),
  );
  expect(chosen('test/replay/histories/0.1.0-core.json').run).toContain('test/replay/replay.test.ts');
  expect(chosen('docs/guarantees.md')).toEqual({ run: [], left: [] });
});

test('a slow test is left out, the farthest first; a changed one never is', () => {
  const all = chosen('src/kernel/json.ts').run;
  const { run, left } = chosen('src/kernel/json.ts', 5);
  expect(run).toEqual(expect.arrayContaining(['test/kernel/json.test.ts', SMOKE]));
  expect(left.length).toBeGreaterThan(20);
  expect([...run, ...left].sort()).toEqual(all.toSorted());
  const own = 'test/crash/matrix.test.ts';
  expect(chosen(own, 1_000)).toEqual({ run: [own], left: [] });
});
