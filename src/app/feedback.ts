/** The feedback documents of a task: one for each step whose last attempt was sent back. */
import type { Store } from '../engine/ports/store.ts';
import type { Redact } from '../engine/ports/surroundings.ts';
import { feedbackFacts } from '../hands/workers/feedback-facts.ts';
import type { BlobHash, StepId } from '../kernel/ids.ts';
import { parseAnswer } from '../mind/answers/parse-answer.ts';
import type { AnswerKind } from '../mind/answers/schemas.ts';
import type { Settings } from '../mind/config/project-config.ts';
import type { Attempt } from '../mind/domain/task.ts';
import { workerRun } from '../mind/domain/worker-run.ts';
import { type Feedback, type FeedbackFacts, feedbackOf } from '../mind/feedback/document.ts';
import type { TaskView } from './task-view.ts';

type FeedbackAsk = {
  readonly store: Pick<Store, 'blob'>;
  readonly redact: Redact;
  /** The current protected paths; null if the config cannot be read. */
  readonly settings: Pick<Settings, 'testPaths' | 'protect'> | null;
  readonly now: number;
};

export async function feedbackOfTask(
  { project, task, workflow, events }: TaskView,
  ask: FeedbackAsk,
): Promise<Feedback[]> {
  const documents: Feedback[] = [];
  for (const [id, step] of task.steps) {
    const kind = workflow.steps.get(id)?.kind;
    if (step.feedback === null || (kind !== 'change' && kind !== 'answer')) continue;
    const next = { kind, number: step.attempts + 1, started: ask.now, deadline: null };
    const run = workerRun(project, task, id as StepId, step, next as unknown as Attempt<typeof kind>);
    const own = run.start ?? run.made.at(-1)?.candidate;
    const startsFrom = own !== undefined && (run.start !== null || own.tree === run.input?.tree) ? 'last' : 'line';
    const read = (hash: BlobHash) => textOf(ask, hash);
    const facts = await feedbackFacts({ ...run, attempt: next, startsFrom }, ANY_ROLE, read);
    if (facts === null) continue;
    const { testPaths = [], protect = [] } = ask.settings ?? {};
    const scope = {
      only: run.scope,
      frozen: [...testPaths, ...protect],
      except: [...new Set([...(run.spec.allow ?? []), ...run.grants])],
    };
    const answers = facts.answers.map((one) => ({ ...one, kind: kindOf(one.text) }));
    const attempt = task.closed === null ? facts.attempt : endedAttempt(facts.attempt, id, events);
    documents.push(feedbackOf({ ...facts, answers, attempt, scope }));
  }
  return documents;
}

/** The state counts what is tried again; the attempt that ended its step was sent back as well. */
function endedAttempt(
  { number, sent_back: counted, of }: FeedbackFacts['attempt'],
  id: string,
  events: TaskView['events'],
): FeedbackFacts['attempt'] {
  const last = events.findLast((event) => event.type === 'attempt.settled' && event.data.step === id);
  const isLast =
    last?.type === 'attempt.settled' && last.data.class === 'invalid' && /^(?:close|fail)$/.test(last.data.next.do);
  const sent_back = counted + (isLast ? 1 : 0);
  return { number, sent_back, of: Math.max(of, sent_back), ended: true };
}

async function textOf({ store, redact }: FeedbackAsk, hash: BlobHash): Promise<string | null> {
  const blob = await store.blob(hash);
  if (blob.type !== 'content') return null;
  const [clean = ''] = await redact([blob.content]);
  return clean;
}

/** The role may have changed since; the answer itself shows its kind. */
const ANY_ROLE = () => ({ answer: 'generic' as const });
const kindOf = (text: string): AnswerKind =>
  (['review', 'security'] as const).find((kind) => parseAnswer(kind, text).type === 'answer') ?? 'generic';
