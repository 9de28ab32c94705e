/** Decisions about reports of workers and gates. A worker's text decides nothing here. */
import type { StepId, TaskId } from '../../kernel/ids.ts';
import { type Rejection, rejected } from '../../kernel/result.ts';
import { atLeastOne, neededFor } from '../approvals/required-approvals.ts';
import { riskFactsOf } from '../approvals/risk.ts';
import type { AttemptReport, CommandOf } from '../domain/commands.ts';
import type { Draft } from '../domain/draft.ts';
import { taskStream } from '../domain/stream-name.ts';
import { attemptOf, type Evidence, redGates, redText, type Task } from '../domain/task.ts';
import type { Candidate, WantedEnvironment } from '../domain/values.ts';
import { guardText, sameCandidate } from '../safeguards/loops.ts';
import { jointSignature } from '../safeguards/signature.ts';
import { isCleared } from '../verdict/dismissed.ts';
import { isCritical, saysNo } from '../verdict/weigh.ts';
import { gatesNow, type WorkflowStep } from '../workflows/workflow.ts';
import { askPerson } from './ask-person.ts';
import { haltByPolicy } from './decide-close.ts';
import { type Outcome, settleAttempt } from './decide-settle.ts';
import { type GivenVerdict, goesOn, judgeDiff, judgeGates, objectionText } from './decide-verdict.ts';
import { holdAfterGates, holdReview, isHeard } from './hold-review.ts';
import { refuseOutcome, stepDefinition, taskIn, workflowOf } from './lookup.ts';

export function reportAttempt(draft: Draft, told: AttemptReport): Rejection | null {
  const task = draft.project.tasks.get(told.task);
  const step = task?.steps.get(told.step);
  if (task === undefined || step === undefined)
    return rejected('unknown_attempt', `no attempt ${told.task}/${told.step} is known`);
  const { step: id, token } = told;
  if (task.closed !== null || step.place.at !== 'working' || attemptOf(step).token !== token)
    return refuseOutcome(draft, task, { step: id, token, kind: 'worker.run' });
  const definition = stepDefinition(draft, task, id);
  if (definition.analyses !== null) {
    settleAttempt(draft, task.id, id, told);
    return null;
  }
  // An answer is made on a read-only tree. A candidate that comes with it is unchecked, so it must not land.
  const report = definition.kind === 'answer' ? { ...told, candidate: null } : told;
  const seen = report.candidate === null ? null : sameCandidate(step, report.candidate);
  if (report.class !== 'ok') {
    if (report.diff?.blocks === true && report.sent_back !== undefined)
      judgeDiff(draft, task, definition, {
        on: report.sent_back,
        token,
        round: attemptOf(step).round,
        diff: report.diff,
      });
    settleAttempt(draft, task.id, id, report);
  } else if (definition.kind === 'change' && report.candidate === null) {
    const reason = `${attemptOf(step).given === undefined ? 'the worker' : 'the person'} changed nothing`;
    settleAttempt(draft, task.id, id, { ...report, class: 'invalid', category: 'logic', reason });
  } else if (seen !== null) {
    const reason = guardText(seen);
    settleAttempt(draft, task.id, id, { ...report, class: 'invalid', category: 'logic', reason, guard: seen });
  } else if (holdReview(draft, task, definition, report)) {
    return null;
  } else if (saysUnheardNo(draft, task, id, report) && !(definition.gates.length > 0 && isCritical(report.said))) {
    // The workflow does not say where a rejection leads, so a person has to look.
    settleAttempt(draft, task.id, id, { ...report, class: 'blocked' });
  } else if (definition.gates.length > 0) {
    measured(draft, task, report);
    const { candidate, answer, record, said, cost, diff } = report;
    draft.emit(taskStream(task.id), {
      type: 'attempt.produced',
      data: {
        step: id,
        token,
        candidate,
        answer,
        record,
        said,
        cost,
        gates: [...definition.gates],
        ...(diff === undefined ? {} : { diff }),
      },
    });
  } else {
    measured(draft, task, report);
    settleAttempt(draft, task.id, id, report);
  }
  return null;
}

