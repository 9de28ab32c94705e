/** The verdict on a task's change: collects facts from the log and records the result. */
import type { StepId } from '../../kernel/ids.ts';
import { authorsOf } from '../domain/change-authors.ts';
import type { Draft } from '../domain/draft.ts';
import type { VerdictRecord } from '../domain/events/verdict.ts';
import { taskStream } from '../domain/stream-name.ts';
import { degradedSteps, type Evidence, type Step, type Task } from '../domain/task.ts';
import type { Candidate, DiffFacts } from '../domain/values.ts';
import { canaryOf, gateKind, gateWeight, isProof, provenBy } from '../gates/kinds.ts';
import { measuredOf } from '../gates/outcome.ts';
import { isCleared } from '../verdict/dismissed.ts';
import { type GateFact, giveVerdict, THRESHOLDS, type VerdictFacts } from '../verdict/verdict.ts';
import { namesNoLine } from '../verdict/weigh.ts';
import { stepsAfter, type Workflow, type WorkflowStep } from '../workflows/workflow.ts';
import { workflowOf } from './lookup.ts';

export type GivenVerdict = ReturnType<typeof giveVerdict>;
type GateRecord = VerdictRecord['gates'][number];
type ReviewRecord = VerdictRecord['reviews'][number];
type VerdictChange = {
  readonly on: Candidate | null;
  readonly token: number;
  readonly round: number;
  /** Findings in the text of the change; absent if it was not checked. */
  readonly diff?: DiffFacts | undefined;
};

/** Combines the gates of an attempt. Recorded if they concern the task's change, not for intermediate steps. */
export function judgeGates(
  draft: Draft,
  task: Task,
  definition: WorkflowStep,
  judged: VerdictChange & { readonly reports: readonly Evidence[] },
): GivenVerdict {
  const workflow = workflowOf(draft, task);
  const step = task.steps.get(definition.id) as Step;
  const isGate = definition.kind === 'gate';
  const counts = isGate || isLastChange(workflow, definition);
  // In workflow order: the record must not depend on which gate ended first.
  const place = ({ gate }: Evidence) => definition.gates.indexOf(gate);
  const reports = [...judged.reports].sort((a, b) => place(a) - place(b));
  const change = judged.on?.change_id ?? '';
  const gates = reports.map((report) => ({
    ...gateRecord(definition, report),
    ...clearedBy(report, task.dismissed, change),
  }));
  const before = isGate ? earlier(task, judged.on) : NOTHING_BEFORE;
  const own = new Set(gates.map(({ gate }) => gate));
  return give(draft, task, {
    ...judged,
    definition,
    gates: withProofs([...before.gates.filter(({ gate }) => !own.has(gate)), ...gates]),
    reviews: before.reviews,
    diff: judged.diff ?? before.diff,
    rejections: isGate ? step.reworks : (step.used.candidates ?? 0),
    most: isGate ? (definition.rework?.rounds ?? 1) : (definition.attempts ?? draft.project.board.limits.attempts),
    onRecord: counts,
    minApprovals: null,
    consensusAvailable: reviewersAfter(workflow, definition.id) >= MIN_APPROVALS,
  });
}

/** The change was refused for its text: no gate ran, but the verdict is recorded. */
export function judgeDiff(
  draft: Draft,
  task: Task,
  definition: WorkflowStep,
  judged: VerdictChange & { readonly diff: DiffFacts },
): GivenVerdict {
  return give(draft, task, {
    ...judged,
    definition,
    gates: [],
    reviews: [],
    rejections: (task.steps.get(definition.id) as Step).used.candidates ?? 0,
    most: definition.attempts ?? draft.project.board.limits.attempts,
    minApprovals: null,
    consensusAvailable: false,
    onRecord: isLastChange(workflowOf(draft, task), definition),
  });
}

