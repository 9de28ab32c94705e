/** (b) One task that grows to 5,000 steps: the last steps cost what the first did, the file stays small, a load is quick. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { loadProject } from '../src/engine/loading.ts';
import type { WorkerReport } from '../src/engine/ports/hands.ts';
import type { Row } from './support.ts';
import * as bench from './support.ts';

const STEPS = 5_000;
const PART = 1_000;
const BYTES = 200;
const WARM = 300;
const LOADS = 15;
const MB = 1_000_000;

/** When a step began: on the wall, and in processor time, which does not see how busy the disk is. */
type Moment = { readonly wall: number; readonly cpu: number };

export const growingTask: Row = {
  name: 'b',
  title: `one task of ${STEPS} steps, ${BYTES} bytes each`,
  async run() {
    await bench.inDirectory((dir) => grow(join(dir, 'log.db'), WARM));
    return bench.inDirectory(async (dir) => {
      const file = join(dir, 'log.db');
      const at = await grow(file, STEPS);
      const between = (from: number, to: number, what: keyof Moment) => (at[to]![what] - at[from]![what]) / (to - from);
      const growth = between(STEPS - PART, STEPS, 'cpu') / between(0, PART, 'cpu');
      const walls = [between(STEPS - PART, STEPS, 'wall'), between(0, PART, 'wall')].map(bench.ms);
      const size = sizeOf(file) + sizeOf(`${file}-wal`);
      const loads: number[] = [];
      for (let n = 0; n < LOADS; n += 1) loads.push(await bench.timed(() => load(file)));
      return [
        {
          what: `processor time of the last ${PART} steps, against the first ${PART}`,
          measured: `${walls[0]} against ${walls[1]} a step on the wall`,
          ...{ ratio: bench.times(growth), goal: 'at most 1.5x (linear)', ok: growth <= 1.5 },
        },
        {
          what: 'size of the log, with its write-ahead file',
          measured: `${(size / MB).toFixed(1)} MB`,
          ...{ ratio: '–', goal: 'below 10 MB', ok: size < 10 * MB },
        },
        {
          what: 'opening the log and loading the project while the task is under way',
          measured: bench.ms(bench.median(loads)),
          ...{ ratio: '–', goal: 'below 50 ms', ...bench.withinLimit(bench.median(loads), 50) },
        },
      ];
    });
  },
};

/** Runs a task of so many steps, and one more that never ends: what is closed would not be loaded any more. */
async function grow(file: string, steps: number): Promise<Moment[]> {
  const at: Moment[] = [];
  const { promise: last, resolve: reached } = Promise.withResolvers<void>();
  const hands = bench.workerHands(async (effect, _work, { keep, signal }): Promise<WorkerReport> => {
    const { user, system } = process.cpuUsage();
    at.push({ wall: performance.now(), cpu: (user + system) / 1_000 });
    if (at.length > steps) {
      reached();
      await new Promise((end) => signal.addEventListener('abort', end));
      // An engine that is closed still records what its workers report: the task would be done.
      return { class: 'interrupted' };
    }
    return { class: 'ok', answer: await keep(bench.textOf(BYTES, effect.key)) };
  });
  const { engine, close } = await bench.openEngine(file, { hands, slots: 1 });
  await bench.mustSubmit(engine, bench.configure({ max_steps: steps + 1 }, 1));
  await bench.mustSubmit(engine, bench.createTask('t-long', bench.chainOf(steps + 1)));
  await Promise.race([last, engine.failure]);
  await close();
  return at;
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

async function load(file: string): Promise<void> {
  const store = await bench.openStore(file);
  const { project } = await loadProject(store, bench.PROJECT);
  await store.close();
  const steps = project.tasks.get('t-long')?.steps.size;
  if (steps !== STEPS + 1) throw new Error(`the load brought ${steps} steps`);
}
