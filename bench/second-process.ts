/** (f) How soon a running Supervisor has decided what a second process asked for, while it works at full speed. */
import { join } from 'node:path';
import type { Row } from './support.ts';
import * as bench from './support.ts';

const COMMANDS = 200;
const TASKS = 4;

/** What the second process tells at its end: when it sent what, and how long the disk took beside it. */
export type Sent = { readonly sent: readonly (readonly [string, number])[]; readonly disk: readonly number[] };

export const secondProcess: Row = {
  name: 'f',
  title: 'a second process sends a command while the first one works',
  async run() {
    const { latencies, disk } = await bench.inDirectory((dir) => measure(dir));
    const spread = (values: readonly number[]) =>
      `p50 ${bench.ms(bench.median(values))}, p99 ${bench.ms(bench.percentile(values, 99))}, max ${bench.ms(Math.max(...values))}`;
    const slow = bench.percentile(latencies, 99);
    return [
      {
        what: `from before the send until decided and durable (${COMMANDS} commands); it takes two syncs and a poll each 15 ms`,
        measured: `${spread(latencies)} (one fdatasync beside it: ${spread(disk)})`,
        ...{ ratio: '–', goal: 'p99 below 50 ms', ...bench.withinLimit(slow, 50) },
      },
    ];
  },
};

async function measure(dir: string): Promise<{ latencies: number[]; disk: readonly number[] }> {
  const file = join(dir, 'log.db');
  const hands = bench.workerHands(async (effect, _work, { keep, signal }) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (signal.aborted) return { class: 'interrupted' };
    return { class: 'ok', answer: await keep(bench.textOf(200, effect.key)) };
  });
  const { engine, close } = await bench.openEngine(file, { hands, slots: TASKS });
  await bench.mustSubmit(engine, bench.configure({ max_steps: 5_000 }, TASKS));
  const workflow = bench.chainOf(5_000);
  for (let n = 0; n < TASKS; n += 1) await bench.mustSubmit(engine, bench.createTask(`t-${n}`, workflow));
  const seen = new Map<string, number>();
  engine.observe((_, events) => {
    const now = bench.machineMs();
    for (const { type, cause } of events) if (type === 'goal.set.1') seen.set(cause, now);
  });
  const sender = bench.child('second-process-child.ts', { args: [dir, String(COMMANDS)] });
  const { sent, disk } = await bench.answerOf<Sent>(sender);
  await engine.until(() => sent.every(([id]) => seen.has(id)));
  await close();
  return { latencies: sent.map(([id, at]) => seen.get(id)! - at), disk };
}