/** Combines reviews of the task's change with what its gates found. */
export function judgeReviews(
  draft: Draft,
  task: Task,
  definition: WorkflowStep,
  judged: VerdictChange & { readonly reviews: readonly ReviewRecord[] },
): GivenVerdict {
  const before = earlier(task, judged.on);
  const own = new Set(judged.reviews.map(({ step }) => step));
  const others = before.reviews.filter((one) => !own.has(one.step) && !isLeft(draft, task, one));
  const left = reviewersAfter(workflowOf(draft, task), definition.id);
  const isAsked = definition.require === 'consensus';
  // Only reviewers of this join vote: an earlier review cannot replace one without an opinion.
  const reviews = [...(isAsked ? [] : others), ...judged.reviews];
  // If the gates left the decision to reviewers, the last one settles it: no objections, and enough approvals.
  const votes = judged.on !== null && isLeftToReviewers(task, judged.on);
  return give(draft, task, {
    ...judged,
    definition,
    gates: before.gates,
    diff: before.diff,
    reviews,
    rejections: (task.steps.get(definition.id) as Step).reworks,
    // A rejection that leads nowhere needs a person.
    most: definition.rework?.rounds ?? 0,
    onRecord: true,
    minApprovals: isAsked || (votes && left === 0) ? MIN_APPROVALS : null,
    everybody: !isAsked,
    consensusAvailable: left > 0 && reviews.length + left >= MIN_APPROVALS,
  });
}

/**
 * A review that a join weighs gave a verdict of its own only because it was held. It is not held any more, so the verdict
 * without it is on record again until the join is reached.
 */
export function judgeWithout(
  draft: Draft,
  task: Task,
  review: StepId,
  { on, token, round }: Pick<VerdictChange, 'on' | 'token' | 'round'>,
): void {
  const workflow = workflowOf(draft, task);
  const definition = workflow.steps.get(review) as WorkflowStep;
  const change = [...workflow.steps.values()].findLast((step) => isLastChange(workflow, step));
  const before = earlier(task, on);
  give(draft, task, {
    on,
    token,
    round,
    definition,
    gates: before.gates,
    diff: before.diff,
    reviews: before.reviews.filter(({ step }) => step !== review),
    rejections: (task.steps.get(review) as Step).reworks,
    most: Number.POSITIVE_INFINITY,
    onRecord: true,
    minApprovals: null,
    consensusAvailable: change !== undefined && reviewersAfter(workflow, change.id) >= MIN_APPROVALS,
  });
}

/** A person has decided about this review and is not asked again. */
function isLeft(draft: Draft, task: Task, { step, said }: ReviewRecord): boolean {
  if (said === null || !namesNoLine(said)) return false;
  const { steps, dependents } = workflowOf(draft, task);
  const joins = (dependents.get(step) ?? []).filter((id) => steps.get(id)?.kind === 'join');
  return [step, ...joins].some((id) => {
    const place = task.steps.get(id as StepId)?.place;
    return place?.at === 'done' && place.said === null;
  });
}

const NOTHING_BEFORE: Pick<VerdictRecord, 'gates' | 'reviews' | 'diff'> = { gates: [], reviews: [] };

/** What an earlier verdict knew about the same change. */
const earlier = ({ verdict }: Task, on: Candidate | null): Pick<VerdictRecord, 'gates' | 'reviews' | 'diff'> =>
  verdict !== undefined && verdict.on.change_id === on?.change_id ? verdict : NOTHING_BEFORE;

/** The least approvals for a consensus. */
const MIN_APPROVALS = 2;

