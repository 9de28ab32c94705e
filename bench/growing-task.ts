/** (b) One task that grows to 5,000 steps: the last steps cost what the first did, the file stays small, a load is quick. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadProject } from '../src/engine/loading.ts';
import type { WorkerReport } from '../src/engine/ports/hands.ts';
import type { Row } from './support.ts';
import * as bench from './support.ts';

const STEPS = 5_000;
const PART = 1_000;
const BYTES = 200;
const ROUNDS = 3;
const LOADS = 7;
const MB = 1_000_000;

type Round = {
  readonly first: number;
  readonly last: number;
  readonly bytes: number;
  readonly loads: readonly number[];
};

export const growingTask: Row = {
  name: 'b',
  title: `one task of ${STEPS} steps, ${BYTES} bytes each`,
  async run() {
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      rounds.push(await bench.inDirectory((dir) => grow(join(dir, 'log.db'))));
    const growth = bench.median(rounds.map(({ first, last }) => last / first));
    const part = (name: 'first' | 'last') => bench.ms(bench.median(rounds.map((round) => round[name])) / PART);
    const size = bench.median(rounds.map((round) => round.bytes));
    const load = bench.median(rounds.flatMap((round) => round.loads));
    return [
      {
        what: `time of the last ${PART} steps, against the first ${PART}`,
        measured: `${part('last')} against ${part('first')} a step`,
        ...{ ratio: bench.times(growth), goal: 'at most 1.5x (linear)', ok: growth <= 1.5 },
      },
      {
        what: `size of the log, with its write-ahead file`,
        measured: `${(size / MB).toFixed(1)} MB`,
        ...{ ratio: '–', goal: 'below 10 MB', ok: size < 10 * MB },
      },
      {
        what: `opening the log and loading the project while the task is under way`,
        measured: bench.ms(load),
        ...{ ratio: '–', goal: 'below 50 ms', ok: load < 50 },
      },
    ];
  },
};

async function grow(file: string): Promise<Round> {
  const at: number[] = [];
  // One step more than is measured, which never ends: what is closed would not be loaded any more.
  const hands = bench.workerHands(async (effect, _work, { keep, signal }): Promise<WorkerReport> => {
    if (at.push(performance.now()) > STEPS) await new Promise((end) => signal.addEventListener('abort', end));
    return { class: 'ok', answer: await keep(bench.textOf(BYTES, effect.key)) };
  });
  const { engine, close } = await bench.openEngine(file, { hands, slots: 1 });
  await bench.mustSubmit(engine, bench.configure({ max_steps: STEPS + 1 }, 1));
  await bench.mustSubmit(engine, bench.createTask('t-long', bench.chainOf(STEPS + 1)));
  await engine.until(() => at.length > STEPS);
  await close();
  const bytes = [file, `${file}-wal`].reduce((sum, name) => sum + (existsSync(name) ? statSync(name).size : 0), 0);
  const loads: number[] = [];
  for (let n = 0; n < LOADS; n += 1) loads.push(await bench.timed(() => load(file)));
  return { first: at[PART]! - at[0]!, last: at[STEPS]! - at[STEPS - PART]!, bytes, loads };
}

async function load(file: string): Promise<void> {
  const store = await bench.openStore(file);
  const { project } = await loadProject(store, bench.PROJECT);
  await store.close();
  const steps = project.tasks.get('t-long')?.steps.size;
  if (steps !== STEPS + 1) throw new Error(`the load brought ${steps} steps`);
}
