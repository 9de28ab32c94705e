/**
 * What the tasks hold and wait for now: an index derived from the live tasks, updated by the change of each event. A
 * slot, lock or reservation ends because the task no longer has it, so none can leak.
 */
import type { StepId, TaskId } from '../../kernel/ids.ts';
import { OrderedMap } from '../../kernel/ordered-map.ts';
import { authorsOf } from './change-authors.ts';
import { countedAs } from './simulated-names.ts';
import { type Attempt, type StepPlace, type Task, underWay } from './task.ts';
import type { Spec } from './values.ts';

export type QueueEntry = { readonly task: TaskId; readonly step: StepId };

export type Holds = {
  /**
   * Ready steps by queue (same workflow step, same CLI, same authors), each sorted by rank: a blocked queue is skipped
   * as a whole.
   */
  readonly ready: OrderedMap<OrderedMap<QueueEntry>>;
  /** Running attempts: of real tasks, of simulated tasks, and per CLI. */
  readonly busy: number;
  readonly busyPlayed: number;
  readonly busyCli: OrderedMap<number>;
  /** By the name that `lockName` gives. */
  readonly locks: OrderedMap<TaskId>;
  readonly reserved: number;
  /** Absent if none are. */
  readonly reservedTokens?: number;
  readonly nextOrder: number;
};

export const NO_HOLDS: Holds = {
  ready: OrderedMap.empty(),
  busy: 0,
  busyPlayed: 0,
  busyCli: OrderedMap.empty(),
  locks: OrderedMap.empty(),
  reserved: 0,
  nextOrder: 1,
};

export function updateHolds(holds: Holds, before: Task | undefined, after: Task | undefined): Holds {
  let next = holds;
  if (before !== undefined) next = contribute(next, before, -1);
  if (after !== undefined) next = contribute(next, after, 1);
  return next;
}

function contribute(holds: Holds, task: Task, sign: 1 | -1): Holds {
  if (task.closed !== null && task.locks.length === 0) return holds;
  let { ready, busy, busyPlayed, busyCli, locks, reserved, reservedTokens = 0 } = holds;
  for (const id of task.closed === null ? task.open : []) {
    const place = task.steps.get(id)?.place;
    if (place === undefined) continue;
    const isFree = place.at === 'ready' && place.awaits === undefined && task.taken?.step !== id;
    if (isFree && !task.paused && task.failing === undefined) {
      // A simulated quota or breaker does not hold up real tasks in the same queue.
      const chain = task.cli === undefined ? '' : `/${task.cli.chain.join(',')}`;
      // The change's author decides which CLI of a chain reviews it first.
      const authors = authorsOf(task).join(',');
      const queue = countedAs(`${task.workflow}/${id}/${place.cli}${chain}/${authors}`, task.spec);
      const rank = rankOf(task, id);
      const waiting = ready.get(queue) ?? OrderedMap.empty<QueueEntry>();
      const left = sign > 0 ? waiting.set(rank, { task: task.id, step: id }) : waiting.delete(rank);
      ready = left.size === 0 ? ready.delete(queue) : ready.set(queue, left);
    }
    // An attempt is charged when it is settled: its money stays reserved until then.
    const attempt = underWay(task.steps.get(id))?.attempt;
    if (attempt !== undefined && task.spec.simulated !== true) {
      reserved += sign * attempt.reserve;
      reservedTokens += sign * (attempt.reserveTokens ?? 0);
    }
    // A paused task runs no gates; its worker holds the slot until it has ended.
    if (isInSlot(place, task.paused === true)) {
      const cli = countedAs(place.attempt.cli, task.spec);
      const count = (busyCli.get(cli) ?? 0) + sign;
      busyCli = count === 0 ? busyCli.delete(cli) : busyCli.set(cli, count);
      if (task.spec.simulated === true) busyPlayed += sign;
      else busy += sign;
    }
  }
  for (const lock of task.locks) {
    const name = lockName(lock, task.spec);
    locks = sign > 0 ? locks.set(name, task.id) : locks.delete(name);
  }
  const tokens = reservedTokens === 0 ? {} : { reservedTokens };
  const nextOrder = Math.max(holds.nextOrder, task.order + 1);
  return { ready, busy, busyPlayed, busyCli, locks, reserved, ...tokens, nextOrder };
}

/** An attempt of a gate step, or of a person, has no worker and takes no slot. */
function isInSlot(place: StepPlace, paused: boolean): place is Extract<StepPlace, { at: 'working' | 'checking' }> {
  if (place.at !== 'working' && place.at !== 'checking') return false;
  const attempt: Attempt = place.attempt;
  return attempt.kind !== 'gate' && attempt.given === undefined && (place.at === 'working' || !paused);
}

/**
 * Sorts by priority (9 first), then by age, then by name: a plain string, so that an ordered map can use it as a key.
 */
function rankOf(task: Task, step: StepId): string {
  return `${9 - task.priority}/${String(task.order).padStart(12, '0')}/${task.id}/${step}`;
}

/**
 * A simulated task writes no file: it blocks only other simulated tasks. Its mark comes first, since directories end in
 * `/`.
 */
const lockName = (lock: string, spec: Spec): string => (spec.simulated === true ? `played ${lock}` : lock);

/**
 * The task that holds a lock which overlaps `wanted`: the same, a directory above (`file:src/`), or anything below a
 * directory.
 */
export function lockHolder(holds: Holds, wanted: string, { id: self, spec }: Task): TaskId | null {
  const lock = lockName(wanted, spec);
  const exact = holds.locks.get(lock);
  if (exact !== undefined && exact !== self) return exact;
  for (let slash = lock.indexOf('/'); slash >= 0; slash = lock.indexOf('/', slash + 1)) {
    const above = holds.locks.get(lock.slice(0, slash + 1));
    if (above !== undefined && above !== self) return above;
  }
  if (!lock.endsWith('/')) return null;
  for (const [key, holder] of holds.locks.entries(lock)) {
    if (!key.startsWith(lock)) return null;
    if (holder !== self) return holder;
  }
  return null;
}
