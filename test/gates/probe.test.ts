/** What `gates check` tries on a gate, through the real hand and sandbox. */
import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/engine/ports/sandbox.ts';
import type { TaskId } from '../../src/kernel/ids.ts';
import { probeProblems } from '../../src/mind/canary/sabotage.ts';
import { Checks, type GateSketch } from './checks.ts';

const FILES = {
  'add.mjs': 'export const add = (a, b) => a + b;\n',
  'test/add.test.mjs':
    "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { add } from '../add.mjs';\ntest('adds', () => assert.equal(add(1, 2), 3));\n",
};

async function probed(
  files: Readonly<Record<string, string>>,
  gate: GateSketch,
  scripted?: (run: number) => readonly [string, ...string[]] | null,
) {
  await using checks = new Checks(files);
  checks.gates(gate);
  let runs = 0;
  const run: Sandbox['run'] = (request) => {
    runs += 1;
    const argv = scripted?.(runs) ?? request.argv;
    return checks.sandbox.run({ ...request, argv: [...argv] as [string, ...string[]] });
  };
  const base = checks.world.git('rev-parse', 'HEAD');
  const ask = { task: 't-1' as TaskId, token: 1, gate: gate.name, base, spec: { version: 1, text: 'check' } as const };
  const hand = checks.hand({ sandbox: checks.sandboxThat(run) });
  const tries = await hand.probe(ask, checks.context(), () => {});
  await checks.nothingLeft();
  if (tries === null) throw new Error('there is no such gate');
  return { tries, problems: probeProblems(tries), runs };
}

describe('a gate that is quick runs on the commit up to six times', () => {
  const GATE = { name: 'dice', command: 'true' };
  const redAt = (at: number) => (run: number) => (run === at ? (['/bin/sh', '-c', 'exit 1'] as const) : null);

  test.each([2, 4, 6])('run %i is red: it is unstable, and no more is tried', async (at) => {
    const { problems, runs } = await probed({ 'a.txt': 'a\n' }, GATE, redAt(at));
    expect([problems, runs]).toEqual([['flaky'], at]);
  });

  test('red first and green later is unstable as well', async () => {
    const { problems, runs } = await probed({ 'a.txt': 'a\n' }, GATE, redAt(1));
    expect([problems, runs]).toEqual([['flaky'], 2]);
  });

  test('always green is stable', async () => {
    const { tries, runs } = await probed({ 'a.txt': 'a\n' }, GATE);
    expect([tries.second?.status, runs]).toEqual(['pass', 6]);
  });
});

describe('without its test files', () => {
  const SUMMARY = 'node --test --test-reporter=tap';

  test.each<[string, GateSketch, string[]]>([
    [
      'a command that names one and looks whether it is there',
      { name: 'unit', command: '[ ! -f test/add.test.mjs ] || node test/add.test.mjs' },
      ['passes_without_tests'],
    ],
    ['the control: the same without looking', { name: 'unit', command: 'node test/add.test.mjs' }, []],
    [
      'a command that names their directory',
      { name: 'unit', command: 'for one in $(ls ./test/); do node test/$one || exit 1; done; node --check add.mjs' },
      ['passes_without_tests'],
    ],
    [
      'a command that prints a summary of tests',
      {
        name: 'unit',
        kind: 'command',
        command: `ls -d tes* >/dev/null 2>&1 && exec ${SUMMARY}; node --check add.mjs`,
      },
      ['passes_without_tests'],
    ],
    [
      'a command whose failing test is named',
      {
        name: 'unit',
        command: 'for one in checks/*.mjs; do [ -f $one ] || continue; node $one || exit 1; done; node --check add.mjs',
        canary: { file: 'checks/NAME.mjs', text: 'throw new Error();\n' },
      },
      ['passes_without_tests'],
    ],
    ['a command that looks at no test', { name: 'unit', command: 'node --check add.mjs' }, []],
  ])('%s', async (_, gate, problems) => {
    const files = { ...FILES, 'checks/own.mjs': "import '../add.mjs';\n" };
    const found = await probed(files, gate);
    expect(found.problems, JSON.stringify(found.tries)).toEqual(problems);
  });

  test('a command whose tests are other files than those that were taken away is not blamed', async () => {
    const own =
      "import { test } from 'node:test';\nimport { add } from '../add.mjs';\ntest('adds', () => add(1, 2));\n";
    const gate = { name: 'unit', kind: 'command', command: `${SUMMARY} checks/own.mjs` } as const;
    const found = await probed({ ...FILES, 'checks/own.mjs': own }, gate);
    expect([found.tries.withoutTests, found.problems]).toEqual([null, []]);
  });
});

describe('a check of changed files gets the files of the commit', () => {
  const lint = (command: readonly [string, ...string[]]): GateSketch => ({
    name: 'lint',
    kind: 'lint',
    command: [...command],
    applies_to: ['*.mjs'],
    each: true,
  });

  test.each([
    ['and cannot fail', ['true'], ['cannot_fail']],
    ['and can fail', ['node', '--check'], []],
  ] as const)('%s', async (_, command, problems) => {
    expect((await probed(FILES, lint(command))).problems).toEqual(problems);
  });

  test('an old file that it refuses is left out', async () => {
    const found = await probed({ ...FILES, 'a-old.mjs': 'const = ;\n' }, lint(['node', '--check']));
    expect(found.problems).toEqual([]);
  });

  test('with none of them in the commit, nothing is proven', async () => {
    const found = await probed({ 'a.txt': 'a\n' }, lint(['true']));
    expect([found.problems, found.runs]).toEqual([['not_proven'], 0]);
  });
});

describe('a gate with checks of its own has to refuse a planted change', () => {
  const MANY = { ...FILES, 'a.sh': 'true\n', 'a.py': 'a = 1\n' };

  test('syntax: an unparsable file of each kind', async () => {
    const { tries, problems, runs } = await probed(MANY, { name: 'syntax' });
    expect([tries.change?.status, problems]).toEqual(['fail', []]);
    // Shell and Python run in the sandbox; JSON and YAML need no program.
    expect(runs).toBe(2);
  });

  test.each([
    ['Python', 2],
    ['shell', 1],
  ])('syntax whose check of %s is deaf is named', async (what, run) => {
    const { tries, problems } = await probed(MANY, { name: 'syntax' }, (n) => (n === run ? ['/bin/true'] : null));
    expect(problems).toEqual(['accepts_bad_change']);
    expect(tries.change?.ended).toBe(`it passes a change that adds ${what} that cannot be parsed`);
  });

  test('security: an added secret', async () => {
    const { tries, problems } = await probed(FILES, { name: 'security', kind: 'security' });
    expect([tries.change, problems]).toEqual([
      {
        status: 'fail',
        ended: expect.stringMatching(/critical: planted_\w+\.txt:1: the line holds what looks like a secret/),
      },
      [],
    ]);
  });
});
