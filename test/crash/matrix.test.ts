/** OF-01: kill -9 at every failpoint of a real run on SQLite, then resume: nothing is lost, nothing happens twice. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { World } from '../support/cli.ts';
import { ALL } from '../support/effort.ts';
import { doubled } from '../support/log-checks.ts';

const SCRIPT = `
ledger: LEDGER
notify: true
steps:
  implement:
    - {outcome: transient, reason: the network blinked}
    - {says: first, gates: {tests: fail}, cost_usd: 0.01}
    - {says: second, gates: {tests: pass}, cost_usd: 0.01}
  review:
    - {says: fine}
`;
/** Backoff would only slow the matrix down. */
const CONFIG = 'limits: {backoff: aggressive, jitter: 0}\n';
const TASK = ['run', 'a task', '--simulate', '--workflow', 'reviewed', '--script'];

type Report = { status: string; candidate: string | null; verdict: unknown; steps: { id: string; status: string }[] };

test('kill -9 at every failpoint (every tenth one in make test), resume, same end; nothing lost, doubled or left', {
  timeout: 400_000,
}, async () => {
  const reference = await faultFree();
  const failures: string[] = [];
  const names = new Map<string, number>();
  const points = chosen(reference.names);
  let next = 0;
  const worker = async () => {
    for (let n = points[next++]; n !== undefined; n = points[next++]) {
      try {
        const name = await strike(n, reference.end);
        names.set(name, (names.get(name) ?? 0) + 1);
      } catch (error) {
        failures.push(`failpoint ${n}: ${(error as Error).message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, worker));
  console.log(
    `crash matrix: ${points.length} of ${reference.names.length} points: ${[...names].map(([name, count]) => `${name} x${count}`).join(', ')}`,
  );
  expect(failures).toEqual([]);
  expect(reference.names.length).toBeGreaterThan(60);
  for (const kind of [
    'append.before',
    'append.inside',
    'append.after',
    'blob.before',
    'blob.after',
    'drain.before',
    'drain.after',
    'effect.before worker.run',
    'effect.after candidate.apply',
    'lease.after',
  ]) {
    // On a busy machine the points come in another order, so that a number may have struck another kind.
    if (!names.has(kind)) expect(await strike(`${kind}#1`, reference.end)).toBe(kind);
  }
});

/** All of them; or every tenth one, and the last of each kind. */
function chosen(names: readonly string[]): number[] {
  const last = new Set(new Map(names.map((name, n) => [name, n + 1])).values());
  return names.map((_, n) => n + 1).filter((n) => ALL || n % 10 === 0 || last.has(n));
}

async function faultFree(): Promise<{ names: readonly string[]; end: unknown }> {
  using world = prepared();
  const { code, stdout, stderr } = await world.run([...TASK, script(world), '--json'], { SUPERVISOR_FAILPOINT: '-1' });
  expect(code, stderr).toBe(0);
  const [, count = '', listed = ''] = /failpoints passed: (\d+)\n([\s\S]*)/.exec(stderr) ?? [];
  const names = listed.trim().split('\n').slice(0, Number(count));
  return { names, end: endOf(JSON.parse(stdout) as Report) };
}

async function strike(n: number | string, end: unknown): Promise<string> {
  using world = prepared();
  const path = script(world);
  const killed = await world.run([...TASK, path, '--json'], { SUPERVISOR_FAILPOINT: String(n) });
  expect(killed.signal).toBe('SIGKILL');
  const before = await world.events();
  const [task] = await world.tasks();
  // Killed before the task was durable: nothing was promised, so the person simply asks again.
  const again = task === undefined ? [...TASK, path] : ['resume', task.task_id, '--script', path];
  const report = await world.json<Report>(again);
  expect(endOf(report)).toEqual(end);
  const after = await world.events();
  expect(after.slice(0, before.length)).toEqual(before);
  expect(doubled(after)).toEqual([]);
  const ledger = readFileSync(world.ledger, 'utf8').trim().split('\n');
  expect(ledger.filter((line) => line.startsWith('candidate.apply'))).toHaveLength(1);
  expect(ledger.filter((line) => line.startsWith('notify.send')).length).toBeLessThanOrEqual(1);
  expect(await world.health()).toEqual({ findings: [], leased: false });
  return /failpoint \d+: (.+)/.exec(killed.stderr)?.[1] ?? 'unnamed';
}

function prepared(): World {
  const world = new World();
  world.userConfig(CONFIG);
  return world;
}

const script = (world: World): string => world.file('script.yaml', SCRIPT.replace('LEDGER', world.ledger));

/** What must be the same however often it crashed: not how many attempts were lost on the way. */
const endOf = ({ status, candidate, verdict, steps }: Report) => ({
  status,
  candidate,
  verdict,
  steps: steps.map(({ id, status: at }) => ({ id, at })),
});
