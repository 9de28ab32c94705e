/** PR-20 in a container: Supervisor killed with SIGKILL. No container dies with its parent by itself. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test as vitestTest } from 'vitest';
import { childrenOf } from '../../src/os/process/table.ts';
import { untested } from '../support/untested.ts';
import { containerSetup, makePodman, podmanProblem, processesWith } from './container-box.ts';

const SUPERVISOR = fileURLToPath(new URL('../fixtures/programs/run-contained.ts', import.meta.url));
const BEAT = 'while :; do echo beat >>beat.txt; sleep 0.1; done';
/** Everybody inside but itself and the first process: also the one that listens for Supervisor. */
const ALONE = `kill -KILL -1; ${BEAT}`;

const skipped = untested('sandboxes by containers', await podmanProblem());
const test = vitestTest.skipIf(skipped);
let podman: ReturnType<typeof makePodman>;
beforeAll(() => {
  if (skipped) return;
  podman = makePodman();
});
afterAll(() => podman?.[Symbol.dispose]());

const containers = (): string[] => podman.run('ps', '--all', '--format', '{{.Names}}').split('\n').filter(Boolean);
const beats = (dir: string): number => {
  const path = join(dir, 'tree/beat.txt');
  return existsSync(path) ? readFileSync(path, 'utf8').length : 0;
};

class Victim implements Disposable {
  readonly dir = mkdtempSync(join(tmpdir(), 'supervisor-killed-'));
  readonly #child: ChildProcess;

  constructor(program: string) {
    chmodSync(this.dir, 0o711);
    const args = [SUPERVISOR, podman.dir, this.dir, program];
    this.#child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  }

  starting(): Promise<unknown> {
    return new Promise((resolve) => this.#child.stdout?.once('data', resolve));
  }

  async beating(): Promise<void> {
    await expect.poll(() => beats(this.dir), { timeout: 60_000 }).toBeGreaterThan(0);
  }

  /** The guard is the child that runs a shell. */
  async kill(guardToo: boolean): Promise<void> {
    const isGuard = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith('/bin/sh\0-c\0');
    const guards = childrenOf(this.#child.pid ?? 0).filter(isGuard);
    if (guardToo) expect(guards).toHaveLength(1);
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    for (const pid of guardToo ? guards : []) process.kill(pid, 'SIGKILL');
    this.#child.kill('SIGKILL');
    await gone;
  }

  async ended(): Promise<void> {
    await expect.poll(() => processesWith(podman.dir), { timeout: 60_000 }).toEqual([]);
    expect(containers()).toEqual([]);
    const before = beats(this.dir);
    await sleep(300);
    expect(beats(this.dir)).toBe(before);
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
    rmSync(this.dir, { recursive: true, force: true });
  }
}

test('its container ends by itself, even if no process outside is left to end it', async () => {
  using victim = new Victim(BEAT);
  await victim.beating();
  await victim.kill(true);
  await victim.ended();
});

test('a program that killed who listens inside is ended from outside', async () => {
  using victim = new Victim(ALONE);
  await victim.beating();
  await victim.kill(false);
  await victim.ended();
});

test('with neither of them it lives on, until the next Supervisor sweeps', async () => {
  using victim = new Victim(ALONE);
  await victim.beating();
  const { sandbox } = containerSetup(podman, victim.dir);
  // Not those of one that lives.
  expect(await sandbox.sweep()).toEqual({ removed: 0 });
  await victim.kill(true);
  const before = beats(victim.dir);
  await expect.poll(() => beats(victim.dir), { timeout: 60_000 }).toBeGreaterThan(before);
  expect(await sandbox.sweep()).toEqual({ removed: 1 });
  await victim.ended();
});

test('killed while the engine starts the container: nothing runs, and the sweep takes the rest', async () => {
  const kill = async (delay: number) => {
    using victim = new Victim(BEAT);
    await victim.starting();
    await sleep(delay);
    await victim.kill(false);
    await expect.poll(() => processesWith(victim.dir), { timeout: 60_000 }).toEqual([]);
    await containerSetup(podman, victim.dir).sandbox.sweep();
    await victim.ended();
    for (const name of ['run/containers', 'run'].filter((each) => existsSync(join(victim.dir, each))))
      expect(readdirSync(join(victim.dir, name)).filter((each) => /^(?:supervisor|pipes)-/.test(each))).toEqual([]);
  };
  for (const delay of [150, 350, 550]) await kill(delay);
});
