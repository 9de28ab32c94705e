/** Kill -9 in loops: reviews side by side that each may send the change back, work that falls back to less. Same end; no review is asked twice. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { StoredEvent } from '../../src/engine/ports/store.ts';
import { World } from '../support/cli.ts';
import { ALL } from '../support/effort.ts';
import { doubled } from '../support/log-checks.ts';
import { askedTwice, voidedThatCounted } from '../support/reviews.ts';
import { passedFailpoints } from './failpoints.ts';
import { inLanes } from './real-kills.ts';

/** The first of the two to say no voids the other one at its work. The panel weighs two more. */
const WORKFLOW = `
steps:
  implement: {role: implementer, gates: [tests], attempts: 2, analyses: [investigator, reviewer], degrade: [simplified]}
  quick: {role: reviewer, needs: [implement], on_reject: implement, rounds: 4}
  slow: {role: security_auditor, needs: [implement], on_reject: implement, rounds: 4}
  panel: {review: [reviewer, security_auditor], needs: [quick, slow], on_reject: implement, rounds: 4}
  commit: {kind: commit}
`;
/** A play that was lost with its attempt is not played again, so the last one always says yes. */
const SCRIPT = `
ledger: LEDGER
steps:
  implement: [{gates: {tests: fail}}, {gates: {tests: fail}}, {says: done}]
  implement-analysis-investigator: [{says: It adds where it should multiply.}]
  implement-analysis-reviewer: [{outcome: crash}]
  quick: [{review: CHANGES_REQUESTED}, {review: APPROVED}]
  slow: [{after: 150ms, review: APPROVED}]
  panel-reviewer: [{review: CHANGES_REQUESTED}, {review: APPROVED}]
  panel-security_auditor: [{after: 50ms, review: APPROVED}]
`;
const CONFIG = 'limits: {backoff: aggressive, jitter: 0, slots: {total: 3}, lost_retries: 20}\n';

type Report = { status: string; steps: { id: string; status: string }[]; verdict: { decision: string } };

function prepared(): { readonly world: World; readonly run: string[] } {
  const world = new World();
  world.userConfig(CONFIG);
  const script = world.file('script.yaml', SCRIPT.replace('LEDGER', world.ledger));
  const workflow = world.file('w.yaml', WORKFLOW);
  return {
    world,
    run: ['run', 'a task', '--simulate', '--workflow', workflow, '--script', script, '--gate', 'tests=true'],
  };
}

const endOf = ({ status, steps, verdict }: Report) => ({
  status,
  decision: verdict.decision,
  steps: steps.map(({ id, status: at }) => ({ id, at })),
});

function checked(events: readonly StoredEvent[]): void {
  expect(askedTwice(events)).toEqual([]);
  expect(voidedThatCounted(events)).toEqual([]);
  expect(doubled(events)).toEqual([]);
}

const of = (events: readonly StoredEvent[], type: string) => events.filter((event) => event.type.startsWith(type));

async function faultFree() {
  const { world, run } = prepared();
  using _ = world;
  const { code, stdout, stderr } = await world.run([...run, '--json'], { SUPERVISOR_FAILPOINT: '-1' });
  expect(code, stderr).toBe(0);
  const events = await world.events();
  checked(events);
  const names = passedFailpoints(stderr);
  return { names, events, end: endOf(JSON.parse(stdout) as Report) };
}

