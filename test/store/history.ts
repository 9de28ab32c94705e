/** A real history, written by the real engine: tasks that ended in different ways, some still open, texts of every kind. */
import { Engine } from '../../src/engine/engine.ts';
import type { Hands } from '../../src/engine/ports/hands.ts';
import type { Store } from '../../src/engine/ports/store.ts';
import type { TaskId } from '../../src/kernel/ids.ts';
import type { Actor, Command } from '../../src/mind/domain/commands.ts';
import { DEFAULT_LIMITS } from '../../src/mind/domain/limits.ts';
import { statusOf } from '../../src/mind/domain/task.ts';
import { FACTS, ownerOf, PROJECT } from '../support/stores.ts';

const WORKFLOW = {
  ...{ name: 'build', version: 1, description: 'line one\nline two — “quoted” 🦊' },
  steps: [{ id: 'change', kind: 'change', gates: ['tests'], attempts: 2 }],
} as const;

const OPERATOR: Actor = { kind: 'operator', name: 'Zoë\n漢字' };
const PLANNER: Actor = { kind: 'planner', name: '' };

/** What becomes of a task is written in its title. */
type Ending = 'accepted' | 'failed' | 'parked' | 'cancelled';

/** Long enough that its stream is snapshotted. */
const LONG = `${'a long request, ünïcödé and all\n'.repeat(1_200)}`;

export async function recordHistory(store: Store): Promise<void> {
  await store.openProject(PROJECT, FACTS);
  const engine = await openEngine(store);
  await submit(engine, { type: 'board.configure', limits: { ...DEFAULT_LIMITS, slots: { total: 3, per_cli: {} } } });
  await submit(engine, { type: 'goal.set', text: 'first line\r\nsecond line\t\u2028 🦊 "quoted" \\ \u0000 end' });
  const endings = ['accepted', 'failed', 'parked', 'accepted', 'cancelled'] as const;
  for (const [n, ending] of endings.entries())
    await submit(engine, createTask(`t-${n}`, ending, `do ${n}:\n${ending}`));
  await submit(engine, createTask('t-long', 'parked', LONG));
  await submit(engine, { type: 'task.cancel', task: 't-4' as TaskId, reason: 'not needed\nany more' });
  for (const id of ['t-open', 't-refused']) await submit(engine, createTask(id, 'accepted', 'a proposal'), PLANNER);
  const refused = [...engine.project.proposals.values()].find((proposal) =>
    JSON.stringify(proposal).includes('t-refused'),
  );
  if (refused !== undefined) await submit(engine, { type: 'proposal.reject', proposal: refused.id, reason: 'no' });
  await engine.until(({ tasks }) =>
    [...tasks.values()].every((task) => task.closed !== null || statusOf(task) === 'waiting'),
  );
  await engine.stop();
}

/** One more command on top of what is there: the newest append. */
export async function oneMore(store: Store, text: string): Promise<void> {
  const engine = await openEngine(store);
  await submit(engine, { type: 'goal.set', text });
  await engine.stop();
}

async function openEngine(store: Store): Promise<Engine> {
  const counters = { now: Math.max((await store.head(PROJECT)).time, 1_700_000_000_000), ids: 0 };
  const next = (counter: keyof typeof counters): number => {
    counters[counter] += 1;
    return counters[counter];
  };
  const engine = await Engine.open(
    {
      ...{ store, hands, owner: ownerOf(1), redact: async (texts) => texts, failpoint: () => {}, log: () => {} },
      clock: { now: () => next('now'), after: () => () => {} },
      chance: { dice: () => 0.5, id: (prefix) => `${prefix}-${counters.now}-${next('ids')}` },
      anchor: { committed: () => {}, rested: async () => {}, newest: async () => null },
    },
    { project: PROJECT, leaseMs: 60_000, act: true, parallel: 3 },
  );
  if (!(engine instanceof Engine)) throw new Error('the lease is held');
  return engine;
}

const hands: Hands = {
  worker: {
    async run(effect, work, { keep }) {
      const ending = work.spec.text.split('\n').at(-1) as Ending;
      const cost = { microusd: 1_200, tokens_in: 900, tokens_out: null };
      if (ending === 'failed') return { class: 'crash', reason: 'exit 1\nof the worker', cost };
      if (ending !== 'accepted') return { class: 'transient' };
      const answer = await keep(`what the worker of ${effect.task} said\n${'text '.repeat(1_500)}`);
      return {
        class: 'ok',
        candidate: { base: 'b'.repeat(40), tree: 'c'.repeat(40), change_id: 'd'.repeat(64) },
        answer,
        cost,
      };
    },
  },
  gate: {
    run: async (effect, _, { keep }) => ({
      status: 'pass',
      evidence: await keep(`tests of ${effect.task} pass`),
      ms: 3,
    }),
  },
  applier: {
    probe: async () => null,
    run: async () => ({ status: 'applied', commit: 'e'.repeat(40), branch: 'ai/x' }),
  },
  lander: {
    integrate: async () => ({ status: 'refused', reason: 'nothing moves here' }),
    probe: async () => null,
    move: async (_, { commit }) => ({ status: 'landed', commit }),
    read: async () => ({ status: 'seen', commit: 'f'.repeat(40) }),
  },
  notifier: { run: async () => ({ result: 'told' }) },
};

function createTask(id: string, ending: Ending, text: string): Command {
  const spec = { version: 1 as const, text: `${text}\n${ending}` };
  const places = { onto: 'main', base: null, workflow: structuredClone(WORKFLOW) as never, priority: 5 };
  return { type: 'task.create', task: id as TaskId, title: `${ending} ${id} — ünïcödé`, spec, ...places };
}

async function submit(engine: Engine, command: Command, actor: Actor = OPERATOR): Promise<void> {
  const rejection = await engine.submit(actor, command);
  if (rejection !== null) throw new Error(`${command.type}: ${rejection.message}`);
}