function give(
  draft: Draft,
  task: Task,
  facts: VerdictChange &
    Pick<VerdictRecord, 'gates' | 'reviews' | 'rejections'> &
    Pick<VerdictFacts['context'], 'minApprovals' | 'everybody' | 'consensusAvailable'> & {
      readonly definition: WorkflowStep;
      readonly most: number;
      readonly onRecord: boolean;
    },
): GivenVerdict {
  const { definition, gates, reviews, rejections, most, on, token, round, onRecord, diff } = facts;
  const { minApprovals, everybody = false, consensusAvailable } = facts;
  const workflow = workflowOf(draft, task);
  const endsWithPerson = definition.rework === null && (definition.kind === 'join' || definition.kind === 'answer');
  const context: VerdictFacts['context'] = {
    change_id: on?.change_id ?? null,
    rejections,
    maxRetries: most,
    onExhausted: endsWithPerson ? 'escalated' : workflow.onExhausted,
    minApprovals,
    everybody,
    consensusAvailable,
    thresholds: THRESHOLDS,
    degraded: task.spec.unsafe_no_sandbox === true || isDegraded(task, definition),
    redBase: gates.some(({ status, excused }) => status === 'pass' && excused > 0),
    authors: authorsOf(task),
    // The pinned workflow has no blocking gate, or the log is older than verdicts and does not say what the gate found.
    waived: diff?.blocks !== true && !gates.some(({ blocking }) => blocking),
  };
  const verdict = giveVerdict({
    gates: [...gates.map((gate) => gateFact(definition, gate)), ...(diff?.blocks === true ? [DIFF] : [])],
    dismissed: (task.dismissed ?? [])
      .filter((one) => one.change_id === (on?.change_id ?? ''))
      .map(({ gate, severity }) => ({ of: gate, severity, by: 'person' })),
    reviews: reviews.map(({ step: by, ...review }) => ({ by, ...review })),
    context,
  });
  if (!onRecord || on === null) return verdict;
  const { decision } = verdict;
  const reasons = diff?.blocks === true ? verdict.reasons.map(asDiff) : verdict.reasons;
  // A simulated gate measured nothing.
  const isPlayed = task.spec.simulated === true;
  const score = isPlayed ? null : verdict.score;
  const notes = isPlayed ? [...verdict.notes, 'played'] : [...verdict.notes];
  const counted = gates.filter(({ gate }) => provenBy(gate) === null).map((gate) => ({ ...gate, label: gate.gate }));
  draft.emit(taskStream(task.id), {
    type: 'verdict.given',
    data: {
      step: definition.id,
      token,
      on,
      round,
      attempts: attemptsOf(task, workflow),
      rejections,
      decision,
      score,
      reasons: [...reasons],
      notes,
      gates: [...gates],
      reviews: [...reviews],
      tests: measuredOf(counted).tests,
      ...(diff === undefined ? {} : { diff }),
      coverage_delta: gates.find(({ coverage }) => coverage?.delta != null)?.coverage?.delta ?? null,
    },
  });
  return verdict;
}

/** The change is only a part of what was asked. */
const isDegraded = (task: Task, { id }: WorkflowStep): boolean =>
  task.steps.get(id)?.level !== undefined || degradedSteps(task).length > 0;

/** The gates did not settle this change: reviewers have to. */
export const isLeftToReviewers = ({ verdict }: Task, { change_id }: Candidate): boolean =>
  verdict?.decision === 'CONSENSUS' && verdict.on.change_id === change_id;

/** Whether the task goes on: the verdict accepts, or leaves it to later reviewers. */
export const goesOn = ({ next }: GivenVerdict): boolean => next === 'accept' || next === 'consensus';

/** Reviewers who have not answered yet. */
function reviewersAfter(workflow: Workflow, id: StepId): number {
  const { steps, weighed } = workflow;
  const all = stepsAfter(workflow, id);
  // A vote after the commit is too late.
  const late = new Set(
    all.flatMap((after) => (steps.get(after)?.kind === 'commit' ? stepsAfter(workflow, after) : [])),
  );
  return all.filter((after) => {
    const step = steps.get(after);
    return !late.has(after) && step?.kind === 'answer' && (weighed.has(after) || step.rework !== null);
  }).length;
}

/** The refused text of a change, as a fact beside the gates. Dismissing a gate's finding does not remove it. */
const DIFF: GateFact = {
  name: 'diff',
  kind: 'diff',
  blocking: true,
  status: 'fail',
  weight: 0,
  score: 0,
  findings: null,
  proven: 'on',
};
/** Readers do not count the diff as a gate. */
const asDiff = (code: string): string => (code === 'gate_failed' ? 'finding_blocks' : code);

