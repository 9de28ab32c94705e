/** (f) How soon a running Supervisor has decided what a second process asked for, while it works at full speed. */
import { join } from 'node:path';
import type { Row } from './support.ts';
import * as bench from './support.ts';

const COMMANDS = 200;
const TASKS = 4;

export const secondProcess: Row = {
  name: 'f',
  title: 'a second process sends a command while the first one works',
  async run() {
    const latencies = await bench.inDirectory((dir) => measure(join(dir, 'log.db')));
    const spread = [50, 99, 100].map((percent) => bench.ms(bench.percentile(latencies, percent)));
    const slow = bench.percentile(latencies, 99);
    return [
      {
        what: `from before the send until decided and durable (${COMMANDS} commands)`,
        measured: `p50 ${spread[0]}, p99 ${spread[1]}, max ${spread[2]}`,
        ...{ ratio: '–', goal: 'p99 below 50 ms', ok: slow < 50 },
      },
    ];
  },
};

async function measure(file: string): Promise<number[]> {
  const hands = bench.workerHands(async (effect, _work, { keep, signal }) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (signal.aborted) return { class: 'interrupted' };
    return { class: 'ok', answer: await keep(bench.textOf(200, effect.key)) };
  });
  const { engine, close } = await bench.openEngine(file, { hands, slots: TASKS });
  await bench.mustSubmit(engine, bench.configure({ max_steps: 50_000 }, TASKS));
  const workflow = bench.chainOf(50_000);
  for (let n = 0; n < TASKS; n += 1) await bench.mustSubmit(engine, bench.createTask(`t-${n}`, workflow));
  const seen = new Map<string, number>();
  engine.observe((_, events) => {
    const now = bench.machineMs();
    for (const { type, cause } of events) if (type === 'goal.set.1') seen.set(cause, now);
  });
  const sender = bench.child('second-process-child.ts', { args: [file, String(COMMANDS)] });
  const sent = await bench.answerOf<readonly (readonly [string, number])[]>(sender);
  await engine.until(() => sent.every(([id]) => seen.has(id)));
  await close();
  return sent.map(([id, at]) => seen.get(id)! - at);
}