function measured(draft: Draft, { id }: Pick<Task, 'id'>, { step, token, candidate: on, facts }: AttemptReport): void {
  if (on !== null && facts !== undefined)
    draft.emit(taskStream(id), { type: 'change.measured', data: { step, token, on, facts } });
}

export function reportGate(
  draft: Draft,
  report: CommandOf<'gate.report'> & { readonly step: StepId },
): Rejection | null {
  const task = draft.project.tasks.get(report.task);
  const place = task?.steps.get(report.step)?.place;
  if (task === undefined || place === undefined)
    return rejected('unknown_attempt', `no attempt ${report.task}/${report.step} is known`);
  const { type: _, task: __, step, token, ...found } = report;
  if (task.closed !== null || place.at !== 'checking' || place.attempt.token !== token)
    return refuseOutcome(draft, task, { step, token, kind: 'gate.run' });
  const definition = stepDefinition(draft, task, step);
  const reported = new Set(place.evidence.map(({ gate }) => gate));
  if (!gatesNow(definition, place.product.gates, reported).includes(report.gate)) {
    return rejected('duplicate_outcome', `gate ${report.gate} of ${task.id}/${step} has reported or was not asked`);
  }
  if (found.environment !== undefined && task.failing === undefined) {
    askForEnvironment(draft, task, definition, { candidate: place.product.candidate, wanted: found.environment });
    return null;
  }
  // While the gate ran, the operator may have decided that nothing is excused.
  const isRefused = found.status === 'pass' && found.excused > 0 && task.spec.red_base === 'fix';
  const status = isRefused ? 'fail' : found.status;
  // Only a pass can be excused: red or broken gates count as such.
  const { signature, blocked_by, environment: _environment, ...measured } = found;
  const data = {
    ...measured,
    status,
    excused: status === 'pass' ? found.excused : 0,
    ...(signature === undefined || status === 'pass' ? {} : { signature }),
    ...(blocked_by === undefined || status !== 'fail' ? {} : { blocked_by }),
  };
  draft.emit(taskStream(task.id), { type: 'gate.reported', data: { step, token, ...data } });
  judgeAgain(draft, task.id, step);
  return null;
}

/** The gates did not run and nothing was prepared: they run after people have allowed it, as the policies require. */
function askForEnvironment(
  draft: Draft,
  task: Task,
  definition: WorkflowStep,
  { candidate, wanted }: { readonly candidate: Candidate | null; readonly wanted: WantedEnvironment },
): void {
  const { key: environment, text: reason } = wanted;
  const ask = { asks: 'environment', reason, on: candidate, environment } as const;
  const policies = [...workflowOf(draft, task).steps.values()].find((step) => step.policies.length > 0)?.policies;
  if (policies === undefined) {
    askPerson(draft, task.id, definition, ask);
    return;
  }
  // A missing objection is no consent to install something.
  const { timeoutMs: _, ...asked } = neededFor(policies, riskFactsOf({ ...task, candidate }));
  askPerson(draft, task.id, definition, { ...ask, needed: atLeastOne(asked) });
}

/** Gives the verdict on the reported gates of a step, if possible, and settles the attempt. */
export function judgeAgain(draft: Draft, id: TaskId, step: StepId): void {
  const task = taskIn(draft, id);
  const place = task.steps.get(step)?.place;
  if (place?.at !== 'checking') return;
  const definition = stepDefinition(draft, task, step);
  const { evidence: reports, product, attempt } = place;
  const { candidate, answer, said, cost } = product;
  const { round, token } = attempt;
  // An answer makes no change: its gates are about the one that it looked at.
  const on = attempt.kind === 'answer' ? attempt.on : candidate;
  const counted = reports.map((one) => asCounted(one, task, on));
  if (!isJudged(definition, product.gates, counted)) return;
  const verdict = judgeGates(draft, task, definition, { on, token, round, reports, diff: product.diff });
  const judged = outcomeOf(verdict, counted, definition);
  if (verdict.next === 'person' && verdict.reasons.includes('critical_finding') && task.failing === undefined) {
    askPerson(draft, id, definition, { asks: 'finding', reason: judged.reason, on });
    haltByPolicy(draft, taskIn(draft, id), `a critical finding in task ${id}: ${judged.reason}`);
    return;
  }
  if (goesOn(verdict) && holdAfterGates(draft, taskIn(draft, id), definition)) return;
  const isLost = goesOn(verdict) && saysUnheardNo(draft, task, step, product);
  const lost = isLost ? { class: 'blocked' as const, reason: `${step} says no to the change; ${judged.reason}` } : {};
  settleAttempt(draft, id, step, { candidate, answer, said, cost, reset_at: null, gates: true, ...judged, ...lost });
}

