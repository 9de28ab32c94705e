/** What the feedback document is made of: what the task tells of the attempt that was sent back, and the texts that it names. */
import type { BlobHash } from '../../kernel/ids.ts';
import type { WorkerRun } from '../../mind/domain/worker-run.ts';
import type { FeedbackFacts } from '../../mind/feedback/document.ts';
import type { Role } from '../../mind/roles/role.ts';

/** What a task tells of an attempt that was sent back. */
export type Rejected = Pick<WorkerRun, 'attempts' | 'feedback' | 'repeated' | 'findings' | 'reviews' | 'sentBack'> &
  Pick<WorkerRun, 'grants' | 'scope' | 'gates'> & {
    /** `deadline` is null where no attempt is about to begin. */
    readonly attempt: Pick<WorkerRun['attempt'], 'kind' | 'number' | 'started'> & { readonly deadline: number | null };
    /** Whether the tree is that of the change that was sent back. */
    readonly startsFrom: 'last' | 'line';
  };

/** Null: nothing was sent back. The texts are as they were kept; whoever shows them adds the paths. */
export async function feedbackFacts(
  rejected: Rejected,
  roleOf: (name: string) => Pick<Role, 'answer'>,
  read: (hash: BlobHash) => Promise<string | null>,
): Promise<FeedbackFacts | null> {
  const { attempt, feedback, findings, reviews, sentBack, startsFrom } = rejected;
  if (feedback === null && findings.length === 0) return null;
  const { task, step, trace, change, count, until } = sentBack;
  const failed = findings.filter(({ status }) => status !== 'pass');
  const [outputs, answers] = await Promise.all([
    Promise.all(failed.map(({ evidence }) => (evidence === null ? null : read(evidence)))),
    Promise.all(reviews.map(({ answer }) => read(answer))),
  ]);
  return {
    task,
    step,
    trace,
    change,
    reason: feedback,
    repeated: rejected.repeated && feedback !== null,
    gates: failed.map(({ gate, status, score, tests }, n) => ({
      gate,
      status,
      score,
      tests,
      text: outputs[n] ?? null,
      blocking: rejected.gates.length === 0 || rejected.gates.includes(gate),
    })),
    answers: reviews.flatMap(({ role }, n) => {
      const text = answers[n] ?? null;
      return text === null ? [] : [{ by: role, kind: roleOf(role).answer, text }];
    }),
    attempt: { number: attempt.number, sent_back: count, of: Math.max(rejected.attempts, count) },
    time: {
      task_ms: until - attempt.started,
      attempt_ms: attempt.deadline === null ? null : attempt.deadline - attempt.started,
    },
    scope: { only: [], frozen: [], except: [] },
    starts_from: attempt.kind === 'change' ? startsFrom : null,
  };
}