test('kill -9 in reviews side by side, voided work and a fall back to less: same end, no review asked twice', {
  timeout: 600_000,
}, async () => {
  const { names, events, end } = await faultFree();
  // What is killed here really happens: two ways back, one of them past a review at its work; one level of less.
  expect(of(events, 'task.reworked.')).toHaveLength(2);
  const at = (step: string, type: string) =>
    of(events, type).filter(({ data }) => (data as { step: string }).step === step).length;
  const slow = (type: string) => at('slow', type);
  // And analyses of a change that its gates refuse, one of which crashes.
  expect(at('implement-analysis-investigator', 'attempt.settled.')).toBe(1);
  expect(at('implement-analysis-reviewer', 'attempt.settled.')).toBe(1);
  expect(slow('attempt.started.')).toBeGreaterThan(slow('attempt.settled.'));
  expect(events.some(({ data }) => (data as { next?: { level?: string } }).next?.level === 'simplified')).toBe(true);
  // Side by side the points come in another order each time: most by their number, one of each kind by its name.
  const numbered = names.map((_, n) => n + 1).filter((n) => ALL || n % 9 === 0);
  const kinds = [...new Set(names)].map((name) => {
    const many = names.filter((one) => one === name).length;
    return `${name}#${Math.ceil(many / 2)}`;
  });
  const points = [...numbered.map(String), ...kinds];
  const failures: string[] = [];
  let struck = 0;
  await inLanes(points, async (place) => {
    try {
      const isStruck = await strike(place, end);
      if (isStruck) struck += 1;
    } catch (error) {
      failures.push(`failpoint ${place}: ${(error as Error).message}`);
    }
  });
  console.log(`loops matrix: ${struck} of ${points.length} chosen points struck, of ${names.length} in all`);
  expect(failures).toEqual([]);
  expect(struck).toBeGreaterThan(points.length * 0.8);
});

/** False: side by side the points come in another order each time, and this one did not come. */
async function strike(place: string, end: ReturnType<typeof endOf>): Promise<boolean> {
  const { world, run } = prepared();
  using _ = world;
  const killed = await world.run([...run, '--json'], { SUPERVISOR_FAILPOINT: place });
  if (killed.signal === null) return false;
  expect(killed.signal, killed.stderr).toBe('SIGKILL');
  const before = await world.events();
  const [task] = await world.tasks();
  const report = await world.json<Report>(task === undefined ? run : ['resume', task.task_id]);
  const after = await world.events();
  expect(endOf(report)).toEqual(end);
  expect(after.slice(0, before.length)).toEqual(before);
  checked(after);
  const ledger = readFileSync(world.ledger, 'utf8').trim().split('\n');
  expect(ledger.filter((line) => line.startsWith('candidate.apply'))).toHaveLength(1);
  expect(await world.health()).toEqual({ findings: [], leased: false });
  return true;
}

describe('the control: these checks can fail', () => {
  const event = (type: string, data: object) => ({ type, data }) as unknown as StoredEvent;
  const on = (change_id: string) => ({ change_id });
  const asks = (token: number, change = 'c1', round = 1) =>
    event('attempt.started.2', { step: 'look', kind: 'answer', token, round, on: on(change) });
  const ends = (token: number, to = 'complete', candidate: object | null = null) =>
    event('attempt.settled.2', { step: 'look', token, next: { do: to }, candidate });

  test('a review that is asked again after its answer', () => {
    expect(askedTwice([asks(1), ends(1), asks(2)])).toHaveLength(1);
    expect(askedTwice([asks(1), ends(1, 'retry'), asks(2)])).toEqual([]);
    expect(askedTwice([asks(1), ends(1), asks(2, 'c2', 2)])).toEqual([]);
  });

  test('an answer about a change that was sent back', () => {
    const made = (token: number, change: string) => [
      event('attempt.started.2', { step: 'build', kind: 'change', token, round: 1, on: null }),
      ends(token, 'complete', on(change)),
    ];
    expect(voidedThatCounted([...made(1, 'c1'), asks(2), ...made(3, 'c2'), ends(2)])).toHaveLength(1);
    expect(voidedThatCounted([...made(1, 'c1'), asks(2), ends(2), ...made(3, 'c2')])).toEqual([]);
    const joined = event('step.joined.1', { step: 'panel', decision: 'APPROVE', on: on('c1') });
    expect(voidedThatCounted([...made(1, 'c1'), ...made(2, 'c2'), joined])).toHaveLength(1);
  });
});
