/** What holds back the whole project: a halt, quotas, breakers. Read from rows, for `status`. */
import { HALT_BY_FILE } from '../../app/halt-request.ts';
import { type Store, THIS_HOST } from '../../engine/ports/store.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { Halted } from '../../mind/domain/board.ts';
import { BOARD, HOST } from '../../mind/domain/stream-name.ts';
import { quotaText } from '../../mind/protocol/quota-text.ts';
import type { Output } from './output.ts';

type ParkedCli = { readonly cli: string; readonly until: number; readonly told: boolean };
/** `at`: null if no process has read the request yet. */
type HaltedNow = Pick<Halted, 'by' | 'reason' | 'now'> & { readonly at: number | null };
type HeldBack = {
  readonly parked: readonly ParkedCli[];
  readonly breakers: readonly string[];
  readonly halted: HaltedNow | null;
};

/** The file exists, and no process has read it yet; each reads it before it starts anything. */
export const REQUESTED: HaltedNow = { by: 'file', reason: HALT_BY_FILE.reason, at: null, now: false };

export function printHalted(out: Output, { by, reason, now }: HaltedNow): void {
  const cut = now ? ', attempts under way are cut' : '';
  out.line(
    `halted by ${by.replace(/^operator:/, '')}${cut}${reason === '' ? '' : `: ${reason}`}. \`supervisor resume\` lets the project run again`,
    'bad',
  );
}

/** CLIs that take no work at present and why, from the machine's and the board's facts. */
export async function heldBack(store: Store, id: ProjectId, now: number): Promise<HeldBack> {
  const host = await store.row(THIS_HOST, HOST);
  const board = await store.row(id, BOARD);
  const { parked = [] } = (host?.summary ?? {}) as { parked?: ParkedCli[] };
  const { breakers = [], halted = null } = (board?.summary ?? {}) as { breakers?: string[]; halted?: Halted };
  return { parked: parked.filter(({ until }) => until > now), breakers, halted };
}

export function printHeld(out: Output, { parked, breakers }: Omit<HeldBack, 'halted'>, now: number): void {
  for (const parking of parked) out.entry('parked', quotaText(parking.cli, parking, now), 'note');
  for (const lane of breakers)
    out.entry(
      'breaker',
      `${lane} is open after repeated failures; \`supervisor reset ${lane}\` when it works again`,
      'bad',
    );
}
