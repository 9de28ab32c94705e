/** The first process of a sandbox is out of reach of what it runs: nothing inside changes how a run is said to have ended. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SandboxError } from '../../src/engine/ports/sandbox.ts';
import { endOf } from '../../src/hands/sandbox/shared/combined-end.ts';
import { Report } from '../../src/hands/sandbox/shared/output.ts';
import { withServices } from '../../src/mind/gates/services.ts';
import { REACHED_FIX } from '../../src/mind/sandbox/first-process.ts';
import { Box } from './box.ts';
import { ATTACKS, controlIn, forge, lookedAt, WITHOUT } from './forging.ts';

test.each(Object.entries(ATTACKS))(
  'a program that ends with 1 and attacks by %s does not end with 0',
  async (attack, wanted) => {
    await using box = new Box();
    const { end, said } = await forge(box.sandbox, box.policy, attack);
    expect(said).toMatch(wanted.said);
    expect(end).toMatch(wanted.end);
  },
);

test.each(['memory', 'vm', 'ptrace', 'shell', 'race'])(
  'without the copy of the shell an attack by %s makes it end with 0',
  // A race is not won every time.
  { retry: 5 },
  async (attack) => {
    await using box = new Box();
    await using open = new Box({ bwrap: controlIn(box.dir) });
    const { end, said } = await forge(open.sandbox, open.policy, attack);
    expect(said).toMatch(WITHOUT.said);
    expect(end).toBe(`exit ${WITHOUT.code}`);
  },
);

test('a first process that can be reached starts nothing', async () => {
  await using box = new Box();
  await using open = new Box({ bwrap: controlIn(box.dir, true) });
  await expect(open.sandbox.probe()).resolves.toMatchObject({
    ready: false,
    problem: expect.stringContaining('programs inside can reach the first process'),
    fix: REACHED_FIX,
  });
});

test('the copy of the shell is read-only under every name', async () => {
  await using box = new Box();
  const { said, end } = await forge(box.sandbox, box.policy, 'file');
  expect(said.split('\n')).toEqual([
    'file: chmod: Read-only file system',
    'file: write: Permission denied',
    'file: unlink: Read-only file system',
    'file: chmod: Permission denied',
    'file: write: Permission denied',
    'file: unlink: Operation not permitted',
    'file: chmod: Permission denied',
    '',
  ]);
  expect(end).toBe('exit 1');
});

test('/proc/1 takes no writes and tells no path of the host', async () => {
  await using box = new Box();
  await using open = new Box({ bwrap: controlIn(box.dir) });
  const look = async ({ sandbox, policy, dir }: Box) => lookedAt((await forge(sandbox, policy, 'look')).said, dir);
  const [closed, control] = [await look(box), await look(open)];
  expect(closed.took).toEqual([]);
  expect(closed.told).toEqual([]);
  expect(control.told).toEqual(expect.arrayContaining(['fd']));
  expect(control.took).toEqual(expect.arrayContaining(['oom_score_adj', 'coredump_filter']));
});

test('a program learns the place of its workspace only from tables of mounts of its own processes', async () => {
  await using box = new Box();
  const tables = await box.play(['sh', '-c', 'cat /proc/1/mount* /proc/1/task/1/mount* 2>&1; true']);
  expect(tables.stdout).not.toContain(box.dir);
  expect(tables.stdout.trim().split('\n')).toEqual(Array(5).fill(expect.stringMatching(/Permission denied$/)));
  // The control, and what is not promised: the kernel shows every process its own.
  expect((await box.play(['cat', '/proc/self/mountinfo'])).stdout).toContain(box.dir);
  expect((await box.play(['sh', '-c', 'umount /proc/1/mountinfo; cat /proc/1/mountinfo'])).stdout).toBe('');
});

test('variables by which a loader takes in code reach the program, and not the first process', async () => {
  await using box = new Box();
  // The loader of every process that is started with these writes a file, named by the number of the process.
  const env = { ...box.policy.env, LD_DEBUG: 'libs', LD_DEBUG_OUTPUT: '/workspace/loaded' };
  expect((await box.play(['sh', '-c', 'ls >/dev/null; exit 1'], { policy: { env } })).end).toEqual({
    how: 'exit',
    code: 1,
  });
  const loaded = readdirSync(box.tree).filter((name) => name.startsWith('loaded.'));
  expect(loaded).toHaveLength(2);
  expect(loaded).not.toContain('loaded.1');
});

test('a service cannot change how the gate beside it ends', async () => {
  await using box = new Box();
  await using open = new Box({ bwrap: controlIn(box.dir) });
  const service = {
    name: 'db',
    command: ['perl', '/programs/forge.pl', 'service'],
    ready: 'test -e /tmp/done',
    env: {},
  };
  const argv = withServices(['sh', '-c', 'cat /tmp/services/db.log; exit 1'], [service], 'nonce');
  expect(await box.play(argv)).toMatchObject({
    end: { how: 'exit', code: 1 },
    stdout: 'service: maps: Permission denied\nservice: write: Permission denied\n',
  });
  expect(await open.play(argv)).toMatchObject({
    end: { how: 'exit', code: WITHOUT.code },
    stdout: expect.stringMatching(WITHOUT.said),
  });
});

test.each([
  ['ready\nend 1 0\n', 1, { how: 'exit', code: 1 }],
  ['ready\nKilled\nend 137 2\n', 137, { how: 'signal', signal: 'SIGKILL' }],
  ['ready\nend 0 0\n', 1, null],
  ['ready\nend 1 0\n', 0, null],
  ['ready\nend 0 0\nend 1 0\n', 1, null],
  ['ready\nend 0 0\nend 0 0\n', 0, null],
  ['ready\nend 0 0\nx', 0, null],
  ['ready\n', 0, null],
  ['end 0 0\n', 0, null],
  [`ready\n${'x'.repeat(600)}\nend 0 0\n`, 0, null],
  ['ready\nend 0 0\n', null, null],
])('what was reported and what was waited for have to agree: %j and %j', (text, code, wanted) => {
  const report = new Report();
  for (const letter of text) report.add(Buffer.from(letter));
  const end = () => endOf(report, code, code === null ? 'SIGKILL' : null);
  if (wanted === null) expect(end).toThrow(SandboxError);
  else expect(end()).toEqual(wanted);
});
