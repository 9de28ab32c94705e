/**
 * Decisions about gates on an integrated tree. A red gate leads to two more runs before anything is blamed: on the
 * branch without the change, where red stops the queue; and on the same tree again, where green means unstable and a
 * person is asked.
 */
import { type Rejection, rejected } from '../../kernel/result.ts';
import type { CommandOf } from '../domain/commands.ts';
import type { Draft } from '../domain/draft.ts';
import { blockingGates, LOOK_AT_LINE, redRefusal } from '../domain/landable.ts';
import type { LandingPlace } from '../domain/line.ts';
import { lineStream } from '../domain/stream-name.ts';
import { type Evidence, redGates, type Task } from '../domain/task.ts';
import { isJudged } from './decide-outcome.ts';
import { halve } from './landing-batch.ts';
import { leaveQueue, moveBranch } from './line-moves.ts';
import { type LandingOnLine, landingOf, nextToken, workflowOf } from './lookup.ts';

type Gating = Extract<LandingPlace, { at: 'gating' | 'rechecking' }>;

export function reportLandingGate(draft: Draft, report: CommandOf<'gate.report'>): Rejection | null {
  const task = draft.project.tasks.get(report.task);
  const found = task === undefined ? null : landingOf(draft, task);
  const place = found?.landing.place;
  if (task === undefined || found === null || !isGating(place) || found.landing.token !== report.token)
    return rejected('duplicate_outcome', `task ${report.task} does not wait for gate ${report.gate} of its landing`);
  if (!place.gates.includes(report.gate) || place.evidence.some((one) => one.gate === report.gate))
    return rejected('duplicate_outcome', `gate ${report.gate} of ${task.id} has reported or was not asked`);
  const { type: _, step: __, environment: wanted, ...told } = report;
  const data = { ...told, excused: told.status === 'pass' ? told.excused : 0 };
  draft.emit(lineStream(found.line.name), { type: 'line.gated', data });
  const reports = [...place.evidence, data];
  const workflow = workflowOf(draft, task);
  const stages = new Map([...workflow.steps.values()].flatMap((step) => [...step.stages]));
  if (!isJudged({ stages, advisory: new Set() }, place.gates, reports)) return null;
  const broken = reports.find(({ status }) => status === 'error');
  const { name } = found.line;
  // Which change of a batch it is about is not known.
  if (broken !== undefined && halve(draft, found)) return null;
  if (broken !== undefined && wanted !== undefined)
    leaveQueue(draft, task, found, {
      code: 'gate_error',
      reason: `on top of ${name} the change needs an environment that is not allowed yet (${wanted.text.slice(0, MAX_NEWS)}); nothing was landed. Run the task again on top of ${name}`,
    });
  else if (broken !== undefined)
    leaveQueue(draft, task, found, {
      code: 'gate_error',
      reason: `gate ${broken.gate} could not run ${place.at === 'rechecking' && place.on === 'tip' ? `on ${name}` : 'on the integrated tree'}; nothing was landed. Repair the gate, then land again`,
    });
  else if (place.at === 'gating') judge(draft, task, found, { place, reports });
  else if (place.on === 'tip') judgeTip(draft, task, found, { place, reports });
  else judgeAgain(draft, task, found, { place, reports });
  return null;
}

/** How much news is shown if there is no question. */
const MAX_NEWS = 500;

const isGating = (place: LandingPlace | undefined): place is Gating =>
  place?.at === 'gating' || place?.at === 'rechecking';

type JudgedLanding<P extends Gating = Gating> = { readonly place: P; readonly reports: readonly Evidence[] };
type Rechecked = JudgedLanding<Extract<Gating, { at: 'rechecking' }>>;

const failedOf = (reports: readonly Evidence[]) => reports.filter(({ status }) => status === 'fail');

function judge(draft: Draft, task: Task, found: LandingOnLine, { place, reports }: JudgedLanding): void {
  const failed = failedOf(reports).map(({ gate }) => gate);
  if (failed.length === 0) {
    finish(draft, task, found, { place, reports });
    return;
  }
  // A gate that the task brought concerns the change: it says nothing about the branch without it.
  const own = new Set((task.spec.gates ?? []).map(({ name }) => name));
  const common = failed.filter((gate) => !own.has(gate));
  if (common.length === 0) recheck(draft, task, found, 'change', failed);
  else recheck(draft, task, found, 'tip', common);
}

