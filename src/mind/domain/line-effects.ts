/** What a line wants: the steps of the landing at the head of its queue, and a look at where its branch is. */
import { sha256 } from '../../kernel/hash.ts';
import type { BlobHash } from '../../kernel/ids.ts';
import { gatesNow } from '../workflows/workflow.ts';
import { type Limits, landingMsOf } from './limits.ts';
import type { Landing, LandingPlace, Line } from './line.ts';
import type { Project } from './project.ts';
import { lineStream } from './stream-name.ts';
import { degradedSteps, redGates, type Task } from './task.ts';
import type { Candidate } from './values.ts';
import type { CandidateApply, Effect, Judged, LineRead, Timer, Work } from './work.ts';

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

/** The landing that the line works on; null: none, or the line is red by itself. */
const underWay = ({ queue: [first], stopped }: Line): Landing | null =>
  first === undefined || stopped !== undefined ? null : first;

/** When the present step of a landing is given up. Git has time limits of its own, so a branch that is being moved has none here. */
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
    return [wanted('line.integrate', { kind: 'line.integrate', spec, onto, candidate, head, branch })];
  }
  if (place.at === 'gating' || place.at === 'rechecking') {
    const reported = new Set(place.evidence.map((one) => one.gate));
    const checked = place.at === 'rechecking' && place.on === 'tip' ? tipOf(place) : place.candidate;
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
      }),
    );
  }
  // A merge, or one commit for several, is a commit of its own even where the branch has not moved.
  const as = task.landing?.as ?? 'fast-forward';
  const lands = place.candidate ?? (as === 'fast-forward' ? null : candidate);
  const integrated =
    lands === null
      ? null
      : {
          candidate: lands,
          branch: `${branch}-on-${lands.base.slice(0, 12)}`,
          ...(as === 'merge' ? { merges: closed.commit ?? '' } : {}),
          ...judgedFor(task, lands),
          title: task.title,
          created: task.created,
          answer: answerWith(task, candidate),
          red: redGates(place.evidence),
          ...degradedIn(task),
        };
  const moveCheckout = task.landing?.move_checkout === true;
  const commit = closed.commit ?? '';
  return [wanted('line.move', { kind: 'line.move', spec, onto, moveCheckout, candidate, commit, integrated })];
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
/** What the worker answered that made this candidate. */
export function answerWith(task: Task, candidate: Candidate): BlobHash | null {
  for (const { place } of task.steps.values())
    if (place.at === 'done' && place.candidate?.change_id === candidate.change_id) return place.answer;
  return null;
}

/** The verdict and the reviews of this very change. */
export function judgedFor({ verdict }: Task, { change_id }: Candidate): { readonly judged?: Judged } {
  if (verdict === undefined || verdict.on.change_id !== change_id) return {};
  const { decision, score, reviews } = verdict;
  const reviewers = reviews.flatMap(({ role, cli, said }) => (said?.status === 'APPROVED' ? [{ role, cli }] : []));
  return { judged: { decision, score, reviewers } };
}
