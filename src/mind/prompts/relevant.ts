/** Which of what is going on around a task its worker is told: only what matters to it, since the rest is in the way. */
import type { AnswerKind } from '../answers/schemas.ts';

type Note = {
  /** The role that said it. */
  readonly by: string;
  readonly kind: AnswerKind;
  /** It is about a change that its own worker made. */
  readonly author?: boolean;
  readonly text: string;
};

export type Surroundings = {
  readonly goal: string | null;
  /** What is still to be done, the oldest first, and what was done before, the newest first; a line each. */
  readonly queue: readonly string[];
  readonly history: readonly string[];
  /** What earlier workers of this task wrote. */
  readonly notes: readonly Note[];
};

export type About = {
  readonly text: string;
  readonly files: readonly string[];
  readonly answer: AnswerKind;
  /** Whether the worker judges a change. */
  readonly judges: boolean;
};

const MAX_ITEMS = 10;

/**
 * What the steps before said is always told, whether or not it sounds like the task: a plan need not use the task's words.
 * Who judges a change is not told what its author or another judge says of it: such text hides defects.
 */
export function relevant({ text, files, answer, judges }: About, around: Surroundings): Surroundings {
  if (plansAhead(answer)) return recent(around);
  const notes = judges
    ? around.notes.filter(({ kind, author }) => TELLS_JUDGES.has(kind) && author !== true)
    : around.notes;
  const [back, ahead] = [BACK.test(text), AHEAD.test(text)];
  if (standsAlone(text)) return recent({ goal: null, queue: [], history: [], notes });
  const near = closeTo(text, files);
  return recent({
    goal: around.goal !== null && (/\bgoals?\b/i.test(text) || near(around.goal)) ? around.goal : null,
    queue: ahead ? around.queue : around.queue.filter(near),
    history: back ? around.history : around.history.filter(near),
    notes,
  });
}

/** What was settled before the change, and no other opinion on it: whoever has read one finds the same. */
const TELLS_JUDGES: ReadonlySet<AnswerKind> = new Set(['brainstorm', 'document', 'plan', 'generic']);

/** Its work is about what is to be done at all, so it needs to know all that goes on around the task. */
export const plansAhead = (answer: AnswerKind): boolean =>
  answer === 'plan' || answer === 'brainstorm' || answer === 'document';

/** Nothing that goes on around it matters to such a task. */
export const standsAlone = (text: string): boolean => isSimpleFix(text) && !BACK.test(text) && !AHEAD.test(text);

const BACK =
  /\b(?:previous(?:ly)?|earlier|so far|already|(?:last|prior) (?:task|step|attempt|change|time)|as (?:planned|decided|discussed|before)|continu(?:e|ing|ation)|follow[- ]up|go on|rest of|remaining|again)\b/i;
const AHEAD =
  /\b(?:next (?:task|step|phase)|later (?:task|step|phase|on)|other (?:task|component)s?|queue|upcoming|depends? on)\b/i;

const MAX_FIX_WORDS = 30;

/** A few words that say what to put right: nothing around it helps. */
const isSimpleFix = (text: string): boolean =>
  text.trim().split(/\s+/).length <= MAX_FIX_WORDS &&
  /\b(?:fix|typo|correct|rename|bump|remove|delete|spelling|misspelt|off[- ]by[- ]one)\b/i.test(text);

const recent = ({ goal, queue, history, notes }: Surroundings): Surroundings => ({
  goal,
  queue: queue.slice(0, MAX_ITEMS),
  history: history.slice(0, MAX_ITEMS),
  // A workflow has no more of them than steps.
  notes,
});

/** Names one of the files, or shares two telling words. */
function closeTo(text: string, files: readonly string[]): (other: string) => boolean {
  const ours = tellingWords(`${text} ${files.join(' ')}`);
  return (other) => files.some((file) => other.includes(file)) || tellingWords(other).intersection(ours).size >= 2;
}

const PLAIN = new Set(
  'about after before change code could every file files from have into make must need only other project should some task than that their them then there these they this those update when where which will with work would'.split(
    ' ',
  ),
);

const tellingWords = (text: string): Set<string> =>
  new Set(
    (text.toLowerCase().match(/[\p{L}\d_]{4,}/gu) ?? [])
      .filter((word) => !PLAIN.has(word))
      .map((word) => word.replace(/(?:ings?|ed|es|s)$/, '')),
  );
