/** What a line wants: the steps of the landing at the head of its queue, and a look at its branch. */
import { sha256 } from '../../kernel/hash.ts';
import type { BlobHash } from '../../kernel/ids.ts';
import { gatesNow } from '../workflows/workflow.ts';
import { peopleOf } from './change-authors.ts';
import { type Limits, landingMsOf } from './limits.ts';
import type { Landing, LandingPlace, Line } from './line.ts';
import type { Project } from './project.ts';
import { lineStream } from './stream-name.ts';
import { degradedSteps, type RedGate, redGates, type Task } from './task.ts';
import type { Candidate } from './values.ts';
import type { CandidateApply, Effect, Judged, LineMove, LineRead, Timer, Work } from './work.ts';

export const landingKey = ({ name }: Line, { task, token }: Landing, part: string): string =>
  `line/${name}/${task}/${token}/${part}`;

export function wantedByLine(project: Project, line: Line): Effect[] {
  const effects: Effect[] = [];
  const landing = underWay(line);
  const task = landing === null ? undefined : project.tasks.get(landing.task);
  if (landing !== null && task !== undefined) effects.push(...landingEffects(project, line, landing, task));
  const { look, name: onto, token } = line;
  const reader = look.state === 'wanted' ? project.tasks.get(look.by) : undefined;
  if (reader !== undefined && reader.closed === null) {
    const key = `line/${onto}/${reader.id}/${token}/line.read`;
    const work: LineRead = { kind: 'line.read', spec: reader.spec, onto };
    effects.push({ key, stream: lineStream(onto), task: reader.id, step: null, token, started: false, work });
  }
  return effects;
}

/** The landing that the line works on; null if there is none, or the line itself is red. */
const underWay = ({ queue: [first], stopped }: Line): Landing | null =>
  first === undefined || stopped !== undefined ? null : first;

/**
 * When the present step of a landing times out. Git has its own timeouts, so a branch that is being moved has none
 * here.
 */
export function landingDue(line: Line, limits: Limits): { readonly landing: Landing; readonly due: number } | null {
  const landing = underWay(line);
  if (landing === null || landing.place.at === 'moving') return null;
  return { landing, due: landing.since + landingMsOf(limits) };
}

export function landingTimers(project: Project, line: Line): Timer[] {
  const next = landingDue(line, project.board.limits);
  if (next === null) return [];
  const { task, token } = next.landing;
  const key = `${landingKey(line, next.landing, 'landing')}/${next.due}`;
  return [{ key, due: next.due, task, timer: 'landing', step: null, token }];
}

/** Stages of all gates of a task; a name means the same gate at every step. */
function stagesOf(project: Project, task: Task): { readonly stages: ReadonlyMap<string, number> } {
  const steps = project.workflows.get(task.workflow)?.steps.values() ?? [];
  return { stages: new Map([...steps].flatMap((step) => [...step.stages])) };
}