const saysUnheardNo = (draft: Draft, task: Task, id: StepId, { said }: Pick<AttemptReport, 'said'>): boolean =>
  said !== null && saysNo(said) && !isHeard(draft, task, id);

/** Counts as a pass if a person dismissed everything that failed it. */
function asCounted(report: Evidence, { dismissed }: Task, on: Candidate | null): Evidence {
  return isCleared(report, dismissed, on?.change_id ?? '')
    ? { ...report, status: 'pass', score: null, findings: null, signature: undefined }
    : report;
}

/** If a whole stage has reported and one of its gates stops the change, later stages do not run. */
export function isJudged(
  { stages, advisory }: Pick<WorkflowStep, 'stages' | 'advisory'>,
  asked: readonly string[],
  reports: readonly Evidence[],
): boolean {
  const reported = new Set(reports.map(({ gate }) => gate));
  const open = gatesNow({ stages }, asked, reported);
  if (open.length === 0) return true;
  const stageOf = (gate: string) => stages.get(gate) ?? 1;
  const next = stageOf(open[0] ?? '');
  if (asked.some((gate) => reported.has(gate) && stageOf(gate) === next)) return false;
  return reports.some(({ gate, status }) => status !== 'pass' && !advisory.has(gate));
}

/** Outcomes of a verdict on gates. Attempts are counted where they are settled. */
const OUTCOME = { accept: 'ok', rework: 'invalid', end: 'invalid', person: 'blocked', consensus: 'ok' } as const;

function outcomeOf(
  verdict: GivenVerdict,
  reports: readonly Evidence[],
  { advisory, stopping }: WorkflowStep,
): Pick<Outcome, 'class' | 'reason' | 'stop' | 'signature' | 'unchecked'> {
  const names = (wanted: string) => reports.filter((one) => one.status === wanted).map((one) => one.gate);
  const failed = names('fail').filter((one) => !advisory.has(one));
  const broken = names('error').filter((one) => !advisory.has(one));
  const reason = () => {
    const critical = reports.filter(({ findings }) => (findings?.critical ?? 0) > 0).map(({ gate }) => gate);
    if (verdict.reasons.includes('critical_finding') && critical.length > 0)
      return `critical finding: ${critical.join(', ')}`;
    // A gate that could not run is neither a failure of the change nor a pass: a person has to look.
    if (broken.length > 0) return `gate could not run: ${broken.join(', ')}`;
    if (failed.length > 0) return `gate failed: ${failed.join(', ')}`;
    return objectionText(verdict);
  };
  if (goesOn(verdict)) {
    const passed = passedText(reports, [...names('fail'), ...names('error')]);
    return {
      class: 'ok',
      reason: verdict.next === 'accept' ? passed : `${passed}; ${objectionText(verdict)}: reviewers vote`,
    };
  }
  return {
    class: OUTCOME[verdict.next],
    reason: reason(),
    signature: jointSignature(reports.flatMap((one) => (advisory.has(one.gate) ? [] : (one.signature ?? [])))),
    unchecked: broken.length > 0,
    stop: broken.length === 0 && failed.some((one) => stopping.has(one)) ? 'blocked' : null,
  };
}

function passedText(reports: readonly Evidence[], advised: readonly string[]): string {
  const passed = reports.filter(({ status, excused }) => status === 'pass' && excused === 0);
  const red = redGates(reports).map(redText);
  return [
    ...(passed.length > 0 ? [`gates passed: ${passed.map(({ gate }) => gate).join(', ')}`] : []),
    ...(passed.length + red.length === 0 ? ['no blocking gate failed'] : red),
    ...(advised.length > 0 ? [`not passed, not blocking: ${advised.join(', ')}`] : []),
  ].join('; ');
}
