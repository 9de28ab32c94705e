/** What a worker is told of its task's surroundings: only what matters to it, since the rest distracts. */
import type { AnswerKind } from '../answers/schemas.ts';

type WorkerNote = {
  /** The role that wrote it. */
  readonly by: string;
  readonly kind: AnswerKind;
  /** The author of the note also made the change. */
  readonly author?: boolean;
  readonly text: string;
};

export type PromptSurroundings = {
  readonly goal: string | null;
  /** Open tasks, oldest first, and finished ones, newest first; one line each. */
  readonly queue: readonly string[];
  readonly history: readonly string[];
  /** What earlier workers of this task wrote. */
  readonly notes: readonly WorkerNote[];
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
 * Notes of earlier steps are always shown, even if they share no words with the task: a plan need not use the task's
 * words. A judge does not see what the change's author or another judge says about it: such text hides defects.
 */
export function relevant({ text, files, answer, judges }: About, around: PromptSurroundings): PromptSurroundings {
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

/**
 * The kinds of answers that a judge sees: earlier decisions, and no opinions, since a judge who reads one repeats it.
 */
const TELLS_JUDGES: ReadonlySet<AnswerKind> = new Set(['brainstorm', 'document', 'plan', 'generic']);

/** The step decides what to do at all, so it needs all of the task's surroundings. */
export const plansAhead = (answer: AnswerKind): boolean =>
  answer === 'plan' || answer === 'brainstorm' || answer === 'document';

/** Such a task does not depend on its surroundings. */
export const standsAlone = (text: string): boolean => isSimpleFix(text) && !BACK.test(text) && !AHEAD.test(text);

const BACK =
  /\b(?:previous(?:ly)?|earlier|so far|already|(?:last|prior) (?:task|step|attempt|change|time)|as (?:planned|decided|discussed|before)|continu(?:e|ing|ation)|follow[- ]up|go on|rest of|remaining|again)\b/i;
const AHEAD =
  /\b(?:next (?:task|step|phase)|later (?:task|step|phase|on)|other (?:task|component)s?|queue|upcoming|depends? on)\b/i;

const MAX_FIX_WORDS = 30;

/** A few words that say what to fix: its surroundings do not help. */
const isSimpleFix = (text: string): boolean =>
  text.trim().split(/\s+/).length <= MAX_FIX_WORDS &&
  /\b(?:fix|typo|correct|rename|bump|remove|delete|spelling|misspelt|off[- ]by[- ]one)\b/i.test(text);

const recent = ({ goal, queue, history, notes }: PromptSurroundings): PromptSurroundings => ({
  goal,
  queue: queue.slice(0, MAX_ITEMS),
  history: history.slice(0, MAX_ITEMS),
  // A workflow has no more of them than steps.
  notes,
});

/** Names one of the files, or shares two significant words. */
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
