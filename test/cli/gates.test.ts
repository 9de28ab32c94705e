/** `supervisor gates`: what each gate runs, and whether it can fail at all, tried on a small project by the real command line. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunReport } from '../../src/mind/protocol/run-report.ts';
import { run } from '../real/task.ts';
import { World } from '../support/cli.ts';

const FILES = {
  'stock.mjs': 'export const take = (have, want) => have - want;\n',
  'test/stock.test.mjs': `import assert from 'node:assert';
import { test } from 'node:test';
import { take } from '../stock.mjs';
test('takes', () => assert.equal(take(3, 1), 2));
test('takes all', () => assert.equal(take(3, 3), 0));
`,
  // Tests at a place that nobody knows as one of tests.
  'checks/own.mjs': `import assert from 'node:assert';
import { test } from 'node:test';
import { take } from '../stock.mjs';
test('takes', () => assert.equal(take(3, 1), 2));
`,
};
const TESTS = '{ name: tests, command: "node --test --test-reporter=tap test/*.test.mjs", ids: tap }';
/** Each wrong in one way. */
const GATES = `gates:
  - ${TESTS}
  - { name: green, command: "true" }
  - { name: red, command: "echo no; exit 1" }
  - { name: none, command: "node --test --test-reporter=tap nothing/*.mjs", ids: tap }
  - { name: away, command: "test ! -e test/stock.test.mjs || node --check stock.mjs", kind: tests }
  - { name: deaf, command: "node --test --test-reporter=tap checks/*.mjs", ids: tap }
  # Its output says that tests failed, and not in which files.
  - { name: unnamed, command: "node --test --test-reporter=tap test/*.test.mjs >o; e=$?; grep -v location: o; exit $e", ids: tap }
  - { name: silent, command: "node --check stock.mjs", report: { format: tap, file: t.tap } }
  - { name: absent, command: no-such-program }
  - { name: idle, kind: lint, command: "true", applies_to: ["*.mjs"] }
  # A command line has its files in "$@", which this one does not use.
  - { name: nameless, kind: lint, command: node --check, applies_to: ["*.mjs"] }
  - { name: guarded, command: "[ ! -f test/stock.test.mjs ] || node test/stock.test.mjs" }
  - { name: direct, command: "node test/stock.test.mjs" }
  - { name: syntax, kind: syntax }
  - { name: style, kind: lint, command: [node, --check], applies_to: ["*.mjs"], each: true, on_fail: warn }
  - { name: security, kind: security }
`;

type Row = { name: string; kind: string; stage: number; blocking: boolean; canary: string };
type Checked = { commit: string; gates: { gate: string; problems: string[]; tries: { planted: unknown } }[] };
type Doctor = { findings: { name: string; state: string; detail: string; fix: string | null }[] };

const world = new World();
beforeAll(() => {
  world.commit(FILES);
  world.userConfig(GATES);
});
afterAll(() => world[Symbol.dispose]());

const lastResult = async () =>
  (await world.json<Doctor>(['doctor'])).findings.find(({ name }) => name === 'gates check');

