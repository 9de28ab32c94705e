/** The container backend under more of everything: kills at many moments, four at once, a gibibyte of output. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test as vitestTest } from 'vitest';
import { untested } from '../support/untested.ts';
import { ContainerBox, containerSetup, makePodman, podmanProblem, processesWith } from './container-box.ts';
import { MIB } from './setup.ts';

const SUPERVISOR = fileURLToPath(new URL('../fixtures/programs/run-contained.ts', import.meta.url));

const skipped = untested('sandboxes by containers', await podmanProblem());
const test = vitestTest.skipIf(skipped);
let podman: ReturnType<typeof makePodman>;
beforeAll(() => {
  if (skipped) return;
  podman = makePodman();
});
afterAll(() => podman?.[Symbol.dispose]());

const containers = (): string => podman.run('ps', '--all', '--format', '{{.Names}}');

test('24 kills, 0 to 1150 ms into a run', { timeout: 300_000 }, async () => {
  for (let delay = 0; delay < 1200; delay += 50) {
    const dir = mkdtempSync(join(tmpdir(), 'supervisor-killed-'));
    chmodSync(dir, 0o711);
    const child = spawn(process.execPath, [SUPERVISOR, podman.dir, dir, 'sleep 600'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const gone = new Promise((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await sleep(delay);
    child.kill('SIGKILL');
    await gone;
    await expect.poll(() => processesWith(podman.dir), { timeout: 60_000 }).toEqual([]);
    await containerSetup(podman, dir).sandbox.sweep();
    expect(containers(), `killed after ${delay} ms`).toBe('');
    rmSync(dir, { recursive: true });
  }
});

test('four at once', { timeout: 120_000 }, async () => {
  const played = await Promise.all(
    Array.from({ length: 4 }, async (_, index) => {
      using box = new ContainerBox(podman);
      return await box.play(['sh', '-c', `id -u; exit ${index}`]);
    }),
  );
  expect(played.map(({ end }) => end)).toEqual([0, 1, 2, 3].map((code) => ({ how: 'exit', code })));
  expect(new Set(played.map(({ stdout }) => stdout)).size).toBe(4);
  expect(containers()).toBe('');
});

test('a gibibyte of output costs no memory and no disk, and not a byte too much is passed on', {
  timeout: 120_000,
}, async () => {
  using box = new ContainerBox(podman);
  const before = process.memoryUsage.rss();
  let passed = 0;
  const { end } = await box.sandbox.run({
    argv: ['head', '-c', `${2 * 1024 * MIB}`, '/dev/zero'],
    policy: { ...box.policy, limits: { ...box.policy.limits, outputBytes: 1024 * MIB, wallMs: 100_000 } },
    input: '',
    onOutput: (_, bytes) => {
      passed += bytes.length;
    },
    signal: new AbortController().signal,
  });
  expect(end).toEqual({ how: 'limit', limit: 'output' });
  expect(passed).toBe(1024 * MIB);
  expect(process.memoryUsage.rss() - before).toBeLessThan(200 * MIB);
});

test('an argument of a hundred thousand bytes and five hundred arguments', async () => {
  using box = new ContainerBox(podman);
  const long = 'é\\\n'.repeat(25_000);
  const words = Array.from({ length: 500 }, (_, index) => `word ${index}`);
  const program = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
  const played = await box.play(['node', '-e', program, '--', long, ...words]);
  expect(played.end, played.stderr).toEqual({ how: 'exit', code: 0 });
  expect(JSON.parse(played.stdout)).toEqual([long, ...words]);
});
