/** OF-01, OF-02, PR-20: kill -9 at every failpoint of a real task (workspace, sandbox, capture, gate, commit), then resume. */
import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { RealWork } from './real-work.ts';

const LANES = Math.max(2, availableParallelism());

test('for every failpoint n: kill -9 at n, resume: same tree, one commit, nothing lost, doubled or left behind', {
  timeout: 600_000,
}, async () => {
  const { points, tree } = await faultFree();
  const failures: string[] = [];
  const names = new Map<string, number>();
  let next = 1;
  const lane = async () => {
    for (let n = next++; n <= points; n = next++) {
      using work = new RealWork();
      try {
        const killed = await work.run({ SUPERVISOR_FAILPOINT: String(n) });
        expect(killed.signal, killed.stderr).toBe('SIGKILL');
        const name = /failpoint \d+: (.+)/.exec(killed.stderr)?.[1] ?? 'unnamed';
        names.set(name, (names.get(name) ?? 0) + 1);
        await work.recover(tree);
      } catch (error) {
        failures.push(`failpoint ${n}: ${(error as Error).message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  console.log(`real crash matrix: ${points} points: ${[...names].map(([name, n]) => `${name} x${n}`).join(', ')}`);
  expect(failures).toEqual([]);
  for (const name of [
    ...['capture.surveyed', 'capture.hashed', 'capture.transferred', 'capture.pinned', 'capture.released'],
    ...['publish.committed', 'publish.transferred', 'publish.pinned', 'publish.branched', 'publish.released'],
    ...['effect.before worker.run', 'effect.after gate.run', 'effect.before candidate.apply', 'append.inside'],
  ]) {
    expect([...names.keys()]).toContain(name);
  }
});

test('30 kills at random times: same tree, one commit, nothing left behind', { timeout: 400_000 }, async () => {
  const { tree, ms } = await faultFree();
  const failures: string[] = [];
  let next = 0;
  const lane = async () => {
    for (let n = next++; n < 30; n = next++) {
      using work = new RealWork();
      // Spread over the whole run by the golden ratio: every test run strikes the same spots of a clock that never is.
      const after = Math.round(((n * 0.618_034) % 1) * ms);
      try {
        const run = work.start();
        await new Promise((resolve) => setTimeout(resolve, after));
        run.child.kill('SIGKILL');
        const { signal } = await run.done;
        if (signal === 'SIGKILL') await work.recover(tree);
      } catch (error) {
        failures.push(`killed after ${after} ms: ${(error as Error).message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  expect(failures).toEqual([]);
});

async function faultFree(): Promise<{ points: number; tree: string; ms: number }> {
  using work = new RealWork();
  const began = performance.now();
  const { code, stdout, stderr } = await work.run({ SUPERVISOR_FAILPOINT: '-1' });
  expect(code, stderr).toBe(0);
  const points = Number(/failpoints passed: (\d+)/.exec(stderr)?.[1]);
  expect(points).toBeGreaterThan(60);
  return { points, tree: work.check(JSON.parse(stdout), null), ms: performance.now() - began };
}
