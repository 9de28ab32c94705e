/** What a program gets at its start: its words, its environment, its input, its groups and its tree. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findPlaces } from '../../src/hands/sandbox/bubblewrap/control-group.ts';
import { isOurs } from '../../src/hands/sandbox/shared/users.ts';
import { FIRST_PREFIX } from '../../src/mind/sandbox/first-process.ts';
import { untested } from '../support/untested.ts';
import { Box, groups, UNTIL_SEEN } from './box.ts';
import { MIB } from './setup.ts';

const NO_GROUP = Object.keys(findPlaces().at).length > 0 ? null : 'this user has no control group to make others in';
const noGroup = untested('control groups of sandboxes', NO_GROUP);

/** Processes in a group, of every kind of group. */
const members = (name: string): number[] => [
  ...new Set(
    Object.values(findPlaces().at).flatMap((dir) => {
      const path = join(dir, name, 'cgroup.procs');
      return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean).map(Number) : [];
    }),
  ),
];

const ODD = ['', ' ', '-n', '--', 'a b', '$HOME', '`id`', "'", '"', '\\', 'a\nb', '\n', '*', 'ü', '$(id)', '%s', '!'];

test('words of every kind come as they are, and the environment is the one named', async () => {
  await using box = new Box();
  const args = [...ODD, ...Array.from({ length: 30 }, (_, index) => `word ${index}`)];
  const played = await box.play(['node', '-e', 'console.log(JSON.stringify(process.argv.slice(1)))', '--', ...args]);
  expect(JSON.parse(played.stdout)).toEqual(args);
  const env = { PATH: '/usr/bin:/bin', go: '1', n: '2', user: '3', input: '4', code: '5', line: 'a\nb', COUNT: '7' };
  const named = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const { stdout } = await box.play(['env', '-0'], { policy: { env } });
  expect(stdout.split('\0').filter(Boolean).sort()).toEqual(named.sort());
});

test('many words, long words and a large environment', async () => {
  await using box = new Box();
  const count = ['sh', '-c', 'echo $# $(printf %s "$LARGE" | wc -c); printf %s "$1" | wc -c', 'sh'] as const;
  const env = { PATH: '/usr/bin:/bin', LARGE: 'x'.repeat(90_000) };
  const many = Array.from({ length: 4000 }, (_, index) => `${index}`);
  expect((await box.play([...count, ...many])).stdout).toBe('4000 0\n1\n');
  expect((await box.play([...count, 'y'.repeat(120_000)])).stdout).toBe('1 0\n120000\n');
  expect((await box.play([...count, 'z'.repeat(70_000)], { policy: { env } })).stdout).toBe('1 90000\n70000\n');
  expect((await box.play([...count, 'z'], { policy: { env } })).stdout).toBe('1 90000\n1\n');
});

test('input, none or some, small or large', async () => {
  await using box = new Box();
  const look = ['sh', '-c', 'readlink /proc/self/fd/0; wc -c </dev/stdin; wc -c'] as const;
  expect((await box.play(look)).stdout).toBe('/dev/null\n0\n0\n');
  expect((await box.play(['cat', '-'], { input: 'a\0b\n' })).stdout).toBe('a\0b\n');
  expect((await box.play(['wc', '-c'], { input: 'x'.repeat(3 * MIB) })).stdout).toBe(`${3 * MIB}\n`);
});

test.skipIf(noGroup)('the program is a member of every group from its first moment, and its limits hold', async () => {
  await using box = new Box();
  const places = findPlaces();
  let seen: string[] = [];
  await box.play(['sh', '-c', `sleep 30 & echo $$; ${UNTIL_SEEN}; kill $!`], {
    onOutput: () => {
      const [name = ''] = groups().filter((each) => each.includes(`-${process.pid}-`));
      seen = members(name).map((pid) => readFileSync(`/proc/${pid}/cgroup`, 'utf8'));
      box.seen();
    },
  });
  // At least the first process, the shell and its child.
  expect(seen.length).toBeGreaterThanOrEqual(3);
  const groupsIn = (text: string) => text.split('\n').filter((line) => line.includes('supervisor-sandbox-')).length;
  expect(new Set(seen.map(groupsIn))).toEqual(new Set([new Set(Object.values(places.at)).size]));
  if (places.at.pids === undefined || places.at.memory === undefined) return;
  const forks = await box.play(['forks.sh'], { limits: { processes: 24 } });
  expect(forks.end).toEqual({ how: 'limit', limit: 'processes' });
  const grow = await box.play(['grow.mjs'], { limits: { memoryBytes: 128 * MIB } });
  expect(grow.end).toEqual({ how: 'limit', limit: 'memory' });
  // As many as are allowed: neither the sandbox nor its first process is counted as one of the program's.
  const few = 'sleep 0.2 & sleep 0.2 & sleep 0.2 & wait; echo all';
  expect((await box.play(['sh', '-c', few], { limits: { processes: 4 } })).stdout).toBe('all\n');
});

test('several at once', async () => {
  await using box = new Box();
  await box.play(['true']);
  const all = Array.from({ length: 6 }, (_, index) => {
    const from = join(box.dir, `tree-${index}`);
    mkdirSync(from);
    const writable = [{ from, to: '/workspace' }];
    return box.play(['sh', '-c', 'sleep 0.1; echo "$0"', `${index}`], { policy: { writable } });
  });
  expect((await Promise.all(all)).map(({ stdout }) => stdout)).toEqual(['0\n', '1\n', '2\n', '3\n', '4\n', '5\n']);
});

test('a read-only tree of ours that only root may read is given to the user; tool chains stay as they are', async () => {
  await using box = new Box();
  const [tree, tools, elsewhere] = [join(box.state, 'tree'), join(box.state, 'tools'), join(box.dir, 'elsewhere')];
  for (const dir of [tree, tools, elsewhere]) {
    mkdirSync(dir, { mode: 0o700 });
    writeFileSync(join(dir, 'file'), 'text', { mode: 0o600 });
  }
  const look = (from: string) =>
    box.play(['sh', '-c', 'cat file; cat /tools/file; echo x >file'], {
      policy: {
        writable: [],
        readable: [...box.policy.readable, { from: tools, to: '/tools' }, { from, to: '/workspace' }],
      },
    });
  const root = process.getuid?.() === 0;
  const played = await look(tree);
  expect(played.stdout).toBe(root ? 'text' : 'texttext');
  expect(played.stderr).toMatch(/Read-only/);
  const owners = [tree, join(tree, 'file')].map((path) => statSync(path).uid);
  expect(owners.every(isOurs)).toBe(root);
  expect([tools, join(tools, 'file')].map((path) => statSync(path).uid)).toEqual([
    process.getuid?.(),
    process.getuid?.(),
  ]);
  // Not hidden, so not ours to give away: the positive control.
  const other = look(elsewhere);
  if (root) await expect(other).rejects.toThrow(/could not be built/);
  else expect((await other).stdout).toBe('texttext');
  expect(statSync(elsewhere).uid).toBe(process.getuid?.());
});

test('variables of the first process cannot be named', async () => {
  await using box = new Box();
  const env = { [`${FIRST_PREFIX}0`]: 'sh' };
  await expect(box.play(['true'], { policy: { env } })).rejects.toThrow(/cannot be set/);
});

test('a run that was stopped before its start starts nothing', async () => {
  await using box = new Box();
  const stop = new AbortController();
  const played = box.play(['touch', 'ran'], { signal: stop.signal });
  stop.abort();
  expect((await played).end).toEqual({ how: 'aborted' });
  expect(existsSync(join(box.tree, 'ran'))).toBe(false);
});
