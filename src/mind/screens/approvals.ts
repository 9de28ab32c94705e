/** The screen on which a person answers questions, as a state and the effect of each key. It sends nothing itself. */
import type { Level } from '../workflows/approval-policy.ts';
import type { KeyPress } from './keys.ts';

/** One question, with everything needed to answer it. */
export type ApprovalQuestion = {
  readonly task: string;
  readonly title: string;
  readonly step: string;
  readonly text: string;
  readonly reason: string;
  /** Its risk level; null if no policy says so. */
  readonly level: Level | null;
  /** What the answer is about; null if it has no id. */
  readonly about: string | null;
  /** A separate command answers it, not a yes or a no. */
  readonly command: string | null;
  /** The question is never approved together with others. */
  readonly alone?: boolean;
  readonly files: readonly { readonly path: string; readonly added: number | null; readonly removed: number | null }[];
  readonly checks: readonly { readonly name: string; readonly good: boolean; readonly text: string }[];
  readonly diff: readonly string[];
};

export type ApprovalAnswer = {
  readonly ask: number;
  readonly decision: 'APPROVE' | 'REJECT';
  readonly reason: string;
};

export type Approvals = {
  readonly asks: readonly ApprovalQuestion[];
  readonly at: number;
  readonly mode:
    | { readonly name: 'ask' | 'done' }
    | { readonly name: 'diff'; readonly top: number }
    /** `for`: the questions that the word approves. `top`: the first one that is listed. */
    | {
        readonly name: 'word';
        readonly word: string;
        readonly typed: string;
        readonly for: readonly number[];
        readonly top: number;
      }
    | { readonly name: 'reason' | 'comment'; readonly typed: string };
  /** By question: the person's comments on lines of the change. */
  readonly comments: Readonly<Record<number, readonly string[]>>;
  /** Questions that are answered or skipped. */
  readonly over: ReadonlySet<number>;
  /** To be sent now. */
  readonly answers: readonly ApprovalAnswer[];
  readonly said: string;
};

export const approvalsOf = (asks: readonly ApprovalQuestion[]): Approvals => ({
  asks,
  at: 0,
  mode: { name: asks.length === 0 ? 'done' : 'ask' },
  comments: {},
  over: new Set(),
  answers: [],
  said: '',
});

const PASTED = 'pasted text approves nothing: press the key, or type the word';

export function press(state: Approvals, key: KeyPress): Approvals {
  const now = { ...state, answers: [], said: '' };
  if (key.type === 'stop') return { ...now, mode: { name: 'done' } };
  switch (now.mode.name) {
    case 'done':
      return now;
    case 'ask':
      return onAsk(now, key);
    case 'diff':
      return onDiff(now, now.mode.top, key);
    default:
      return onText(now, now.mode, key);
  }
}

function onAsk(state: Approvals, key: KeyPress): Approvals {
  if (key.type === 'paste') return { ...state, said: PASTED };
  if (key.type !== 'char') return state;
  const ask = state.asks[state.at];
  if (ask === undefined) return state;
  const needsCommand = { ...state, said: `this one has an answer of its own: ${ask.command ?? ''}` };
  switch (key.char.toLowerCase()) {
    case 'a':
      if (ask.command !== null) return needsCommand;
      return isRisky(ask) ? typed(state, 'approve', [state.at]) : answered(state, 'APPROVE', [state.at], '');
    case 'r':
      return ask.command === null ? { ...state, mode: { name: 'reason', typed: '' } } : needsCommand;
    case 'd':
      return ask.diff.length === 0
        ? { ...state, said: 'there is no change to show' }
        : { ...state, mode: { name: 'diff', top: 0 } };
    case 'c':
      return { ...state, mode: { name: 'comment', typed: '' } };
    case 's':
      return skipped(state);
    case 'b': {
      const calm = state.asks.flatMap((one, n) =>
        state.over.has(n) || !isCalm(one) || one.command !== null || one.alone === true ? [] : [n],
      );
      if (calm.length === 0) return { ...state, said: 'no question of low or medium risk is left' };
      return typed(state, `approve ${calm.length}`, calm);
    }
    case 'q':
      return { ...state, mode: { name: 'done' } };
    default:
      return state;
  }
}

