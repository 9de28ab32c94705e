/** (l) What people look at, in a project with 50,000 tasks, against the same with 100: pages are read by index. */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { locateProject } from '../src/app/open-store.ts';
import { taskNumber, writeTasks } from '../test/support/many-tasks.ts';
import type { Finding, Row } from './support.ts';
import * as bench from './support.ts';

const MANY = 50_000;
const FEW = 100;
const RUNS = 21;
const SLOWER = 1.5;
/** The peak of a process varies by some percent from run to run. */
const LARGER = 1.15;

export const longLists: Row = {
  name: 'l',
  title: `status, show and log with ${MANY.toLocaleString('en')} tasks, half of them queued`,
  run: () => bench.inDirectory(measure),
};

async function measure(dir: string): Promise<Finding[]> {
  const bundle = join(dir, 'dist');
  execFileSync(process.execPath, [join(bench.ROOT, 'tools/build.ts'), '--out', bundle], { stdio: 'pipe' });
  copyFileSync(join(bench.ROOT, 'package.json'), join(dir, 'package.json'));
  const many = await makeProject(join(dir, 'many'), MANY);
  const few = await makeProject(join(dir, 'few'), FEW);
  // An ended task, and the newest one, which is queued.
  const commands = [['status'], ['show', taskNumber(1)], ['show'], ['log', '-n', '20']];
  const findings: Finding[] = [];
  for (const args of commands) {
    const looks = { many: [] as Look[], few: [] as Look[] };
    for (let n = 0; n <= RUNS; n += 1) {
      const pair = { many: look(dir, many, args), few: look(dir, few, args) };
      // The first pair fills the caches, as any first run on a machine does.
      if (n === 0) continue;
      looks.many.push(pair.many);
      looks.few.push(pair.few);
    }
    findings.push(...judged(args.join(' '), looks));
  }
  return findings;
}

function judged(command: string, looks: { readonly many: readonly Look[]; readonly few: readonly Look[] }): Finding[] {
  const of = (field: keyof Look) => ({
    many: bench.median(looks.many.map((one) => one[field])),
    few: bench.median(looks.few.map((one) => one[field])),
  });
  const [time, memory] = [of('ms'), of('bytes')];
  const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  return [
    {
      what: `time of \`supervisor ${command}\`, against ${FEW} tasks (${RUNS} runs each)`,
      measured: `${bench.ms(time.many)} against ${bench.ms(time.few)}`,
      ratio: bench.times(time.many / time.few),
      goal: `at most ${SLOWER}x`,
      ok: time.many / time.few <= SLOWER,
    },
    {
      what: `memory of \`supervisor ${command}\` at its peak`,
      measured: `${mb(memory.many)} against ${mb(memory.few)}`,
      ratio: bench.times(memory.many / memory.few),
      goal: `at most ${LARGER}x (flat)`,
      ok: memory.many / memory.few <= LARGER,
    },
  ];
}

type Place = { readonly repository: string; readonly state: string };
type Look = { readonly ms: number; readonly bytes: number };

/** Printed last, by the process that is measured. */
const TELL_MEMORY =
  'data:text/javascript,process.on("exit",()=>process.stderr.write("peak "+process.resourceUsage().maxRSS))';

function look(dir: string, { repository, state }: Place, command: readonly string[]): Look {
  const env = { ...process.env, SUPERVISOR_HOME: state, XDG_CACHE_HOME: join(dir, 'cache') };
  const args = ['--import', TELL_MEMORY, join(dir, 'dist', 'supervisor.js'), ...command];
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: repository, env, encoding: 'utf8' });
  const ms = performance.now() - start;
  const [, kilobytes] = /peak (\d+)$/.exec(stderr) ?? [];
  if (status !== 0 || kilobytes === undefined || stdout === '')
    throw new Error(`${command.join(' ')} ended with ${status}: ${stderr}`);
  return { ms, bytes: Number(kilobytes) * 1024 };
}

async function makeProject(dir: string, tasks: number): Promise<Place> {
  const place = { repository: join(dir, 'repository'), state: join(dir, 'state') };
  mkdirSync(place.repository, { recursive: true });
  execFileSync('git', ['init', '--quiet', place.repository]);
  const store = await bench.openStore(join(place.state, 'log.db'));
  await writeTasks(store, locateProject(place.repository).id, { accepted: tasks / 2, queued: tasks / 2 });
  await store.close();
  return place;
}