describe('gates', () => {
  test('lists them by stage, with what is known of each', async () => {
    const { code, stdout } = await world.run(['gates']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/style +stage 1, lint, does not block, not proven: no canary/),
    ]);
    expect(stdout).toMatch(/tests +stage 2, tests, canary on\n/);
    expect(stdout.indexOf('style')).toBeLessThan(stdout.indexOf('tests'));
    const { gates } = await world.json<{ gates: Row[] }>(['gates', 'list']);
    expect(gates.map(({ name }) => name)).toEqual([
      ...[
        'idle',
        'nameless',
        'syntax',
        'style',
        'tests',
        'green',
        'red',
        'none',
        'away',
        'deaf',
        'unnamed',
        'silent',
        'absent',
      ],
      ...['guarded', 'direct', 'security'],
    ]);
    expect(gates[4]).toEqual({
      name: 'tests',
      kind: 'tests',
      stage: 2,
      weight: 0.3,
      timeout_ms: 300_000,
      blocking: true,
      on_fail: 'retry',
      canary: 'on',
      checks: [
        {
          name: 'tests',
          command: 'node --test --test-reporter=tap test/*.test.mjs',
          ids: 'tap',
          report: null,
          applies_to: [],
        },
      ],
    });
  });

  test('shows one', async () => {
    const { code, stdout } = await world.run(['gates', 'show', 'tests']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/stage +2\n[\s\S]*timeout +5 m[\s\S]*node --test --test-reporter=tap/);
    expect(await world.json(['gates', 'show', 'style'])).toMatchObject({
      kind: 'lint',
      on_fail: 'warn',
      blocking: false,
    });
  });

  test.each([
    [['show'], 'which gate?'],
    [['show', 'test'], 'there is no gate test, did you mean tests?'],
    [['check', 'test'], 'there is no gate test, did you mean tests?'],
    [['chek'], 'did you mean check?'],
  ])('%j is refused with a hint', async (args, message) => {
    const { code, stderr } = await world.run(['gates', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test('without any, says who suggests some', async () => {
    using empty = new World();
    expect(await empty.run(['gates'])).toMatchObject({ code: 0, stdout: expect.stringContaining('supervisor init') });
    expect((await empty.run(['gates', 'check'])).code).toBe(2);
    expect((await empty.run(['gates', 'check', 'tests'])).code).toBe(2);
    expect((await empty.json<Doctor>(['doctor'])).findings.map(({ name }) => name)).not.toContain('gates check');
  });
});

describe('the verdict on a task', () => {
  test.each([
    [
      'not proven: nothing can be planted',
      'node --test --test-reporter=tap checks/run.mjs',
      ['unproven'],
      'not proven',
    ],
    ['the control: proven', 'node --test --test-reporter=tap test/*.test.mjs', [], 'pass'],
  ])('says whether its gates are proven: %s', async (_, command, notes, word) => {
    using own = new World();
    own.commit({ ...FILES, 'checks/run.mjs': FILES['checks/own.mjs'] });
    own.userConfig(`gates:\n  - { name: tests, command: "${command}", ids: tap }\n`);
    const done = await run(own, [{ files: { 'more.mjs': 'export const more = 1;\n' } }], []);
    const [task] = (await own.json<{ tasks: { task_id: string }[] }>(['status'])).tasks;
    const report = await own.json<RunReport>(['show', task?.task_id ?? '']);
    expect(report, done.stderr).toMatchObject({ status: 'accepted', verdict: { score: 1, notes } });
    const shown = await own.run(['show', task?.task_id ?? '']);
    expect(shown.stdout).toContain(`tests-canary ${word} (attempt 1)`);
  });
});

describe('gates check', () => {
  test('nothing was tried yet, and doctor says so', async () => {
    expect(await lastResult()).toMatchObject({ state: 'degraded', fix: 'supervisor gates check' });
  });

  test('names every gate that cannot fail, and why', async () => {
    const { code, stdout, stderr } = await world.run(['gates', 'check', '--json']);
    expect(code, stderr).toBe(5);
    const { commit, gates } = JSON.parse(stdout) as Checked;
    expect(commit).toBe(world.git('rev-parse', 'HEAD'));
    expect(Object.fromEntries(gates.map(({ gate, problems }) => [gate, problems]))).toEqual({
      tests: [],
      green: ['cannot_fail'],
      red: ['always_fails'],
      none: ['no_tests'],
      away: ['passes_without_tests'],
      deaf: ['ignores_tests', 'passes_without_tests'],
      unnamed: ['unnamed_tests'],
      silent: ['error'],
      absent: ['error'],
      idle: ['cannot_fail'],
      nameless: ['cannot_fail'],
      // Without the guard it is clean.
      guarded: ['passes_without_tests'],
      direct: [],
      syntax: [],
      style: [],
      security: [],
    });
    // Two tests, an assertion in each, one more in their file, and one in a file of its own.
    expect(gates[0]?.tries.planted).toEqual({ planted: 4, noticed: 4 });
    expect(Object.keys(gates[0]?.tries ?? {})).toEqual([
      'first',
      'second',
      'broken',
      'without_tests',
      'change',
      'planted',
    ]);
    expect(await lastResult()).toMatchObject({
      state: 'degraded',
      detail: expect.stringContaining('red: always_fails; none: no_tests; away: passes_without_tests'),
    });
    const people = await world.run(['gates', 'check', 'style']);
    expect([people.code, people.stdout]).toEqual([
      0,
      expect.stringMatching(/^style +can fail: it passes here, it fails on broken code/),
    ]);
    for (const gate of ['syntax', 'security'])
      expect((await world.run(['gates', 'check', gate])).stdout).toMatch(
        /can fail: it passes here, it refuses a bad change/,
      );
    expect(await world.health()).toMatchObject({ leased: false });
  });

  test('of one gate: exit code 0 for one that can fail, 1 for one that cannot', async () => {
    const good = await world.run(['gates', 'check', 'tests']);
    expect(good.code, good.stderr).toBe(0);
    expect(good.stdout).toMatch(
      /tests +can fail: it passes here, it noticed 4 of 4 planted tests, it fails on broken code/,
    );
    const bad = await world.run(['gates', 'check', 'green']);
    expect([bad.code, bad.stdout]).toEqual([1, expect.stringContaining('passes although every source file is broken')]);
    // A look at one gate does not speak for all of them.
    expect(await lastResult()).toMatchObject({ detail: expect.stringContaining('red: always_fails') });
  });

  test('doctor tells what was found, on which commit, and whether it is still about these gates', async () => {
    world.userConfig(`gates:\n  - ${TESTS}\n`);
    expect(await lastResult()).toMatchObject({
      state: 'degraded',
      detail: expect.stringContaining('configuration has changed'),
    });
    expect((await world.run(['gates', 'check'])).code).toBe(0);
    expect(await lastResult()).toMatchObject({
      state: 'ok',
      detail: expect.stringMatching(/^all gates can fail/),
      fix: null,
    });
    world.commit({ 'more.txt': 'more\n' });
    expect(await lastResult()).toMatchObject({ state: 'ok', detail: expect.stringContaining('on an older commit') });
  });

  test('a gate for which nothing can be planted is named as not proven, which fails nothing', async () => {
    using plain = new World();
    plain.commit({ 'words.txt': 'right\n' });
    plain.userConfig('gates:\n  - { name: words, command: "grep -q right words.txt" }\n');
    const { code, stdout } = await plain.run(['gates', 'check']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^words +passes here, but nothing shows that it can fail/),
    ]);
    const { findings } = await plain.json<Doctor>(['doctor']);
    expect(findings.find(({ name }) => name === 'gates check')).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('not proven that these can fail: words'),
    });
  });

  test('canary: {file, text} plants a failing test for a command of an unknown runner', async () => {
    using own = new World();
    own.commit({ 'tests/a.sh': 'exit 0\n', 'run.sh': 'for t in tests/*.sh; do sh "$t" || exit 1; done\n' });
    own.userConfig(
      'gates:\n  - { name: unit, command: "sh run.sh", canary: { file: tests/NAME.sh, text: "exit 1\\n" } }\n',
    );
    const { gates } = await own.json<Checked>(['gates', 'check']);
    expect(gates).toMatchObject([{ problems: [], tries: { planted: { planted: 1, noticed: 1 } } }]);
  });

  test('finds a gate that is green by chance', async () => {
    using dice = new World();
    dice.userConfig('gates:\n  - { name: dice, command: "test $(od -An -N1 -tu1 /dev/urandom) -lt 128" }\n');
    // Six runs are all the same once in 32 looks.
    for (let look = 0; look < 24; look += 1) {
      const { gates } = await dice.json<Checked>(['gates', 'check']);
      if (gates[0]?.problems.includes('flaky') !== true) continue;
      expect((await dice.json<Doctor>(['doctor'])).findings).toContainEqual(
        expect.objectContaining({
          name: 'gates check',
          state: 'degraded',
          detail: expect.stringContaining('dice: flaky'),
        }),
      );
      return;
    }
    throw new Error('it was never seen to be unstable');
  });
});
