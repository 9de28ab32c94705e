/**
 * Records a history of this version: `node test/replay/record.ts NAME`, once before a release, never over an old one.
 * A real engine plays tasks that meet as many event types as possible; the log it wrote is kept with its state,
 * and how each task ended as users are told of it.
 */
import { Engine } from '../../src/engine/engine.ts';
import type { Hands } from '../../src/engine/ports/hands.ts';
import { THIS_HOST } from '../../src/engine/ports/store.ts';
import { scriptedHands } from '../../src/hands/scripted/hands.ts';
import { MemoryStore } from '../../src/hands/store/memory/store.ts';
import type { ProjectId, ProposalId, TaskId } from '../../src/kernel/ids.ts';
import type { Actor, Command } from '../../src/mind/domain/commands.ts';
import { DEFAULT_LIMITS } from '../../src/mind/domain/limits.ts';
import type { StepPlace } from '../../src/mind/domain/task.ts';
import { systemClock } from '../../src/os/machine/clock.ts';
import { keep } from './recorded.ts';

const operator: Actor = { kind: 'operator', name: '' };
const project = 'p-recorded' as ProjectId;
const clock = systemClock();
const store = new MemoryStore({ now: () => clock.now() });
let ids = 0;

const script = {
  steps: {
    implement: [
      { outcome: 'transient' as const },
      { gates: { tests: 'fail' as const }, cost_usd: 0.01 },
      { cost_usd: 0.02 },
    ],
    review: [{ outcome: 'lost' as const }, {}],
    broken: [{ outcome: 'crash' as const }],
    limited: [
      { outcome: 'quota' as const, resets: 30 },
      { outcome: 'quota' as const, reason: 'used up' },
      { outcome: 'invalid' as const },
      { cost_usd: 0.01 },
    ],
    absent: [{ outcome: 'missing_cli' as const }],
    stuck: [{ outcome: 'blocked' as const, reason: 'needs a key' }],
    slow: [{ after: 60_000 }],
    held: [{ after: 60_000 }, {}],
    unread: [{ outcome: 'invalid' as const }],
    later: [{ outcome: 'transient' as const }],
  },
};

const steps = (
  ...list: { id: string; kind: 'change' | 'answer'; gates?: string[]; needs?: string[]; cli?: string[] }[]
) => ({ name: list[0]?.id ?? 'w', version: 1, steps: list });
const create = (task: string, workflow: ReturnType<typeof steps>, notify = false): Command => ({
  ...{
    type: 'task.create',
    task: task as TaskId,
    title: `recorded: ${task}`,
    onto: 'main',
    base: null,
    priority: 5,
    workflow,
  },
  spec: { version: 1, text: 'a recorded task', files: [`src/${task}.ts`], ...(notify ? { notify } : {}) },
});

const name = process.argv[2] ?? 'history';

/** What only real hands report: tests that are red as at the base, evidence of an earlier run, a commit. */
const played = scriptedHands(() => script, clock);
const hands: Hands = {
  ...played,
  gate: {
    run: async (effect, work, context) => ({
      ...(await played.gate.run(effect, work, context)),
      ...(work.gate === 'red' ? { excused: 2, cached: true, ms: 7 } : {}),
    }),
  },
  lander: {
    ...played.lander,
    move: async (_, { commit }) => ({ status: 'landed', commit }),
  },
  applier: {
    ...played.applier,
    run: async (effect, work, context) => ({
      ...(await played.applier.run(effect, work, context)),
      commit: effect.task === 't-red' ? 'c'.repeat(40) : null,
      branch: effect.task === 't-red' ? work.branch : null,
    }),
  },
};

await store.openProject(project, { path: '.', root: null });
const engine = await Engine.open(
  {
    ...{ store, clock, hands, log: () => {}, failpoint: () => {} },
    chance: { dice: () => 0.5, id: (prefix) => `${prefix}-${++ids}` },
    redact: async (texts) => texts,
    anchor: { committed() {}, newest: async () => null, async rested() {} },
    owner: { pid: 1, started: '1', boot: 'recorded', host: 'recorded' },
  },
  { project, leaseMs: 60_000, act: true, parallel: 8 },
);
if (!(engine instanceof Engine)) throw new Error('the lease is held');
const closed = (task: string) =>
  engine.until((state) => state.tasks.get(task) === undefined || state.tasks.get(task)?.closed !== null);
const send = async (actor: Actor, command: Command) =>
  console.error(command.type, (await engine.submit(actor, command)) ?? 'decided');

