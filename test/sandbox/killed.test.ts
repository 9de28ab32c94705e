/** PR-20: Supervisor killed with SIGKILL, while a sandbox starts or runs: nothing of it survives, and the rest is swept. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isOurs } from '../../src/hands/sandbox/shared/users.ts';
import { processes, processesOfUser } from '../../src/os/process/table.ts';
import { Box, groups } from './box.ts';
import { setup } from './setup.ts';

const SUPERVISOR = fileURLToPath(new URL('../fixtures/programs/run-sandboxed.ts', import.meta.url));

/** Started and told when it is about to start its sandboxes. */
async function supervisor(dir: string, count: number) {
  const child = spawn(process.execPath, [SUPERVISOR, dir, `${count}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return {
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Processes of any user that have the directory in their command line, their root or their working directory. */
const of = (dir: string): number[] =>
  processes().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/mountinfo`, 'utf8').includes(dir) && pid !== process.pid;
    } catch {
      return false;
    }
  });

/** Their trees belong to the user they ran as. */
const alive = (dir: string): number[] => [
  ...of(dir),
  ...readdirSync(dir)
    .filter((name) => name.startsWith('tree-'))
    .map((name) => statSync(join(dir, name)).uid)
    .filter(isOurs)
    .flatMap(processesOfUser),
];

const beats = (dir: string, index = 0): string => {
  const path = join(dir, `tree-${index}/beat.txt`);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};

test('30 kills, 0 to 58 ms into a start', async () => {
  const dirs: string[] = [];
  const kill = async (delay: number) => {
    const dir = mkdtempSync(join(tmpdir(), 'supervisor-killed-'));
    dirs.push(dir);
    const running = await supervisor(dir, 1);
    await sleep(delay);
    await running.kill();
  };
  for (let delay = 0; delay < 30; delay += 2) await Promise.all([kill(2 * delay), kill(2 * delay + 2)]);
  await expect.poll(() => dirs.flatMap(alive), { timeout: 60_000 }).toEqual([]);
  const before = dirs.map((dir) => beats(dir));
  await sleep(300);
  expect(dirs.map((dir) => beats(dir))).toEqual(before);
  for (const dir of dirs) {
    await setup(dir).sandbox.sweep();
    expect(readdirSync(join(dir, 'run/runs'))).toEqual([]);
    rmSync(dir, { recursive: true });
  }
});

test('a kill with four sandboxes at work, and the sweep that follows', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'supervisor-killed-'));
  const running = await supervisor(dir, 4);
  await expect.poll(() => [0, 1, 2, 3].every((index) => beats(dir, index) !== ''), { timeout: 60_000 }).toBe(true);
  expect(alive(dir).length).toBeGreaterThanOrEqual(4);
  // Somebody else's sweep does not touch the runs of one that lives.
  expect(await setup(dir).sandbox.sweep()).toEqual({ removed: 0 });
  expect(alive(dir).length).toBeGreaterThanOrEqual(4);
  await running.kill();
  await expect.poll(() => alive(dir), { timeout: 60_000 }).toEqual([]);
  const notes = readdirSync(join(dir, 'run/runs')).map((name) => name.replace('.json', ''));
  expect(notes).toHaveLength(4);
  await setup(dir).sandbox.sweep();
  expect(groups().filter((name) => notes.includes(name))).toEqual([]);
  expect(readdirSync(join(dir, 'run/runs'))).toEqual([]);
  rmSync(dir, { recursive: true });
});

test('without the sandbox the same program lives on', async () => {
  await using box = new Box();
  const program = `import { spawn } from 'node:child_process';
    const child = spawn('sh', [process.argv[1]], { cwd: process.argv[2], stdio: 'ignore' });
    console.log(child.pid);
    setInterval(() => {}, 1000);`;
  const tree = join(box.dir, 'tree-0');
  mkdirSync(tree);
  const beat = fileURLToPath(new URL('../fixtures/programs/hostile/beat.sh', import.meta.url));
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, beat, tree], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = Number(await new Promise((resolve) => child.stdout.once('data', resolve)));
  child.kill('SIGKILL');
  await sleep(300);
  const before = beats(box.dir);
  await expect.poll(() => beats(box.dir) !== before, { timeout: 60_000 }).toBe(true);
  process.kill(pid, 'SIGKILL');
});
