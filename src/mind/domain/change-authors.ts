/** The CLIs and people that made the change of a task. */
import type { Task } from './task.ts';

/** The CLIs that made the present change, each once. */
export function authorsOf({ steps, candidate }: Pick<Task, 'steps' | 'candidate'>): readonly string[] {
  if (candidate === null) return [];
  const made = [...steps.values()].flatMap(({ place }) =>
    place.at === 'done' && place.candidate !== null && place.cli !== undefined ? [place.cli] : [],
  );
  return [...new Set(made)];
}

/** The people who made the present change, each once. */
export function peopleOf({ steps }: Pick<Task, 'steps'>): readonly string[] {
  const made = [...steps.values()].flatMap(({ place }) =>
    place.at === 'done' && place.candidate !== null && place.by !== undefined ? [place.by] : [],
  );
  return [...new Set(made)];
}
