/** Kills a real task (workspace, sandbox, capture, gate, commit) at chosen points or times, and looks at what a resume makes of it. */
import { availableParallelism } from 'node:os';
import { expect } from 'vitest';
import { passedFailpoints, placeOf } from './failpoints.ts';
import { RealWork } from './real-work.ts';

const LANES = Math.max(2, availableParallelism());

export type FaultFree = {
  readonly names: readonly string[];
  readonly tree: string;
  readonly ms: number;
  /** The same work again. */
  readonly make: () => RealWork;
};

export async function faultFree(make = () => new RealWork()): Promise<FaultFree> {
  using work = make();
  const began = performance.now();
  const { code, stdout, stderr } = await work.run({ SUPERVISOR_FAILPOINT: '-1' });
  expect(code, stderr).toBe(0);
  const names = passedFailpoints(stderr);
  expect(names.length).toBeGreaterThan(60);
  return { names, tree: work.check(JSON.parse(stdout), null), ms: performance.now() - began, make };
}

/** Kill -9 at each of these points (the first is 1), then resume: same tree, one commit, nothing lost, doubled or left. */
export async function strike(points: readonly number[], { names, tree, make }: FaultFree): Promise<void> {
  const failures: string[] = [];
  await inLanes(points, async (n) => {
    using work = make();
    try {
      const killed = await work.run({ SUPERVISOR_FAILPOINT: placeOf(names, n) });
      // How often the inbox is looked at depends on how busy the machine is.
      if (killed.signal === null && /^drain/.test(names[n - 1] ?? '')) return;
      expect(killed.signal, killed.stderr).toBe('SIGKILL');
      await work.recover(tree);
    } catch (error) {
      failures.push(`failpoint ${n} (${names[n - 1]}): ${(error as Error).message}`);
    }
  });
  const struck = new Map<string, number>();
  for (const n of points) struck.set(names[n - 1] ?? '', (struck.get(names[n - 1] ?? '') ?? 0) + 1);
  const told = [...struck].map(([name, count]) => `${name} x${count}`).join(', ');
  console.log(`real crash matrix: ${points.length} of ${names.length} points: ${told}`);
  expect(failures).toEqual([]);
}

/** Kill -9 after so many milliseconds; spread over the whole run by the golden ratio. */
export async function killAtTimes(count: number, { tree, ms, make }: FaultFree): Promise<void> {
  const failures: string[] = [];
  let hits = 0;
  await inLanes(
    Array.from({ length: count }, (_, n) => Math.round(((n * 0.618_034) % 1) * ms)),
    async (planned) => {
      // One that came too late, as the machine is quicker now, is tried again after half as long.
      for (let [after, isHit] = [planned, false]; !isHit; after = Math.floor(after / 2)) {
        using work = make();
        try {
          const run = work.start();
          await new Promise((resolve) => setTimeout(resolve, after));
          run.child.kill('SIGKILL');
          const { signal } = await run.done;
          isHit = signal === 'SIGKILL';
          if (!isHit) continue;
          hits += 1;
          await work.recover(tree);
        } catch (error) {
          failures.push(`killed after ${after} ms: ${(error as Error).message}`);
          return;
        }
      }
    },
  );
  expect(failures).toEqual([]);
  expect(hits).toBe(count);
}

export async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let n = next++; n < items.length; n = next++) await work(items[n] as T);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
