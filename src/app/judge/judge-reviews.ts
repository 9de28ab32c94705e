/** Asks reviewers about one change without a task. They see what a task's reviewers see, and never a commit message. */
import type { HandContext, Hands } from '../../engine/ports/hands.ts';
import type { StepId, TaskId } from '../../kernel/ids.ts';
import { parseAnswer } from '../../mind/answers/parse-answer.ts';
import type { Candidate, Spec } from '../../mind/domain/values.ts';
import type { WorkerRun } from '../../mind/domain/worker-run.ts';
import type { JudgedGate, JudgedReview } from '../../mind/judgement/judgement.ts';
import type { Role } from '../../mind/roles/role.ts';
import { findingId } from '../../mind/verdict/open-findings.ts';
import { findingsIn } from '../../mind/workers/answer.ts';

export type ReviewAsk = { readonly role: Role; readonly cli: string };

type ReviewsRequest = {
  readonly name: string;
  readonly hand: Hands['worker'];
  readonly asks: readonly ReviewAsk[];
  readonly candidate: Candidate;
  /**
   * The task as the operator described it; null if they did not. Commit messages are the author's words and do not
   * count.
   */
  readonly task: string | null;
  /** Advisory gates are shown to reviewers. */
  readonly gates: readonly JudgedGate[];
  readonly context: HandContext;
  readonly now: number;
  readonly wallMs: number;
  readonly begins: (ask: ReviewAsk) => void;
};

const NO_TASK = 'The purpose of this change is not known. Judge whether it is right by itself.';

/** Runs one reviewer after the other. Each is a fresh worker that sees nothing of the others. */
export async function askReviewers(asked: ReviewsRequest): Promise<readonly JudgedReview[]> {
  const reviews: JudgedReview[] = [];
  for (const [n, ask] of asked.asks.entries()) {
    if (asked.context.signal.aborted) break;
    asked.begins(ask);
    reviews.push(await reviewBy(asked, ask, n + 1));
  }
  return reviews;
}

async function reviewBy(asked: ReviewsRequest, { role, cli }: ReviewAsk, token: number): Promise<JudgedReview> {
  const { name, hand, candidate, context } = asked;
  const work = workOf(asked, { role, cli }, token);
  const step = `review-${token}` as StepId;
  const effect = { key: `${name}.${step}`, stream: name, task: name as TaskId, step, token, started: false, work };
  const around = async () => ({ goal: null, queue: [], history: [] });
  const { class: outcome, reason, said = null, answer = null } = await hand.run(effect, work, { ...context, around });
  const text = answer === null ? null : await context.read(answer);
  const parsed = parseAnswer(role.answer, text ?? '');
  const counts = new Set((said?.open ?? []).map(({ id }) => id));
  const found = parsed.type === 'answer' ? (findingsIn(role.answer, parsed.answer) ?? []) : [];
  return {
    role: role.name,
    cli,
    change_id: candidate.change_id,
    // An answer that cannot be parsed is no opinion.
    said: outcome === 'ok' ? said : null,
    reason: reason ?? '',
    findings: found.filter((finding) => counts.has(findingId(finding))),
  };
}

function workOf(
  { name, candidate, task, gates, now, wallMs }: ReviewsRequest,
  { role, cli }: ReviewAsk,
  token: number,
): WorkerRun {
  const spec: Spec = { version: 1, text: task ?? NO_TASK };
  const advised = gates.flatMap(({ name: gate, blocking, status }) =>
    blocking || status === 'pass' || status === 'skipped' ? [] : [{ gate, status, evidence: null }],
  );
  const measured = gates.flatMap(({ name: gate, status, excused, tests }) =>
    status === 'skipped' ? [] : [{ gate, status, excused, tests }],
  );
  return {
    kind: 'worker.run',
    attempt: {
      number: 1,
      token,
      kind: 'answer',
      round: 1,
      on: candidate,
      cli,
      chain: 0,
      reserve: 0,
      started: now,
      deadline: now + wallMs,
    },
    attempts: 1,
    role: role.name,
    turns: 0,
    grants: [],
    scope: [],
    gates: [],
    before: [],
    config: {},
    contextScope: null,
    handOver: false,
    spec,
    input: candidate,
    start: null,
    made: [],
    base: candidate.base,
    feedback: null,
    repeated: false,
    findings: [],
    reviews: [],
    advised,
    measured,
    sentBack: {
      task: name as TaskId,
      step: `review-${token}` as StepId,
      trace: name,
      change: null,
      count: 0,
      until: now + wallMs,
    },
  };
}
