/** Decisions about the board: halt and resume the project, reset a CLI. */

import { type Rejection, rejected } from '../../kernel/result.ts';
import { actorText, type CommandOf } from '../domain/commands.ts';
import type { Draft } from '../domain/draft.ts';
import { bothNames } from '../domain/simulated-names.ts';
import { BOARD, HOST } from '../domain/stream-name.ts';

/** No attempt starts any more. Halting again is no event, but `now` can be added to a halt without it. */
export function halt(draft: Draft, { reason, now }: CommandOf<'board.halt'>): null {
  const { halted } = draft.project.board;
  if (halted !== undefined && (!now || halted.now)) return null;
  const by = actorText(draft.envelope.actor);
  draft.emit(BOARD, { type: 'board.halted', data: { by, reason, ...(now ? { now } : {}) } });
  return null;
}

export function setRunning(draft: Draft, { reason }: CommandOf<'board.resume'>): null {
  if (draft.project.board.halted === undefined) return null;
  draft.emit(BOARD, { type: 'board.resumed', data: { by: actorText(draft.envelope.actor), reason } });
  return null;
}

export function resetBreaker(draft: Draft, { lane }: CommandOf<'breaker.reset'>): Rejection | null {
  if (!draft.project.board.breakers.has(lane))
    return rejected('unknown_breaker', `no breaker ${lane} has counted a failure`);
  draft.emit(BOARD, { type: 'breaker.reset', data: { lane } });
  return null;
}

/** Takes the name of a CLI, or of one lane (`reviewer/claude`). */
export function resetCli(draft: Draft, { cli }: CommandOf<'cli.reset'>): Rejection | null {
  const { board, host } = draft.project;
  const both = bothNames(cli);
  const lanes = [...board.breakers.keys()].filter((lane) =>
    both.some((name) => lane === name || lane.endsWith(`/${name}`)),
  );
  const names = both.filter((name) => host.parked.has(name));
  if (lanes.length === 0 && names.length === 0)
    return rejected(
      'nothing_to_reset',
      `${cli} is neither parked nor stopped by a breaker; \`supervisor status\` lists what is`,
    );
  for (const lane of lanes) draft.emit(BOARD, { type: 'breaker.reset', data: { lane } });
  for (const name of names)
    draft.emit(HOST, { type: 'cli.unparked', data: { cli: name, why: 'reset by the operator' } });
  return null;
}
