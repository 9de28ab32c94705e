/** What tasks hold, counted again from nothing: other code than the engine's, so that both being wrong alike is unlikely. */
import type { Holds } from '../../src/mind/domain/holds.ts';
import type { Project } from '../../src/mind/domain/project.ts';
import type { Task } from '../../src/mind/domain/task.ts';

export type Held = {
  readonly ready: readonly string[];
  readonly busy: number;
  readonly busyCli: Readonly<Record<string, number>>;
  readonly locks: Readonly<Record<string, string>>;
  readonly reserved: number;
};

export function recount(project: Project): Held {
  const ready: string[] = [];
  const busyCli: Record<string, number> = {};
  const locks: Record<string, string> = {};
  let busy = 0;
  let reserved = 0;
  for (const task of openTasks(project)) {
    for (const lock of task.locks) locks[lock] = task.id;
    for (const [id, { place }] of task.steps) {
      if (place.at === 'ready' && task.open.some((open) => open === id)) ready.push(`${task.id}/${id}`);
      if (place.at !== 'working' && place.at !== 'checking') continue;
      busy += 1;
      reserved += place.attempt.reserve;
      busyCli[place.attempt.cli] = (busyCli[place.attempt.cli] ?? 0) + 1;
    }
  }
  return { ready: ready.sort(), busy, busyCli: sorted(busyCli), locks: sorted(locks), reserved };
}

/** The engine's index in the same form. */
export function counted(holds: Holds): Held {
  const ready = [...holds.ready.values()].flatMap((lane) =>
    [...lane.values()].map(({ task, step }) => `${task}/${step}`),
  );
  const busyCli = sorted(Object.fromEntries(holds.busyCli));
  const locks = sorted(Object.fromEntries(holds.locks));
  return { ready: ready.sort(), busy: holds.busy, busyCli, locks, reserved: holds.reserved };
}

export function openTasks(project: Project): Task[] {
  return [...project.tasks.values()].filter((task) => task.closed === null);
}

/** Whether two locks may not be held by two tasks: the same, or one is a directory above the other. */
export function overlap(a: string, b: string): boolean {
  return a === b || (a.endsWith('/') && b.startsWith(a)) || (b.endsWith('/') && a.startsWith(b));
}

function sorted<V>(record: Record<string, V>): Record<string, V> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
