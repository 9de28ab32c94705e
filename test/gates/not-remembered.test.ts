/** A result that may come from the machine and not from the tree is not remembered. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BubblewrapSandbox } from '../../src/hands/sandbox/bubblewrap/backend.ts';
import { limitWords } from '../../src/mind/gates/resource-refusals.ts';
import { Checks } from './checks.ts';

test.each([
  ['a signal', 'kill -SEGV $$', 2],
  ['an exit code that a shell makes of a signal', 'sh -c "kill -KILL \\$\\$"; exit $?', 2],
  ['a plain exit code, which is (control)', 'exit 3', 1],
  ['a red that speaks of a refused process', 'echo "sh: 1: Cannot fork" >&2; exit 2', 2],
  ['a full temporary directory', 'echo "write error: No space left on device"; exit 1', 2],
] as const)('%s', async (_, command, runs) => {
  await using checks = new Checks({ 'a.txt': 'old\n' });
  checks.gates({ name: 'tests', command });
  const candidate = await checks.candidate({ 'a.txt': 'new\n' });
  const statuses = [await checks.check('tests', candidate), await checks.check('tests', candidate)];
  expect(statuses.map(({ status }) => status)).toEqual(['fail', 'fail']);
  expect(checks.runs).toBe(runs);
});

test('words alone change no green, which is remembered', async () => {
  await using checks = new Checks({ 'a.txt': 'old\n' });
  checks.gates({ name: 'tests', command: 'echo "Cannot fork, Cannot allocate memory"' });
  const candidate = await checks.candidate({ 'a.txt': 'new\n' });
  for (const _ of [1, 2]) expect((await checks.check('tests', candidate)).status).toBe('pass');
  expect(checks.runs).toBe(1);
});

test('a gate that hits its limit of processes without a control group: the limit is named, and nothing is remembered', async () => {
  await using checks = new Checks({ 'a.txt': 'old\n' });
  const command = 'i=0; while [ $i -lt 900 ]; do sleep 60 & i=$((i+1)); done; sleep 30';
  checks.gates({ name: 'tests', command });
  const candidate = await checks.candidate({ 'a.txt': 'new\n' });
  const sandbox = new BubblewrapSandbox({
    runDir: join(checks.world.root, 'run'),
    hidden: [checks.world.state],
    groups: { version: 2, at: {} },
  });
  let runs = 0;
  const hand = checks.hand({
    limits: { processes: 8 },
    sandbox: checks.sandboxThat((request) => {
      runs += 1;
      return sandbox.run(request);
    }),
  });
  for (const _ of [1, 2]) {
    const found = await checks.check('tests', candidate, { hand });
    expect(found.status).toBe('fail');
    expect(found.text).toContain('stopped: it had more than 8 processes and threads');
    expect(found.text).toContain('from the cache: no');
  }
  expect(runs).toBe(2);
});

test.each([
  'sh: 1: Cannot fork',
  'bash: fork: retry: Resource temporarily unavailable',
  "RuntimeError: can't start new thread",
  'runtime: failed to create new OS thread (have 12 already; errno=11)',
  'java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory',
  'Error: spawn node EAGAIN',
  'OSError: [Errno 38] Function not implemented',
  "EMFILE: too many open files, open 'x'",
])('%s', (line) => {
  expect(limitWords(`ok 1\n${line}\nnot ok 2`)).not.toBeNull();
});

test('an ordinary failure has no such words (control)', () => {
  expect(limitWords('AssertionError: expected 1 to equal 2\n1 failed, memory of an elephant')).toBeNull();
});
