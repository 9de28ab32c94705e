/** The process that (e) measures: it does nothing but run tasks, and collects garbage before it looks. */
import * as bench from './support.ts';

const [file = '', early, tasks] = process.argv.slice(2);
const hands = bench.workerHands(async (effect, _work, context) => ({
  class: 'ok',
  answer: await context.keep(bench.textOf(200, effect.key)),
}));
const { engine, close } = await bench.openEngine(file, { hands, slots: 1 });
const workflow = bench.chainOf(1);
const heap: number[] = [];
for (let n = 1; n <= Number(tasks); n += 1) {
  const closed = bench.closedTasks(engine, 1);
  await bench.mustSubmit(engine, bench.createTask(`t-${n}`, workflow));
  await closed;
  if (n === Number(early) || n === Number(tasks)) heap.push(await heapInUse());
}
await close();
process.send?.({ early: heap[0], late: heap[1] });
process.disconnect();

async function heapInUse(): Promise<number> {
  for (let n = 0; n < 3; n += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}
