/**
 * Records a history of this version: `node test/replay/record.ts NAME`, once before a release, never over an old one.
 * A real engine plays tasks that meet as many event types as possible; the log it wrote is kept with its state.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { Engine } from '../../src/engine/engine.ts';
import { scriptedHands } from '../../src/hands/scripted/hands.ts';
import { MemoryStore } from '../../src/hands/store/memory/store.ts';
import type { ProjectId, ProposalId, TaskId } from '../../src/kernel/ids.ts';
import { DEFAULT_LIMITS } from '../../src/mind/config/limits.ts';
import type { Actor, Command } from '../../src/mind/domain/commands.ts';
import { systemClock } from '../../src/os/machine/clock.ts';
import { stateHash } from './state-hash.ts';

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
const file = new URL(`./histories/${name}.json`, import.meta.url);
if (existsSync(file)) throw new Error(`${name} is recorded already: histories are for ever`);

await store.openProject(project, { path: '.', root: null });
const engine = await Engine.open(
  {
    ...{ store, clock, hands: scriptedHands(() => script, clock), log: console.error, failpoint: () => {} },
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
    cost: { microusd: null, tokens_in: null, tokens_out: null },
    reset_at: null,
  },
);
await send({ kind: 'planner', name: 'p' }, { type: 'task.cancel', task: 't-slow' as TaskId, reason: 'proposed' });
const [proposal] = [...engine.project.proposals.keys()];
await send(operator, { type: 'proposal.accept', proposal: proposal as ProposalId, reason: 'yes' });
await send(operator, { type: 'mode.set', mode: 'AUTO' });
await engine.stop();

const events = await store.readLog(project, 0, 10_000);
const host = await store.readLog('host', 0, 10_000);
const { hash } = await store.head(project);
writeFileSync(
  file,
  `${JSON.stringify({ note: 'recorded by test/replay/record.ts; never edited', state: stateHash({ events, host }), head: hash, events, host }, null, 1)}\n`,
);
console.error(
  `${events.length} events, types: ${[...new Set([...events, ...host].map((event) => event.type))].sort().join(' ')}`,
);
