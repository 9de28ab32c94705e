/** The machine's memory: if most of it is in use, no further worker starts. Running ones go on. */
import type { Draft } from '../domain/draft.ts';
import type { QueueEntry } from '../domain/holds.ts';
import { memoryShareOf } from '../domain/limits.ts';
import type { Project } from '../domain/project.ts';
import { BOARD } from '../domain/stream-name.ts';

/**
 * Usage has to fall a little below the limit before work goes on: otherwise each ending worker would cause two events.
 */
const EASED = 0.95;

/**
 * Records when the limit is reached while work waits, and when it no longer is. `used` is null if nothing measures it.
 */
export function watchMemory(draft: Draft, used: number | null): void {
  const { board } = draft.project;
  const limit = memoryShareOf(board.limits);
  if (board.pressed !== undefined) {
    if (used === null || used < limit * EASED) draft.emit(BOARD, { type: 'board.eased', data: { used } });
  } else if (used !== null && used >= limit && hasRealWork(draft.project)) {
    draft.emit(BOARD, { type: 'board.pressed', data: { used, limit } });
  }
}

/** Simulated work needs almost no memory. */
function hasRealWork({ holds, tasks }: Project): boolean {
  const isReal = ({ task }: QueueEntry) => tasks.get(task)?.spec.simulated !== true;
  return [...holds.ready.values()].some((queue) => [...queue].some(([, waiting]) => isReal(waiting)));
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

export const pressedText = ({ used, limit }: NonNullable<Project['board']['pressed']>): string =>
  `free memory: ${percent(used)} of the machine's is in use, and no worker is started from ${percent(limit)} on (limits.memory_share)`;
