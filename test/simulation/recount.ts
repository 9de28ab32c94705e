/** What tasks hold, counted again from nothing: other code than the engine's, so that both being wrong alike is unlikely. */
import type { Holds } from '../../src/mind/domain/holds.ts';
import type { Project } from '../../src/mind/domain/project.ts';
import type { Task } from '../../src/mind/domain/task.ts';

export type Held = {
  readonly ready: readonly string[];
  readonly busy: number;
  readonly busyPlayed: number;
  readonly busyCli: Readonly<Record<string, number>>;
  readonly locks: Readonly<Record<string, string>>;
  readonly reserved: number;
  readonly reservedTokens: number;
};

export function recount(project: Project): Held {
  const ready: string[] = [];
  const busyCli: Record<string, number> = {};
  const locks: Record<string, string> = {};
  let busy = 0;
  let busyPlayed = 0;
  let reserved = 0;
  let reservedTokens = 0;
  for (const task of project.tasks.values()) {
    const waits = task.closed?.status === 'accepted' && task.spec.queued === true && task.landed === null;
    if (task.closed === null || waits) for (const lock of task.locks) locks[lockedAs(task, lock)] = task.id;
  }
  for (const task of openTasks(project)) {
    for (const [id, { place }] of task.steps) {
      if (
        place.at === 'ready' &&
        place.awaits === undefined &&
        task.paused !== true &&
        task.taken?.step !== id &&
        task.failing === undefined &&
        task.open.some((open) => open === id)
      )
        ready.push(`${task.id}/${id}`);
      // Also of an attempt that waits for a person's word about a finding: it has not ended.
      const begun = place.at === 'waiting' ? place.held : place;
      if ((begun?.at === 'working' || begun?.at === 'checking') && !isSimulated(task)) {
        reserved += begun.attempt.reserve;
        reservedTokens += begun.attempt.reserveTokens ?? 0;
      }
      if (place.at !== 'working' && (place.at !== 'checking' || task.paused === true)) continue;
      if (place.attempt.kind === 'gate' || 'given' in place.attempt) continue;
      const cli = bookedAs(task, place.attempt.cli);
      if (isSimulated(task)) busyPlayed += 1;
      else busy += 1;
      busyCli[cli] = (busyCli[cli] ?? 0) + 1;
    }
  }
  return {
    ready: ready.sort(),
    busy,
    busyPlayed,
    busyCli: sorted(busyCli),
    locks: sorted(locks),
    reserved,
    reservedTokens,
  };
}

/** The engine's index in the same form. */
export function counted(holds: Holds): Held {
  const ready = [...holds.ready.values()].flatMap((lane) =>
    [...lane.values()].map(({ task, step }) => `${task}/${step}`),
  );
  const busyCli = sorted(Object.fromEntries(holds.busyCli));
  const locks = sorted(Object.fromEntries(holds.locks));
  return {
    ready: ready.sort(),
    busy: holds.busy,
    busyPlayed: holds.busyPlayed,
    busyCli,
    locks,
    reserved: holds.reserved,
    reservedTokens: holds.reservedTokens ?? 0,
  };
}

export function openTasks(project: Project): Task[] {
  return [...project.tasks.values()].filter((task) => task.closed === null);
}

export const isSimulated = (task: Task | undefined): boolean => task?.spec.simulated === true;

/** The name under which a task counts for a CLI or a lane: simulated tasks keep books of their own. */
export const bookedAs = (task: Task | undefined, name: string): string =>
  isSimulated(task) ? `${name} (played)` : name;

/** The name of a lock in the engine's index. */
const lockedAs = (task: Task, lock: string): string => (isSimulated(task) ? `played ${lock}` : lock);

/** Whether two locks may not be held by two tasks: the same, or one is a directory above the other. */
export function overlap(a: string, b: string): boolean {
  return a === b || (a.endsWith('/') && b.startsWith(a)) || (b.endsWith('/') && a.startsWith(b));
}

function sorted<V>(record: Record<string, V>): Record<string, V> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
