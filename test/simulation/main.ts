/** `node test/simulation/main.ts --seeds N [--from S] [--until-found]`, or `--seed X --trace` to see one schedule step by step. */
import { parseArgs } from 'node:util';
import { runSchedule } from './schedule.ts';
import { report, Tally } from './tally.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
    'until-found': { type: 'boolean', default: false },
  },
});
const [count, from, only] = [values.seeds, values.from, values.seed ?? '0'].map(Number) as [number, number, number];
const sound = [count, from, only].every((number) => Number.isSafeInteger(number) && number >= 0);

if (!sound) process.stderr.write('--seeds, --from and --seed take whole numbers\n');
process.exitCode = !sound ? 2 : values.seed === undefined ? await many(from, count) : await one(only, values.trace);

async function many(from: number, count: number): Promise<number> {
  const tally = new Tally();
  const started = performance.now();
  let shown = started;
  for (let seed = from; seed < from + count; seed++) {
    if (values['until-found'] && tally.failed.length > 0) break;
    const result = await runSchedule(seed);
    tally.add(result);
    if (result.problems.length > 0) process.stderr.write(`seed ${seed} failed: ${result.problems[0]}\n`);
    if (performance.now() - shown < 2_000) continue;
    shown = performance.now();
    process.stderr.write(`${tally.schedules} of ${count} schedules, ${tally.failed.length} failed\n`);
  }
  process.stdout.write(`${report(tally)}in ${((performance.now() - started) / 1_000).toFixed(1)} s\n`);
  return tally.failed.length === 0 ? 0 : 1;
}

async function one(seed: number, trace: boolean): Promise<number> {
  const result = await runSchedule(seed, { trace });
  for (const line of result.trace) process.stdout.write(`${line}\n`);
  const tally = new Tally();
  tally.add(result);
  process.stdout.write(`${report(tally)}hash ${result.hash}\n`);
  return result.problems.length === 0 ? 0 : 1;
}
