/**
 * The input of the feedback document: what the task records about the rejected attempt, and the texts that it names.
 */
import type { BlobHash } from '../../kernel/ids.ts';
import type { WorkerRun } from '../../mind/domain/worker-run.ts';
import type { FeedbackFacts } from '../../mind/feedback/document.ts';
import type { Role } from '../../mind/roles/role.ts';

/** The parts of a task about a rejected attempt. */
export type Rejected = Pick<WorkerRun, 'attempts' | 'feedback' | 'repeated' | 'findings' | 'reviews' | 'sentBack'> &
  Pick<WorkerRun, 'grants' | 'scope' | 'gates' | 'dismissed' | 'analyses' | 'isAnalysis'> & {
    /** `deadline` is null if no attempt is about to start. */
    readonly attempt: Pick<WorkerRun['attempt'], 'kind' | 'number' | 'started'> & { readonly deadline: number | null };
    /** Whether the tree contains the rejected change. */
    readonly startsFrom: 'last' | 'line';
  };

/** Returns null if nothing was sent back. The texts are unchanged; callers add the paths. */
export async function feedbackFacts(
  rejected: Rejected,
  roleOf: (name: string) => Pick<Role, 'answer'>,
  read: (hash: BlobHash) => Promise<string | null>,
): Promise<FeedbackFacts | null> {
  const { attempt, feedback, findings, sentBack, startsFrom, isAnalysis = false } = rejected;
  const said = [
    ...rejected.reviews.map((one) => ({ ...one, about: 'change' as const })),
    ...(rejected.analyses ?? []).map((one) => ({ ...one, about: 'failure' as const })),
  ];
  if (feedback === null && findings.length === 0) return null;
  const { task, step, trace, change, count, until } = sentBack;
  const failed = findings.filter(({ status }) => status !== 'pass');
  const [outputs, answers] = await Promise.all([
    Promise.all(failed.map(({ evidence }) => (evidence === null ? null : read(evidence)))),
    Promise.all(said.map(({ answer }) => read(answer))),
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
    answers: said.flatMap(({ role, about }, n) => {
      const text = answers[n] ?? null;
      return text === null ? [] : [{ by: role, kind: roleOf(role).answer, text, about }];
    }),
    dismissed: (rejected.dismissed ?? []).map(({ id }) => id),
    attempt: { number: attempt.number, sent_back: count, of: Math.max(rejected.attempts, count) },
    time: {
      task_ms: until - attempt.started,
      attempt_ms: attempt.deadline === null ? null : attempt.deadline - attempt.started,
    },
    ...(isAnalysis ? { asks: 'analysis' as const } : {}),
    scope: { only: [], frozen: [], except: [] },
    starts_from: attempt.kind === 'change' ? startsFrom : null,
  };
}
