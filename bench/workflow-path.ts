/** (p) The way through a workflow: reviews side by side against the slowest of them, `standard` against its longest path. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GIT_ENV, repository } from './real-step.ts';
import type { Finding, Row } from './support.ts';
import * as bench from './support.ts';

const WORKER_S = 10;
const GATE_S = 2;
const SIDE_BY_SIDE = 1.15;
const LONGEST_PATH = 1.1;
const ENTRY = join(bench.ROOT, 'src/faces/cli/entry.ts');

export const workflowPath: Row = {
  name: 'p',
  title: `the way through a workflow with workers of ${WORKER_S} s each, canary off: three reviews side by side, and \`standard\` whole`,
  run: () =>
    bench.inDirectory(async (dir) => {
      for (const at of [dir, join(dir, '..')]) chmodSync(at, 0o711);
      const repo = repository(dir, 100);
      const home = join(dir, 'home');
      mkdirSync(join(home, '.supervisor'), { recursive: true });
      const gate = `{name: tests, command: "sleep ${GATE_S} && test -s d0/f0", canary: "off"}`;
      writeFileSync(join(home, '.supervisor/config.yaml'), `limits: {slots: {total: 3}}\ngates: [${gate}]\n`);
      const place = { dir, repo, home };
      return [await sideBySide(place), await standard(place)];
    }),
};

type Place = { readonly dir: string; readonly repo: string; readonly home: string };

const wait = `sleep ${WORKER_S}`;

async function sideBySide(place: Place): Promise<Finding> {
  const roles = ['reviewer', 'security_auditor', 'reviewer_codex'];
  const workflow = {
    name: 'panel',
    version: 1,
    steps: [
      { id: 'implement', kind: 'change', role: 'implementer' },
      { id: 'review', review: roles },
    ],
  };
  const reviews = roles.map((role) => [`review-${role}`, [{ run: wait }]]);
  const steps = { implement: [{ run: 'echo x >> d0/f0' }], ...Object.fromEntries(reviews) };
  const { events } = await run(place, 'panel', { workflow: JSON.stringify(workflow), steps });
  const done = events.find(({ type, data }) => type === 'attempt.settled' && data.step === 'implement')?.time ?? 0;
  const joined = events.find(({ type }) => type === 'step.joined')?.time ?? 0;
  const took = joined - done;
  const ratio = took / (WORKER_S * 1_000);
  return {
    what: `three reviews side by side, from the accepted change to their verdict, against one worker of ${WORKER_S} s`,
    measured: bench.ms(took),
    ...{ ratio: bench.times(ratio), goal: `at most ${SIDE_BY_SIDE}x` },
    ...bench.withinLimit(ratio, SIDE_BY_SIDE),
  };
}

async function standard(place: Place): Promise<Finding> {
  const play = [{ run: wait }];
  const steps = {
    ...{ plan: play, plan_review: play, implement: [{ run: `echo y >> d0/f0; ${wait}` }] },
    ...{ 'review-reviewer_gemini': play, 'review-reviewer_codex': play },
  };
  const { events, wall } = await run(place, 'standard', { workflow: null, steps });
  const ran = events.filter(({ type, data }) => type === 'gate.reported' && data.cached !== true);
  // Plan, its review, the change, the reviews side by side; every gate that really ran stands on the path.
  const gates = ran.reduce((sum, { data }) => sum + (data.ms ?? 0), 0);
  const path = 4 * WORKER_S * 1_000 + gates;
  const ratio = wall / path;
  return {
    what: `\`standard\`, the whole command, against its longest path (4 workers of ${WORKER_S} s, ${ran.length} gates that took ${bench.ms(gates)})`,
    measured: bench.ms(wall),
    ...{ ratio: bench.times(ratio), goal: `at most ${LONGEST_PATH}x` },
    ...bench.withinLimit(ratio, LONGEST_PATH),
  };
}

type Event = {
  readonly type: string;
  readonly time: number;
  readonly data: { readonly step?: string; readonly cached?: boolean; readonly ms?: number | null };
};

async function run(
  { dir, repo, home }: Place,
  name: string,
  { workflow, steps }: { readonly workflow: string | null; readonly steps: object },
): Promise<{ readonly events: Event[]; readonly wall: number }> {
  const script = join(dir, `${name}-script.yaml`);
  writeFileSync(script, JSON.stringify({ steps }));
  const file = join(dir, `${name}.yaml`);
  if (workflow !== null) writeFileSync(file, workflow);
  const env = { PATH: `${dirname(process.execPath)}:${GIT_ENV.PATH}`, HOME: home, SUPERVISOR_HOME: join(dir, 'state') };
  const call = (...args: string[]) => said([ENTRY, ...args, '--json'], { cwd: repo, env });
  const start = performance.now();
  const report = await call(
    'run',
    'change one line',
    '--workflow',
    workflow === null ? name : file,
    '--script',
    script,
  );
  const wall = performance.now() - start;
  const { task_id: task, status } = JSON.parse(report) as { task_id: string; status: string };
  if (status !== 'accepted') throw new Error(`${name} is ${status}: ${report}`);
  const lines = (await call('log', task)).trim().split('\n');
  return { events: lines.map((line) => withoutVersion(JSON.parse(line) as Event)), wall };
}

const withoutVersion = (event: Event): Event => ({ ...event, type: event.type.replace(/\.\d+$/, '') });

function said(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk));
    child.on('error', reject);
    child.on('close', () => resolve(out));
  });
}