const isLastChange = (workflow: Workflow, { id, kind }: WorkflowStep): boolean =>
  kind === 'change' && !stepsAfter(workflow, id).some((after) => workflow.steps.get(after)?.kind === 'change');

function attemptsOf(task: Task, workflow: Workflow): number {
  const last = [...workflow.steps.values()].findLast((step) => isLastChange(workflow, step));
  return (last === undefined ? undefined : task.steps.get(last.id)?.attempts) ?? 0;
}

function gateRecord({ rules, advisory }: WorkflowStep, report: Evidence): GateRecord {
  const { gate, status, excused, score, findings, tests, flaky, coverage } = report;
  const rule = rules.get(gate);
  return {
    gate,
    kind: rule?.kind ?? gateKind({ name: gate }),
    weight: rule?.weight ?? gateWeight({ name: gate }),
    blocking: !advisory.has(gate),
    proven: rule?.canary === 'off' ? 'off' : 'unknown',
    status,
    excused,
    score,
    findings,
    tests,
    flaky,
    ...(advisory.has(gate) && status !== 'pass' && report.evidence !== null ? { evidence: report.evidence } : {}),
    ...(coverage === undefined ? {} : { coverage }),
  };
}

/** Only the canary's result on the same change proves a gate. */
function withProofs(gates: readonly GateRecord[]): GateRecord[] {
  const proven = new Set(gates.filter((one) => provenBy(one.gate) !== null && isProof(one)).map(({ gate }) => gate));
  return gates.map((one) => (proven.has(one.gate) || proven.has(canaryOf(one.gate)) ? { ...one, proven: 'on' } : one));
}

/** Whether a person dismissed everything that failed it. */
const clearedBy = (report: Evidence, dismissed: Task['dismissed'], change: string) =>
  isCleared(report, dismissed, change) ? { cleared: true } : {};

function gateFact({ escalating, stopping }: WorkflowStep, { gate: name, excused, ...record }: GateRecord): GateFact {
  const { kind, weight, blocking, proven, findings, cleared = false } = record;
  const status = cleared ? 'pass' : record.status;
  return {
    name,
    kind,
    weight,
    blocking,
    proven,
    ...(provenBy(name) === null ? {} : { proves: proven === 'on' }),
    status,
    findings,
    // Tests that fail at the base too, and dismissed findings, say nothing about this change.
    score: cleared || (status === 'pass' && excused > 0) ? null : record.score,
    stops: escalating.has(name) || stopping.has(name),
  };
}

/** The review of a finished step, as a join weighs it. */
export function reviewOf(workflow: Workflow, id: StepId, place: Extract<Step['place'], { at: 'done' }>): ReviewRecord {
  const { said, on, cli } = place;
  const definition = workflow.steps.get(id);
  // A log older than verdicts does not name the CLI: the step's first one is assumed.
  return {
    step: id,
    role: definition?.role ?? id,
    cli: cli ?? definition?.cli[0] ?? '',
    change_id: on?.change_id ?? null,
    said,
  };
}

/** Reviews reject the change, and none of them names a line of it. */
export const isLeftToPerson = ({ next, reasons }: GivenVerdict): boolean =>
  next === 'person' && reasons.includes('review_unfounded');

/** Reviewers disagree, and too few of them approve. */
export const isSplit = ({ next, reasons }: GivenVerdict): boolean =>
  next === 'person' && reasons.includes('no_consensus') && !reasons.includes('critical_finding');

/** The reason in words, if no gate failed and no reviewer objects. */
export function objectionText({ decisive, reasons }: GivenVerdict): string {
  if (reasons.includes('critical_finding')) return 'a reviewer found something critical';
  if (reasons.includes('vetoed')) return 'vetoed by a reviewer';
  if (reasons.includes('review_missing')) return 'a reviewer was asked and gave no opinion on the change';
  return `the score is ${decisive ?? 'unknown'}, and ${THRESHOLDS.approval} is needed`;
}
