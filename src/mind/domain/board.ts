/**
 * The board's own facts: limits in force, money spent, breakers. What is *held* now is computed from the tasks
 * (holds.ts).
 */
import { assertNever } from '../../kernel/assert-never.ts';
import { OrderedMap } from '../../kernel/ordered-map.ts';
import type { BoardEvent } from './events/index.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';

export type Breaker = { readonly failures: readonly number[]; readonly open: boolean };

export type Board = {
  readonly limits: Limits;
  readonly spent: number;
  /** Tokens that budgets count; absent if none. */
  readonly tokens?: number;
  readonly breakers: OrderedMap<Breaker>;
  /** Set if a person halted the project: no attempt starts. */
  readonly halted?: Halted;
  /** Set while so much of the machine's memory is in use that no worker starts. */
  readonly pressed?: { readonly used: number; readonly limit: number };
  /** When it was last resumed: a task's age does not count the time before. Absent if it was never halted. */
  readonly resumed?: number;
};

export type Halted = {
  readonly by: string;
  readonly reason: string;
  readonly at: number;
  /** Running attempts are cut as well. */
  readonly now: boolean;
};

export const BOARD_REDUCER = 1;
export const EMPTY_BOARD: Board = { limits: DEFAULT_LIMITS, spent: 0, breakers: OrderedMap.empty() };
const CLOSED_BREAKER: Breaker = { failures: [], open: false };

export function evolveBoard(board: Board, event: BoardEvent, time: number): Board {
  switch (event.type) {
    case 'board.configured':
      return { ...board, limits: event.data.limits };
    case 'board.charged':
      return { ...board, spent: board.spent + event.data.microusd, ...moreTokens(board, event.data) };
    case 'breaker.counted': {
      const { lane, at } = event.data;
      const breaker = board.breakers.get(lane) ?? CLOSED_BREAKER;
      const failures = [...breaker.failures.filter((one) => one > at - board.limits.breaker.window_ms), at];
      return { ...board, breakers: board.breakers.set(lane, { ...breaker, failures }) };
    }
    case 'breaker.opened': {
      const breaker = board.breakers.get(event.data.lane) ?? CLOSED_BREAKER;
      return { ...board, breakers: board.breakers.set(event.data.lane, { ...breaker, open: true }) };
    }
    case 'breaker.reset':
      return { ...board, breakers: board.breakers.delete(event.data.lane) };
    case 'board.halted': {
      const { by, reason, now } = event.data;
      return { ...board, halted: { by, reason, at: time, now: now === true } };
    }
    case 'board.resumed': {
      const { halted: _, ...running } = board;
      return { ...running, resumed: time };
    }
    case 'board.pressed':
      return { ...board, pressed: event.data };
    case 'board.eased': {
      const { pressed: _, ...eased } = board;
      return eased;
    }
    default:
      return assertNever(event, 'board event');
  }
}

/** Absent as long as there are none. */
export const moreTokens = (
  { tokens: before = 0 }: { readonly tokens?: number },
  { tokens = 0 }: { readonly tokens?: number | undefined },
): { readonly tokens?: number } => (before + tokens === 0 ? {} : { tokens: before + tokens });
