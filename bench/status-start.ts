/** (d) `supervisor status` from the bundle, against a Node that does nothing. */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { locateProject } from '../src/app/open-store.ts';
import type { Row } from './support.ts';
import * as bench from './support.ts';

const TASKS = 20;
const RUNS = 31;

export const statusStart: Row = {
  name: 'd',
  title: `supervisor status in a project with ${TASKS} tasks`,
  async run() {
    const { status, bare } = await bench.inDirectory(measure);
    const ratio = bench.median(status) / bench.median(bare);
    return [
      {
        what: `time of \`supervisor status\`, against \`node -e 0\` (${RUNS} runs each)`,
        measured: `${bench.ms(bench.median(status))} against ${bench.ms(bench.median(bare))}`,
        ...{ ratio: bench.times(ratio), goal: 'at most 2.5x', ok: ratio <= 2.5 },
      },
    ];
  },
};

async function measure(dir: string): Promise<{ status: number[]; bare: number[] }> {
  const bundle = join(dir, 'dist');
  execFileSync(process.execPath, [join(bench.ROOT, 'tools/build.ts'), '--out', bundle], { stdio: 'pipe' });
  copyFileSync(join(bench.ROOT, 'package.json'), join(dir, 'package.json'));
  const repository = join(dir, 'repository');
  const state = join(dir, 'state');
  await makeProject(repository, state);
  const environment = { ...process.env, SUPERVISOR_HOME: state, XDG_CACHE_HOME: join(dir, 'cache') };
  const run = (args: string[]) => {
    const start = performance.now();
    const ended = spawnSync(process.execPath, args, { cwd: repository, env: environment, encoding: 'utf8' });
    const taken = performance.now() - start;
    if (ended.status !== 0) throw new Error(`${args.join(' ')} ended with ${ended.status}: ${ended.stderr}`);
    return { taken, output: ended.stdout };
  };
  const supervisor = join(bundle, 'supervisor.js');
  // This first run also fills the cache of compiled code, as any first run on a machine does.
  const shown = JSON.parse(run([supervisor, 'status', '--json']).output) as { tasks: unknown[] };
  if (shown.tasks.length !== TASKS) throw new Error(`status shows ${shown.tasks.length} tasks`);
  const status: number[] = [];
  const bare: number[] = [];
  for (let n = 0; n < RUNS; n += 1) {
    status.push(run([supervisor, 'status']).taken);
    bare.push(run(['-e', '0']).taken);
  }
  return { status, bare };
}

async function makeProject(repository: string, state: string): Promise<void> {
  mkdirSync(repository, { recursive: true });
  execFileSync('git', ['init', '--quiet', repository]);
  const hands = bench.workerHands(async () => ({ class: 'ok' }));
  const project = locateProject(repository).id;
  const { engine, close } = await bench.openEngine(join(state, 'log.db'), { hands, slots: 2, project });
  const all = bench.closedTasks(engine, TASKS);
  for (let n = 0; n < TASKS; n += 1) await bench.mustSubmit(engine, bench.createTask(`t-${n}`, bench.chainOf(1)));
  await all;
  await close();
}