function landingEffects(project: Project, line: Line, landing: Landing, task: Task): Effect[] {
  const { place, token } = landing;
  const { spec, candidate, closed } = task;
  if (candidate === null || closed === null) return [];
  const onto = line.name;
  const wanted = (part: string, work: Work): Effect => {
    const key = landingKey(line, landing, part);
    const started = task.started.includes(key);
    return { key, stream: lineStream(onto), task: task.id, step: null, token, started, work };
  };
  const branch = closed.branch ?? '';
  if (place.at === 'integrating') {
    const { head } = place;
    const more = (place.with ?? []).flatMap((id) => {
      const own = project.tasks.get(id)?.candidate ?? null;
      return own === null ? [] : [{ task: id, candidate: own }];
    });
    const batch = more.length === 0 ? {} : { more };
    return [wanted('line.integrate', { kind: 'line.integrate', spec, onto, candidate, head, branch, ...batch })];
  }
  if (place.at === 'gating' || place.at === 'rechecking') {
    const reported = new Set(place.evidence.map((one) => one.gate));
    const checked = place.at === 'rechecking' && place.on === 'tip' ? tipOf(place) : place.candidate;
    const allowed = task.environments === undefined ? {} : { environments: task.environments };
    const fresh = place.at === 'rechecking' && place.on === 'change' ? { fresh: true as const } : {};
    return gatesNow(stagesOf(project, task), place.gates, reported).map((gate) =>
      wanted(`gate.run/${gate}`, {
        kind: 'gate.run',
        attempt: 0,
        gate,
        spec,
        candidate: checked,
        answer: null,
        ...fresh,
        ...allowed,
      }),
    );
  }
  // A merge, or one commit for several, is a separate commit even if the branch has not moved.
  const as = task.landing?.as ?? 'fast-forward';
  const lands = place.candidate ?? (as === 'fast-forward' ? null : candidate);
  const red = redGates(place.evidence);
  const integrated = lands === null ? null : integratedCommit(task, lands, red);
  const moveCheckout = task.landing?.move_checkout === true;
  const commit = closed.commit ?? '';
  const more = (place.stack ?? []).slice(1).flatMap(({ task: id, tree, change_id }) => {
    const other = project.tasks.get(id);
    if (other?.candidate == null) return [];
    const built = integratedCommit(other, { base: lands?.base ?? '', tree, change_id }, red);
    const along = { ...built, branch: other.closed?.branch ?? '' };
    return [{ task: id, spec: other.spec, candidate: other.candidate, integrated: along }];
  });
  const batch = more.length === 0 ? {} : { more };
  const regate = place.candidate === null && task.landing?.regate === true ? { regate: true as const } : {};
  const move = { spec, onto, moveCheckout, candidate, commit, integrated, ...regate, ...batch };
  return [wanted('line.move', { kind: 'line.move', ...move })];
}

/** The commit for a change on top of the branch. */
function integratedCommit(task: Task, lands: Candidate, red: readonly RedGate[]): NonNullable<LineMove['integrated']> {
  const merges = task.landing?.as === 'merge' ? { merges: task.closed?.commit ?? '' } : {};
  return {
    candidate: lands,
    branch: onTopBranch(task.closed?.branch ?? '', lands.base, merges),
    ...merges,
    ...judgedFor(task, lands),
    ...madeByPeople(task),
    title: task.title,
    created: task.created,
    answer: task.candidate === null ? null : answerWith(task, task.candidate),
    red,
    ...degradedIn(task),
  };
}

/** Where the commit of an integrated change is found. A merge has its own place: the task may land another way after a crash. */
export const onTopBranch = (branch: string, base: string, { merges }: { readonly merges?: string }): string =>
  `${branch}-${merges === undefined ? 'on' : 'merged-on'}-${base.slice(0, 12)}`;

export function madeByPeople(task: Task): Pick<CandidateApply, 'people'> {
  const people = peopleOf(task);
  return people.length === 0 ? {} : { people };
}

function degradedIn(task: Task): Pick<CandidateApply, 'degraded'> {
  const degraded = degradedSteps(task);
  return degraded.length === 0 ? {} : { degraded };
}

/** The id of an empty diff. */
const NO_CHANGE = sha256('');

/** The branch without the change, as a candidate that changes nothing. */
function tipOf({ candidate, tipTree }: Extract<LandingPlace, { at: 'rechecking' }>): Candidate {
  const { base } = candidate;
  return { base, tree: tipTree ?? base, change_id: NO_CHANGE };
}
/** The worker's answer that came with this candidate. */
export function answerWith(task: Task, candidate: Candidate): BlobHash | null {
  for (const { place } of task.steps.values())
    if (place.at === 'done' && place.candidate?.change_id === candidate.change_id) return place.answer;
  return null;
}

/** The verdict and the reviews of this change. */
export function judgedFor({ verdict }: Task, { change_id }: Candidate): { readonly judged?: Judged } {
  if (verdict === undefined || verdict.on.change_id !== change_id) return {};
  const { decision, score, reviews } = verdict;
  const reviewers = reviews.flatMap(({ role, cli, said }) => (said?.status === 'APPROVED' ? [{ role, cli }] : []));
  return { judged: { decision, score, reviewers } };
}
