/** The hand around the worker: what it needs, what it refuses, what it leaves behind, and the scripted worker. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SandboxError } from '../../src/engine/ports/sandbox.ts';
import { WorkspaceError, type WorkspaceProblem } from '../../src/engine/ports/workspace.ts';
import { PatternRefused } from '../../src/mind/context/variables.ts';
import type { Script } from '../../src/mind/workers/script.ts';
import { eventually } from '../support/cli.ts';
import { stall } from '../workspace/repository.ts';
import { block, CHANGE, GOOD, HONEST, type Part, print, Room } from './room.ts';

let room: Room;
beforeAll(() => {
  room = new Room();
});
afterAll(() => room.end());

const ANSWER: Part = { attempt: { kind: 'answer' }, work: { role: 'reviewer' } };

describe('an answer is made on a tree that cannot be changed', () => {
  const review = (answer: object) => print(block(answer));
  const READ = `cat src/b.txt\n(echo x >src/b.txt) 2>/dev/null && echo changed\nmkdir src/new 2>/dev/null && echo made`;

  test('a reviewer reads, and its word is no candidate', async () => {
    const { report, record, answer } = await room.work(`${READ}\n${review({ status: 'APPROVED' })}`, ANSWER);
    expect(report).toMatchObject({ class: 'ok', candidate: null });
    expect(answer?.split('\n```')[0]).toBe('b');
    expect(record.tree).toBe('not taken');
    // The control: as a change, the same program does write.
    const control = await room.work(`${READ}\n${print(block(GOOD))}`);
    expect(control.answer).toMatch(/^b\nchanged\nmade\n/);
  });

  test.each(['CHANGES_REQUESTED', 'REJECTED'])(
    '%s is reported as what the reviewer said, with its reasons',
    async (status) => {
      const issues = [{ severity: 'high', file: 'src/b.txt', line: 3, message: 'wrong' }];
      const { report } = await room.work(review({ status, issues, notes: 'no' }), ANSWER);
      expect(report).toMatchObject({
        class: 'ok',
        reason: `the reviewer says ${status}: "high src/b.txt:3: wrong; no"`,
        said: { status, findings: { critical: 0, high: 1, medium: 0, low: 0, info: 0 } },
      });
    },
  );

  test('a plan that is not complete is told in the worker’s own word', async () => {
    const plan = { status: 'NEEDS_REFINEMENT', phases: [], estimated_components: 0, risks: ['no limit is named'] };
    const { report } = await room.work(review(plan), { ...ANSWER, work: { role: 'planner' } });
    expect(report.reason).toBe('the worker says NEEDS_REFINEMENT: "no limit is named"');
  });

  test.each([
    ['planner', { status: 'COMPLETE', phases: [], estimated_components: 0 }, 'ok'],
    ['planner', { status: 'NEEDS_REFINEMENT', phases: [], estimated_components: 0 }, 'invalid'],
    ['planner', { status: 'BLOCKED', phases: [], estimated_components: 0 }, 'blocked'],
    ['analyst', { status: 'SUCCESS', anything: 1 }, 'ok'],
    ['analyst', { status: 'BLOCKED', notes: 'why' }, 'blocked'],
    ['analyst', { status: 'approved' }, 'invalid'],
    ['reviewer-security', { status: 'SUCCESS' }, 'invalid'],
  ])('%s %j is %s', async (role, answer, expected) => {
    const { report } = await room.work(review(answer), { ...ANSWER, work: { role } });
    expect(report.class).toBe(expected);
  });

  test('with its environment, inside of the tree and outside', async () => {
    const sealed = join(room.world.root, 'sealed');
    mkdirSync(sealed, { recursive: true });
    writeFileSync(join(sealed, 'lib.js'), 'dependency\n');
    const environments = {
      ready: async () => ({
        type: 'ready' as const,
        environment: {
          key: 'k1',
          readable: [
            { from: sealed, to: '/workspace/deps/js' },
            { from: sealed, to: '/env/js' },
          ],
          env: { JS_HOME: '/env/js' },
          path: ['/env/js/bin'],
        },
      }),
    };
    const read = 'cat deps/js/lib.js "$JS_HOME/lib.js"; echo "$PATH"';
    const expected = /^dependency\ndependency\n\/env\/js\/bin:\/opt\/node\/bin:/;
    const answered = await room.work(`${read}\n${review({ status: 'APPROVED' })}`, {
      ...ANSWER,
      options: { environments },
    });
    expect(answered).toMatchObject({ report: { class: 'ok' }, answer: expect.stringMatching(expected) });
    expect(answered.record.environment).toBe('k1');
    const changed = await room.work(`${read}\n${HONEST}`, { options: { environments } });
    expect(changed).toMatchObject({ report: { class: 'ok' }, answer: expect.stringMatching(expected) });
    expect(changed.record.changed).toEqual(['src/b.txt']);
  });
});

test('a rework begins with the candidate that it is given', async () => {
  const first = await room.work(HONEST);
  const input = first.report.candidate ?? null;
  const more = `cat src/b.txt; echo more >>src/b.txt\n${print(block(GOOD))}`;
  const { report, answer } = await room.work(more, { work: { input } });
  expect(answer).toMatch(/^changed\n/);
  expect(room.file(report, 'src/b.txt')).toBe('changed\nmore');
  expect(report.candidate?.base).toBe(input?.base);
});

test('the configuration bounds what a worker may use', async () => {
  const { sandbox, ...usual } = room.options().settings();
  const settings = { ...usual, clis: {}, sandbox: { ...sandbox, worker: { idleMs: 300 } } };
  const { report } = await room.work('', {
    attempt: { cli: 'scripted' },
    options: { settings: () => settings, script: () => ({ steps: { build: [{ run: 'sleep 600' }] } }) },
  });
  expect(report).toMatchObject({ class: 'timeout', reason: 'it printed nothing for 300 ms' });
});

test('a packet as an argument', async () => {
  const { answer } = await room.work(`printf '%s' "$1" | head -n 1\n${HONEST}`, { cli: { prompt: 'argument' } });
  expect(answer).toMatch(/^You are the implementer of one task/);
  const long = await room.work(HONEST, {
    cli: { prompt: 'argument' },
    work: { spec: { version: 1, text: 'x', acceptance: Array.from({ length: 70 }, () => 'y'.repeat(2000)) } },
  });
  expect(long.report).toMatchObject({ class: 'blocked', reason: expect.stringContaining('clis.acme.prompt to stdin') });
});

test('lines of JSON: the answer is where the pointer says', async () => {
  const lines = [{ type: 'start' }, { type: 'result', result: `done\n${block(GOOD)}` }, { type: 'end' }];
  const script = `${CHANGE}\n${print(`noise\n${lines.map((line) => JSON.stringify(line)).join('\n')}`)}`;
  const { report, record, answer } = await room.work(script, { cli: { output: 'jsonl', text_pointer: '/result' } });
  expect(report.class).toBe('ok');
  expect(record.malformed_lines).toBe(1);
  expect(answer).toBe(`done\n${block(GOOD)}`);
  const wrong = await room.work(script, { cli: { output: 'jsonl', text_pointer: '/text' } });
  expect(wrong.report).toMatchObject({
    class: 'invalid',
    reason: expect.stringContaining('nothing on stdout has a text at /text'),
  });
});

describe('nothing is run', () => {
  const REFUSALS: readonly (readonly [string, Part, string, RegExp])[] = [
    ['without a commit', { work: { base: null } }, 'blocked', /no commit to start from/],
    ['by a CLI that nobody declared', { attempt: { cli: 'constructor' } }, 'blocked', /no CLI is called constructor/],
    [
      'by a program that is not installed',
      { cli: { command: ['acme-agent'] } },
      'missing_cli',
      /^acme-agent is not on PATH: install it or set clis\.acme\.command$/,
    ],
    ['after the deadline', { attempt: { deadline: 1 } }, 'timeout', /deadline/],
    [
      'without its environment',
      { options: { environments: { ready: async () => ({ type: 'failed', message: 'npm ci failed' }) } } },
      'blocked',
      /npm ci failed/,
    ],
    ['on a commit that is not there', { work: { base: '1'.repeat(40) } }, 'blocked', /./],
    [
      'without a sandbox',
      { options: { sandbox: { run: () => Promise.reject(new SandboxError('bubblewrap is not installed')) } } },
      'blocked',
      /^bubblewrap is not installed$/,
    ],
  ];
  test.each(REFUSALS)('%s', async (_, part, expected, reason) => {
    const { report } = await room.work('echo ran >&2', part);
    expect(report).toMatchObject({ class: expected, reason: expect.stringMatching(reason), candidate: null });
    expect(room.transcript()).not.toContain('ran');
  });

  test.each([
    ['locked', 'transient'],
    ['git_failed', 'transient'],
    ['bad_name', 'blocked'],
    ['no_commit', 'blocked'],
  ] as const)('when the repository says %s: %s', async (code: WorkspaceProblem, expected) => {
    const make = () => Promise.reject(new WorkspaceError(code, 'no'));
    const workspaces = { make, changes: async () => [], read: async () => [], paths: async () => [] };
    const { report } = await room.work(HONEST, { options: { workspaces } });
    expect(report).toMatchObject({ class: expected, reason: 'no' });
  });

  test('a mistake in the packet is reported', async () => {
    const contexts = { pack: () => Promise.reject(new PatternRefused('include: ../x leaves the repository')) };
    const { report } = await room.work(HONEST, { options: { contexts } });
    expect(report).toMatchObject({ class: 'blocked', reason: 'include: ../x leaves the repository' });
  });
});

describe('on a stop', () => {
  test('the worker ends at once, and leaves nothing', async () => {
    const abort = new AbortController();
    const working = room.work(`${HONEST}\necho at it >&2\nsleep 600`, { signal: abort.signal });
    await eventually(() => room.transcript().includes('! at it'), 'it is at work');
    abort.abort('unwanted');
    const { report } = await working;
    expect(report).toMatchObject({ class: 'interrupted', candidate: null });
  });

  test('before it began, too', async () => {
    const { report } = await room.work(HONEST, { signal: AbortSignal.abort('interrupted') });
    expect(report).toMatchObject({ class: 'interrupted', candidate: null });
  });

  test('while the environment is prepared', async () => {
    const abort = new AbortController();
    const ready = async (_: string, { signal }: { signal: AbortSignal }) => {
      abort.abort('unwanted');
      await sleep(10);
      expect(signal.aborted).toBe(true);
      return { type: 'failed' as const, message: 'stopped' };
    };
    const { report } = await room.work(HONEST, { signal: abort.signal, options: { environments: { ready } } });
    expect(report.class).toBe('interrupted');
  });
});

test('stopped while its tree is written, it does not wait for that', async () => {
  // The base is known by then: only the tree reads the file.
  await room.work(HONEST);
  const abort = new AbortController();
  const { stalled, free } = stall(room.world, 'src/a.py');
  try {
    const working = room.work(HONEST, { signal: abort.signal });
    await stalled();
    abort.abort('interrupted');
    expect((await working).report).toMatchObject({ class: 'interrupted', candidate: null });
  } finally {
    free();
  }
});

test('a defect of ours is not hidden, and leaves no workspace', async () => {
  const check = () => Promise.reject(new Error('defect'));
  await expect(room.work(HONEST, { options: { check } })).rejects.toThrow('defect');
  await room.workspaces.close();
  room.nothingLeft();
});

describe('the scripted worker', () => {
  const play = (script: Script['steps'][string][number], part: Part = {}) =>
    room.work('', {
      ...part,
      attempt: { cli: 'scripted', ...part.attempt },
      options: { script: () => ({ steps: { build: [script] } }) },
    });

  test('writes, removes, runs, and says that it did', async () => {
    const big = `${'x'.repeat(300_000)}é\n`;
    const files = {
      'src/b.txt': 'new\n',
      'deep/er/big.txt': big,
      '-n': "$(touch x) 'q' \"\n",
      empty: '',
      'src/a.py': null,
    };
    const { report, record, answer } = await play({ files, run: 'cat; tr n N <src/b.txt >ran.txt; echo "$HOME"' });
    expect(report.class).toBe('ok');
    expect(record.changed.toSorted()).toEqual(['-n', 'deep/er/big.txt', 'empty', 'ran.txt', 'src/a.py', 'src/b.txt']);
    expect(room.file(report, 'deep/er/big.txt')).toBe(big.trim());
    expect(room.file(report, '-n')).toBe("$(touch x) 'q' \"");
    expect(room.file(report, 'ran.txt')).toBe('New');
    expect(answer).toMatch(/^\/tmp\/home\n```json\n[^`]*"SUCCESS"[^`]*\n```\n$/);
    expect(record.claims).toEqual(['changed_but_not_claimed: ran.txt']);
  });

  test('prints and ends as its play says', async () => {
    const files = { 'src/b.txt': 'new\n' };
    expect((await play({ files, says: 'no block' })).report).toMatchObject({ class: 'invalid' });
    expect((await play({ files, says: block(GOOD) })).report).toMatchObject({ class: 'ok' });
    expect((await play({ files, exit: 7 })).report).toMatchObject({
      class: 'crash',
      reason: 'it ended with exit code 7',
    });
    expect((await play({ files, run: 'echo no >&2; false' })).report).toMatchObject({ class: 'crash' });
  });

  test('plays an answer on a read-only tree', async () => {
    const reviewer: Part = { attempt: { kind: 'answer' }, work: { role: 'reviewer' } };
    expect((await play({}, reviewer)).report).toMatchObject({ class: 'ok', candidate: null });
    expect((await play({ files: { x: 'y' } }, reviewer)).report.class).toBe('crash');
  });

  test('that changes nothing has no candidate', async () => {
    expect((await play({})).report).toMatchObject({ class: 'ok', candidate: null });
  });
});
