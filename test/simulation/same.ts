/** Whether two states are the same, and where not. */
import { canonicalJson } from '../../src/kernel/json.ts';
import type { Project } from '../../src/mind/domain/project.ts';
import type { Task } from '../../src/mind/domain/task.ts';
import { counted } from './recount.ts';

/** The quick comparison nearly always decides; keys may stand in another order all the same. */
export function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b) || canonical(a) === canonical(b);
}

/** Where a state that may have forgotten closed tasks differs from one that has not; in words, or null. */
export function differenceOf(state: Project, fold: Project, options: { readonly withHost: boolean }): string | null {
  for (const part of ['board', 'goal', 'proposals', 'host'] as const) {
    if (part === 'host' && !options.withHost) continue;
    if (!same(state[part], fold[part])) return `${part} differs: ${brief(state[part])} from ${brief(fold[part])}`;
  }
  const [held, wanted] = [counted(state.holds), counted(fold.holds)];
  if (!same(held, wanted)) return `what is held differs: ${brief(held)} from ${brief(wanted)}`;
  for (const [id, task] of state.tasks) if (!same(task, fold.tasks.get(id))) return `task ${id} differs`;
  const live = [...fold.tasks.values()].filter((task) => task.closed === null || !isTold(task));
  const missing = live.find((task) => !state.tasks.has(task.id));
  return missing === undefined ? null : `task ${missing.id} is missing`;
}

/** No message about it is still to be sent. */
export const isTold = ({ notify, held, digest }: Task): boolean =>
  !notify && held === undefined && digest === undefined;

const canonical = (value: unknown): string => canonicalJson(JSON.parse(JSON.stringify(value ?? null)));
const brief = (value: unknown): string => JSON.stringify(value).slice(0, 300);