/** All gates are green; red tests of the branch are only excused. */
function finish(draft: Draft, task: Task, found: LandingOnLine, { place, reports }: JudgedLanding): void {
  const unverified = task.landing?.unverified === true;
  const red = redGates([...place.passed, ...reports]);
  const refusal = redRefusal(task, { unverified, red, look: LOOK_AT_LINE });
  const evidence = [...place.passed, ...reports];
  if (refusal === null) moveBranch(draft, task, found, { candidate: place.candidate, evidence });
  else leaveQueue(draft, task, found, { code: refusal.code, reason: refusal.message });
}

function recheck(draft: Draft, task: Task, { line }: LandingOnLine, on: 'tip' | 'change', gates: string[]): void {
  const entry = { task: task.id, token: nextToken(draft, line.name) };
  draft.emit(lineStream(line.name), { type: 'line.rechecking', data: { ...entry, on, gates } });
}

function judgeTip(draft: Draft, task: Task, found: LandingOnLine, { place, reports }: Rechecked): void {
  const { line } = found;
  const failed = failedOf(reports).map(({ gate }) => gate);
  if (failed.length > 0) {
    const entry = { task: task.id, token: nextToken(draft, line.name) };
    const data = { ...entry, head: place.candidate.base, gates: failed };
    draft.emit(lineStream(line.name), { type: 'line.stopped', data });
    return;
  }
  // Green without the batch: some change of it is red, and half of it is looked at next.
  if (halve(draft, found)) return;
  // The gate's own rerun was green already.
  const isKnown = place.red.every(({ flaky }) => flaky === true);
  if (isKnown && task.landing?.unstable !== true) unstable(draft, task, found, place);
  else
    recheck(
      draft,
      task,
      found,
      'change',
      place.red.map(({ gate }) => gate),
    );
}

function judgeAgain(draft: Draft, task: Task, found: LandingOnLine, { place, reports }: Rechecked): void {
  const failed = failedOf(reports).map(({ gate }) => gate);
  if (failed.length === 0) {
    unstable(draft, task, found, place, reports);
    return;
  }
  const { name } = found.line;
  const others = place.beside;
  const who =
    others.length === 0
      ? `what others put on ${name} since its base`
      : others.length === 1
        ? `task ${others[0]}`
        : `one of the tasks ${others.join(', ')}`;
  leaveQueue(draft, task, found, {
    code: 'gate_failed',
    reason: `gate ${failed.join(', ')}: fail on the integrated tree, twice; task ${task.id} is green alone, and red together with ${who}; nothing was landed`,
    ...(others.length === 0 ? {} : { with: [...others] }),
  });
}

/** Red, then green on the same tree: it lands only if a person agrees, and after the remaining gates. */
function unstable(
  draft: Draft,
  task: Task,
  found: LandingOnLine,
  place: Rechecked['place'],
  green?: readonly Evidence[],
): void {
  const { name } = found.line;
  const gates = place.red.map(({ gate }) => gate).join(', ');
  if (green === undefined || task.landing?.unstable !== true) {
    leaveQueue(draft, task, found, {
      code: 'unstable',
      reason: `gate ${gates} was red and then green on the same tree, so its result is not certain; nothing was landed. Look at its evidence, then \`supervisor land ${task.id} --unstable\` lands it if a second run is green`,
    });
    return;
  }
  const passed = new Set([...place.passed, ...green].map(({ gate }) => gate));
  const open = blockingGates(workflowOf(draft, task)).filter((gate) => !passed.has(gate));
  const entry = { task: task.id, token: nextToken(draft, name) };
  if (open.length === 0) finish(draft, task, found, { place, reports: green });
  else
    draft.emit(lineStream(name), { type: 'line.gating', data: { ...entry, candidate: place.candidate, gates: open } });
}
