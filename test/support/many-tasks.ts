/** Writes many tasks into a log, quickly: with the product's own decisions, hundreds of them in one append. */
import type { BatchItem } from '../../src/engine/batch.ts';
import { LiveState } from '../../src/engine/live-state.ts';
import type { Store } from '../../src/engine/ports/store.ts';
import type { ProjectId, StepId, TaskId } from '../../src/kernel/ids.ts';
import type { Actor, Command } from '../../src/mind/domain/commands.ts';
import { DEFAULT_LIMITS } from '../../src/mind/domain/limits.ts';
import { UNKNOWN_COST } from '../../src/mind/domain/values.ts';
import { ownerOf } from './stores.ts';

const CHUNK = 500;
/** A person is asked about the answer. */
const ASKING = {
  name: 'asking',
  version: 1,
  steps: [
    { id: 'answer', kind: 'answer', role: 'explorer' },
    { id: 'look', kind: 'human', about: 'answer' },
  ],
} as const;
const WORKFLOW = { name: 'many', version: 1, steps: [{ id: 'answer', kind: 'answer', role: 'explorer' }] } as const;

export const taskNumber = (n: number): TaskId => `t-${String(n).padStart(8, '0')}` as TaskId;

/**
 * First so many tasks that ask a person, then so many accepted ones, some that wait for their backoff, and queued ones; each
 * is a millisecond younger than the one before.
 */
export async function writeTasks(
  store: Store,
  project: ProjectId,
  counts: {
    readonly asking?: number;
    readonly accepted: number;
    readonly parked?: number;
    readonly queued: number;
  },
): Promise<void> {
  await store.openProject(project, { path: '/somewhere', root: null });
  const lease = await store.acquire(project, ownerOf(process.pid), 600_000);
  if (lease.type === 'held') throw new Error('somebody works on this project');
  const state = await LiveState.load(
    {
      ...{ store, failpoint: () => {}, log: () => {} },
      anchor: { committed: () => {}, rested: async () => {}, newest: async () => null },
    },
    project,
    lease.token,
  );
  let at = 1_800_000_000_000;
  let ids = 0;
  const commit = async (kind: Actor['kind'], commands: readonly Command[], grant: boolean) => {
    const items = commands.map((command): BatchItem => {
      ids += 1;
      const answer = () => {};
      return { id: `c-${ids}`, actor: { kind, name: '' }, command, kept: false, row: false, answer };
    });
    at += 1;
    const { events, results } = await state.commit(items, { grant, memory: null, at, dice: () => 0.5 });
    const refused = results.find(({ rejection }) => rejection !== null);
    if (refused !== undefined)
      throw new Error(`${JSON.stringify(refused.item.command)}: ${refused.rejection?.message}`);
    return events;
  };
  const { asking = 0, accepted, parked = 0, queued } = counts;
  const create = (n: number): Command => ({
    ...{ type: 'task.create', task: taskNumber(n), title: `task number ${n}`, spec: { version: 1, text: 'look' } },
    ...{ onto: 'main', base: null, workflow: structuredClone(n < asking ? ASKING : WORKFLOW) as never, priority: 5 },
  });
  const slots = { total: CHUNK, per_cli: {} };
  await commit('operator', [{ type: 'board.configure', limits: { ...DEFAULT_LIMITS, slots } }], false);
  const chunks = (from: number, count: number) =>
    Array.from({ length: Math.ceil(count / CHUNK) }, (_, at) =>
      Array.from({ length: Math.min(CHUNK, count - at * CHUNK) }, (__, n) => from + at * CHUNK + n),
    );
  for (const numbers of chunks(0, asking + accepted + parked)) {
    const started = await commit('operator', numbers.map(create), true);
    const reports = started.flatMap(({ type, stream, data }): Command[] => {
      if (!type.startsWith('attempt.started.')) return [];
      const task = stream.slice('task/'.length) as TaskId;
      const { step, token } = data as { step: StepId; token: number };
      const isParked = task >= taskNumber(asking + accepted);
      return [
        {
          ...{ type: 'attempt.report', task, step, token, class: isParked ? 'transient' : 'ok', reason: '' },
          ...{ reset_at: null, candidate: null, answer: null, record: null, said: null, cost: UNKNOWN_COST },
        },
      ];
    });
    await commit('hand', reports, false);
    state.forgetClosed(numbers.map(taskNumber));
  }
  for (const numbers of chunks(asking + accepted + parked, queued))
    await commit('operator', numbers.map(create), false);
  await store.release(project, lease.token);
}