const isCalm = ({ level }: Pick<ApprovalQuestion, 'level'>): boolean => level === 'low_risk' || level === 'medium_risk';
const isRisky = ({ level }: Pick<ApprovalQuestion, 'level'>): boolean => level === 'high_risk' || level === 'critical';

const typed = (state: Approvals, word: string, asks: readonly number[]): Approvals => ({
  ...state,
  mode: { name: 'word', word, typed: '', for: asks, top: 0 },
});

/** How many lines a page key moves. */
const PAGE = 10;

const STEPS: Partial<Record<KeyPress['type'], number>> = { up: -1, down: 1, pageup: -PAGE, pagedown: PAGE };

/** The first line that is shown after this key; null: the key does not move. */
function movedTo(top: number, { type }: KeyPress, count: number): number | null {
  const step = STEPS[type];
  return step === undefined ? null : Math.min(Math.max(0, count - 1), Math.max(0, top + step));
}

function onDiff(state: Approvals, top: number, key: KeyPress): Approvals {
  const moved = movedTo(top, key, state.asks[state.at]?.diff.length ?? 0);
  if (moved !== null) return { ...state, mode: { name: 'diff', top: moved } };
  const isBack = key.type === 'escape' || (key.type === 'char' && /^[dq]$/i.test(key.char));
  return isBack ? { ...state, mode: { name: 'ask' } } : state;
}

type Typing = Extract<Approvals['mode'], { typed: string }>;
const MOST_TYPED = 2_000;

function onText(state: Approvals, mode: Typing, key: KeyPress): Approvals {
  if (key.type === 'escape') return { ...state, mode: { name: 'ask' } };
  const moved = mode.name === 'word' ? movedTo(mode.top, key, mode.for.length) : null;
  if (moved !== null && mode.name === 'word') return { ...state, mode: { ...mode, top: moved } };
  if (key.type === 'backspace') return { ...state, mode: { ...mode, typed: [...mode.typed].slice(0, -1).join('') } };
  if (key.type === 'char' || key.type === 'paste') {
    if (key.type === 'paste' && mode.name === 'word') return { ...state, said: PASTED };
    const more = key.type === 'char' ? key.char : key.text.replace(/[\p{C}\s]+/gu, ' ');
    return { ...state, mode: { ...mode, typed: `${mode.typed}${more}`.slice(0, MOST_TYPED) } };
  }
  if (key.type !== 'enter') return state;
  const text = mode.typed.trim();
  if (mode.name === 'word') {
    if (text !== mode.word) return { ...state, mode: { ...mode, typed: '' }, said: `that was not "${mode.word}"` };
    return answered(state, 'APPROVE', mode.for, '');
  }
  if (text === '')
    return { ...state, said: mode.name === 'reason' ? 'say what is wrong, or press Esc' : 'Esc goes back' };
  if (mode.name === 'reason') return answered(state, 'REJECT', [state.at], text);
  const before = state.comments[state.at] ?? [];
  return {
    ...state,
    mode: { name: 'ask' },
    comments: { ...state.comments, [state.at]: [...before, text] },
    said: 'the comment goes with your answer',
  };
}

function answered(
  state: Approvals,
  decision: ApprovalAnswer['decision'],
  asks: readonly number[],
  reason: string,
): Approvals {
  const answers = asks.map((ask) => ({
    ask,
    decision,
    reason: [reason, ...(state.comments[ask] ?? [])].filter((one) => one !== '').join('\n'),
  }));
  return onward({ ...state, answers }, asks);
}

const skipped = (state: Approvals): Approvals => onward(state, [state.at]);

function onward(state: Approvals, asks: readonly number[]): Approvals {
  const over = new Set([...state.over, ...asks]);
  const next = state.asks.findIndex((_, n) => !over.has(n));
  return next < 0 ? { ...state, over, mode: { name: 'done' } } : { ...state, over, at: next, mode: { name: 'ask' } };
}