await send(operator, {
  type: 'board.configure',
  limits: {
    ...DEFAULT_LIMITS,
    backoff: { tries: 3, first_ms: 20, factor: 2, max_ms: 50 },
    breaker: { failures: 2, window_ms: 60_000 },
    quota: { wait_ms: 1_000, first_ms: 50, max_ms: 200, longest_ms: 1_000 },
  },
});
await send(operator, { type: 'goal.set', text: 'a goal with ünïcödé\nand two lines' });
await send(
  operator,
  create(
    't-good',
    steps({ id: 'implement', kind: 'change', gates: ['tests'] }, { id: 'review', kind: 'answer' }),
    true,
  ),
);
await closed('t-good');
await send(operator, create('t-broken', steps({ id: 'broken', kind: 'answer', cli: ['one', 'two'] })));
await closed('t-broken');
await send(operator, { type: 'task.resume', task: 't-broken' as TaskId, reason: 'again' });
await closed('t-broken');
await send(operator, create('t-limited', steps({ id: 'limited', kind: 'answer', cli: ['one', 'two'] })));
await closed('t-limited');
await send(operator, { type: 'cli.reset', cli: 'one' });
await send(operator, create('t-absent', steps({ id: 'absent', kind: 'answer' })));
await closed('t-absent');
await send(operator, create('t-stuck', steps({ id: 'stuck', kind: 'change' })));
await closed('t-stuck');
await send(
  operator,
  create(
    't-slow',
    steps(
      { id: 'slow', kind: 'answer' },
      { id: 'side', kind: 'answer', needs: [] },
      { id: 'join', kind: 'answer', needs: ['slow', 'side'] },
    ),
  ),
);
await engine.until((state) => state.tasks.get('t-slow')?.steps.get('slow')?.place.at === 'working');
await send(
  { kind: 'hand', name: '' },
  {
    type: 'attempt.report',
    task: 't-slow' as TaskId,
    step: 'slow' as never,
    token: 99,
    class: 'ok',
    reason: 'late',
    candidate: null,
    answer: null,
    record: null,
    said: null,
    cost: { microusd: null, tokens_in: null, tokens_out: null },
    reset_at: null,
  },
);
await send({ kind: 'planner', name: 'p' }, { type: 'task.cancel', task: 't-slow' as TaskId, reason: 'proposed' });
const [proposal] = [...engine.project.proposals.keys()];
await send(operator, { type: 'proposal.accept', proposal: proposal as ProposalId, reason: 'yes' });
await send(operator, { type: 'mode.set', mode: 'AUTO' });

// Red as its base, with a second change step; landed.
await send(
  operator,
  create(
    't-red',
    steps({ id: 'change', kind: 'change', gates: ['red', 'tests'] }, { id: 'more', kind: 'change', gates: ['tests'] }),
  ),
);
await closed('t-red');
await send(operator, {
  type: 'task.land',
  task: 't-red' as TaskId,
  onto: 'main',
  unverified: true,
  move_checkout: false,
});
await send(operator, create('t-unread', steps({ id: 'unread', kind: 'change', gates: ['tests'] })));
await closed('t-unread');

// Paused while it works, and resumed with everything that may be added.
const held = (task: string, at: StepPlace['at']) =>
  engine.until((state) => state.tasks.get(task)?.steps.get('held')?.place.at === at);
await send(operator, create('t-held', steps({ id: 'held', kind: 'change', gates: ['tests'], cli: ['one', 'two'] })));
await held('t-held', 'working');
await send(operator, { type: 'task.pause', task: 't-held' as TaskId, reason: 'lunch' });
await held('t-held', 'ready');
await send(operator, {
  type: 'task.resume',
  task: 't-held' as TaskId,
  reason: '',
  say: 'the second way',
  allow: ['test/**'],
  cli: ['two', 'one'],
});
await closed('t-held');

// What is still open at the end: one paused, one that waits for its backoff, one that was cut.
await send(operator, create('t-paused', steps({ id: 'held', kind: 'change', gates: ['tests'] })));
await held('t-paused', 'working');
await send(operator, { type: 'task.pause', task: 't-paused' as TaskId, reason: '' });
await held('t-paused', 'ready');
await send(operator, {
  type: 'board.configure',
  limits: { ...DEFAULT_LIMITS, backoff: { tries: 3, first_ms: 60_000, factor: 2, max_ms: 60_000 } },
});
await send(operator, create('t-later', steps({ id: 'later', kind: 'answer' })));
await engine.until((state) => state.tasks.get('t-later')?.steps.get('later')?.place.at === 'parked');
await send(operator, create('t-cut', steps({ id: 'held', kind: 'change', gates: ['tests'] })));
await held('t-cut', 'working');
await engine.stop();

const events = await store.readLog(project, 0, 10_000);
const host = await store.readLog(THIS_HOST, 0, 10_000);
keep(name, 'recorded by test/replay/record.ts; never edited', { events, host });
console.error(
  `${events.length} events, types: ${[...new Set([...events, ...host].map((event) => event.type))].sort().join(' ')}`,
);
