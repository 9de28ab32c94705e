/** The memory of the machine: where most of it is in use, no further worker is started. What runs goes on. */
import type { Draft } from '../domain/draft.ts';
import type { Waiting } from '../domain/holds.ts';
import { memoryShareOf } from '../domain/limits.ts';
import type { Project } from '../domain/project.ts';
import { BOARD } from '../domain/stream-name.ts';

/** It has to fall a little below the limit before work goes on: else each worker that ends would be two facts. */
const EASED = 0.95;

/** Writes down when the limit is reached while work waits, and when it no longer is. `used` is null where nobody measures. */
export function watchMemory(draft: Draft, used: number | null): void {
  const { board } = draft.project;
  const limit = memoryShareOf(board.limits);
  if (board.pressed !== undefined) {
    if (used === null || used < limit * EASED) draft.emit(BOARD, { type: 'board.eased', data: { used } });
  } else if (used !== null && used >= limit && hasRealWork(draft.project)) {
    draft.emit(BOARD, { type: 'board.pressed', data: { used, limit } });
  }
}

/** What is only played needs no memory to speak of. */
function hasRealWork({ holds, tasks }: Project): boolean {
  const isReal = ({ task }: Waiting) => tasks.get(task)?.spec.simulated !== true;
  return [...holds.ready.values()].some((queue) => [...queue].some(([, waiting]) => isReal(waiting)));
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

export const pressedText = ({ used, limit }: NonNullable<Project['board']['pressed']>): string =>
  `free memory: ${percent(used)} of the machine's is in use, and no worker is started from ${percent(limit)} on (limits.memory_share)`;
