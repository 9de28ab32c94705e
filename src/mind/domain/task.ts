/** A task's state, as its stream has it. It records decisions and makes none. How it folds: evolve-task.ts. */
import type { BlobHash, StepId, TaskId, WorkflowHash } from '../../kernel/ids.ts';
import type { OrderedMap } from '../../kernel/ordered-map.ts';
import type { Needed } from '../workflows/approval-policy.ts';
import type { LowerLevel } from '../workflows/step.ts';
import type { NextAction } from './events/task.ts';
import type { VerdictRecord } from './events/verdict.ts';
import type { ChangeFacts } from './risk-facts.ts';
import type { Closed, Taken } from './taken.ts';
import type {
  AnswerFacts,
  Asks,
  AttemptKind,
  BlockingFinding,
  Candidate,
  ClosedStatus,
  Cost,
  DiffFacts,
  Estimated,
  GateStatus,
  Measured,
  OutcomeClass,
  SignedWord,
  Spec,
  TaskStatus,
} from './values.ts';

export type Counter = Extract<NextAction, { do: 'retry' }>['counter'];

/** The state of a step. Exactly one of these; a step that was never opened has no entry. */
export type StepPlace =
  /** `awaits`: analyses of the rejected change; the step starts when they have ended. Absent if there are none. */
  | { readonly at: 'ready'; readonly cli: number; readonly awaits?: readonly StepId[] }
  | { readonly at: 'parked'; readonly cli: number; readonly until: number; readonly why: OutcomeClass }
  | { readonly at: 'working'; readonly attempt: Attempt<AttemptKind> }
  | Checking
  /** Nothing happens until a person answers. */
  | {
      readonly at: 'waiting';
      readonly for: 'person';
      readonly token: number;
      readonly on: Candidate | null;
      readonly asks: Asks;
      /** The answer that the person is shown; null if the candidate is shown. */
      readonly about: AnswerOf | null;
      readonly reason: string;
      /** What the approval policies require. Absent: anybody may answer. */
      readonly needed?: Needed;
      /** People who have approved, while more have to. */
      readonly agreed?: readonly Agreed[];
      /** The step goes on at this time without an objection. */
      readonly until?: number;
      /** The key of the environment in question. */
      readonly environment?: string;
      /** The attempt whose gates or review ask the question. It goes on after the answer. */
      readonly held?: Checking;
    }
  /** The candidate is being put on the task's branch. */
  | { readonly at: 'applying'; readonly token: number }
  | {
      readonly at: 'done';
      readonly candidate: Candidate | null;
      readonly answer: BlobHash | null;
      readonly said: AnswerFacts | null;
      /** What it looked at. */
      readonly on: Candidate | null;
      readonly reason: string;
      /** The CLI that gave the answer. */
      readonly cli?: string;
      /** The person who made the change; absent if a worker did. */
      readonly by?: string;
    }
  /** The step's result is void; it opens again when its needs are met. */
  | { readonly at: 'void' };

/** A step that waits for an answer. */
export type WaitingStep = Extract<StepPlace, { at: 'waiting' }>;

/** The person who approved, and the time. `signed`: with a key, whoever sent it. */
export type Agreed = {
  readonly by: string;
  readonly at: number;
  readonly signed?: Pick<SignedWord, 'as' | 'names' | 'key'> | undefined;
};

/** The change that would land is not the approved one, or the approval has expired. */
export type LandingAsk = {
  readonly on: Candidate;
  readonly why: string;
  readonly agreed: readonly Agreed[];
  /** What the policies require, if landing found more than the task had. Absent: the same as before. */
  readonly needed?: Needed;
};

type Checking = {
  readonly at: 'checking';
  readonly attempt: Attempt;
  readonly product: Product;
  readonly evidence: readonly Evidence[];
};

export type Attempt<K = AttemptKind | 'gate'> = {
  readonly number: number;
  readonly token: number;
  readonly kind: K;
  readonly round: number;
  /** The task's candidate when it started; null if there was none. */
  readonly on: Candidate | null;
  readonly cli: string;
  readonly chain: number;
  /** The step's place in its chain, if CLIs were skipped that could not work then but may later. */
  readonly from?: number;
  readonly reserve: number;
  /** Absent if no token budget was in force. */
  readonly reserveTokens?: number;
  readonly started: number;
  readonly deadline: number;
  /** A person makes it, in this checkout. Absent if a worker does, or there are only gates. */
  readonly given?: { readonly by: string; readonly dir: string };
};
type Product = {
  /** Absent if the text of the change was not checked. */
  readonly diff?: DiffFacts | undefined;
  readonly candidate: Candidate | null;
  readonly answer: BlobHash | null;
  readonly said: AnswerFacts | null;
  readonly cost: Cost;
  readonly gates: readonly string[];
};
export type Evidence = Measured & {
  readonly gate: string;
  readonly status: GateStatus;
  readonly evidence: BlobHash | null;
  readonly ms: number | null;
  /** How many failed tests were excused because they fail at the base too. */
  readonly excused: number;
  readonly cached: boolean;
  readonly signature?: string | undefined;
  readonly blocked_by?: readonly BlockingFinding[] | undefined;
};
/** A finding that a person dismissed; for this change only. `gate` is empty if a review found it. */
export type Dismissed = BlockingFinding & { readonly gate: string; readonly change_id: string };
/** A gate that passed although tests failed, all of which fail at the base too. */
export type RedGate = { readonly gate: string; readonly count: number };

/** An answer of another step, for a worker to read. */
export type AnswerOf = { readonly step: StepId; readonly answer: BlobHash };

/** A change that a step made, and the candidate it started from; null for the base. */
export type EarlierChange = { readonly on: Candidate | null; readonly candidate: Candidate };

export type Step = {
  readonly place: StepPlace;
  /** Attempts over all rounds: their numbers never restart. */
  readonly attempts: number;
  readonly round: number;
  /** How often this step sent the task back. */
  readonly reworks: number;
  /** The level of work it has fallen back to; absent for the first one. */
  readonly level?: LowerLevel;
  /** The retries used in this round and at this level. */
  readonly used: Readonly<Partial<Record<Counter, number>>>;
  /** Why the last candidate was sent back; for the next attempt, even if one in between was lost. */
  readonly feedback: string | null;
  /** The previous one was sent back for the same reason. */
  readonly repeated?: true;
  /** How often each failure sent it back, by signature; absent if never. */
  readonly errors?: Readonly<Record<string, number>>;
  /** Trees of rejected candidates: none of them is judged again. Absent if there are none. */
  readonly tried?: readonly string[];
  /** What the gates found in that candidate. */
  readonly findings: readonly Evidence[];
  /** The rejected change, or if `unchecked` one on which a blocking gate could not run. Absent if none was captured. */
  readonly sentBack?: Candidate;
  readonly unchecked?: true;
  /** Where the operator wants its next attempt to start. Absent: as its workflow says. */
  readonly from?: 'last' | 'line';
  readonly reviews: readonly AnswerOf[];
  /** What models say about the rejected change. Absent if none was asked or answered. */
  readonly analyses?: readonly AnswerOf[];
  /** Open findings of its reviews, and the answers that raised them. Absent if there are none. */
  readonly raised?: { readonly open: readonly BlockingFinding[]; readonly answers: readonly BlobHash[] };
  /** What it made in earlier rounds; absent if nothing. */
  readonly made?: readonly EarlierChange[];
  /** How often a simulated person answered it; absent if never. */
  readonly answered?: number;
  /** How many of them may be repeated because a person resumed the task since. Absent if none. */
  readonly forgiven?: number;
};

type Applying = {
  readonly token: number;
  readonly candidate: Candidate;
  readonly branch: string;
  /** The commit step that asked for it; absent if all steps are done. */
  readonly step?: StepId;
  /** As it was then: the commit's message says both, and must be the same after a crash. */
  readonly red: readonly RedGate[];
  /** Absent if nothing. */
  readonly degraded?: readonly Degraded[];
};
/** What a commit step put on the task's branch; null if it was simulated. */
type TaskCommit = {
  readonly candidate: Candidate;
  readonly commit: string | null;
  readonly branch: string | null;
};

export type Task = {
  readonly id: TaskId;
  readonly title: string;
  readonly spec: Spec;
  readonly onto: string;
  readonly base: string | null;
  readonly workflow: WorkflowHash;
  readonly priority: number;
  readonly order: number;
  readonly trace: string;
  readonly created: number;
  /** When it was created, or when a person last acted on it: its age counts from here. */
  readonly opened: number;
  readonly updated: number;
  /** Steps that were opened at least once. */
  readonly steps: OrderedMap<Step>;
  /** Steps that are neither done, void nor unopened, in the order they opened. */
  readonly open: readonly StepId[];
  /** The highest fencing token so far. */
  readonly token: number;
  readonly locks: readonly string[];
  /** The newest accepted candidate: the next change builds on it. */
  readonly candidate: Candidate | null;
  /** Gates that are red because the base is, by the newest report of each. Absent if none is. */
  readonly red?: readonly RedGate[];
  /** Absent if none was. */
  readonly dismissed?: readonly Dismissed[];
  /** The newest one; absent if none was given. */
  readonly verdict?: VerdictRecord;
  /** Facts of the newest change, for approval policies; absent if no policy asks. */
  readonly facts?: { readonly change_id: string; readonly facts: ChangeFacts };
  /** The newest change that people approved as the policies require; absent if none. */
  readonly approval?: { readonly change_id: string; readonly needed: Needed; readonly at: number };
  /** Keys of environments that people allowed gates to prepare and use; absent if none. */
  readonly environments?: readonly string[];
  /** What people have to approve before it may land, and who did. Absent if nothing was asked. */
  readonly landingAsk?: LandingAsk;
  readonly applying: Applying | null;
  /** From the newest commit step; absent if none was reached. */
  readonly committed?: TaskCommit;
  /** How often a step was opened, over all rounds, since the task was created or reopened. */
  readonly begun: number;
  /** Keys of effects with a logged start and no logged end, except `repeat` kinds. */
  readonly started: readonly string[];
  /** A step failed; the task closes with this once its other attempts have ended. */
  readonly failing?: { readonly status: ClosedStatus; readonly reason: string };
  /** A person still has to learn how it ended. */
  readonly notify: boolean;
  /** The token of the newest question that was notified; absent if there is none. */
  readonly told?: number;
  readonly held?: HeldNotice;
  readonly digest?: Digest;
  readonly attempts: number;
  readonly cost: Cost;
  /** Attempts without a reported price. */
  readonly unpriced: number;
  /** What budgets count beyond `cost`; absent if nothing. */
  readonly estimated?: Estimated;
  readonly refused: number;
  /** The chain of CLIs that the operator chose for these steps; other steps keep the workflow's chain. */
  readonly cli?: { readonly chain: readonly string[]; readonly steps: readonly StepId[] };
  /** When it was warned of its age: each step has one more attempt from then on. `lateRework`: it was sent back since. */
  readonly warned?: number;
  readonly lateRework?: true;
  /** The operator stopped it; it waits for `resume`. */
  readonly paused?: true;
  /** The step that a person has taken; absent if there is none. */
  readonly taken?: Taken;
  readonly closed: Closed | null;
  /** A person has resolved the incident that stopped it; absent if it is open, or there was none. */
  readonly resolved?: {
    readonly how: 'skip' | 'abandon';
    readonly by: string;
    readonly notes: string;
    readonly at: number;
  };
  /** The task is in the queue of this line. */
  readonly landing?: {
    readonly onto: string;
    readonly unverified: boolean;
    /** Whether a clean checkout of the branch may move with it. */
    readonly move_checkout: boolean;
    readonly unstable?: boolean | undefined;
    readonly regate?: true | undefined;
    readonly as?: 'merge' | 'squash' | undefined;
    readonly by: string;
  };
  /** Where the operator landed it. */
  readonly landed: { readonly onto: string; readonly commit: string } | null;
};

/** A message about it fell into quiet hours, which end then. `by`: that task's message covers it. */
type HeldNotice = { readonly until: number; readonly by?: TaskId };

/** The one message after quiet hours. Its token is the planned end of the quiet hours. */
export type Digest = { readonly token: number; readonly asks: readonly TaskId[]; readonly ended: readonly TaskId[] };

/** The task came from a queue or a plan and is accepted: others wait for its files until it lands or is abandoned. */
export const holdsUntilLanded = ({ closed, spec, landed, locks }: Task): boolean =>
  closed?.status === 'accepted' && spec.queued === true && landed === null && locks.length > 0;

/** Whether anything may still happen to it by itself; only such tasks stay in memory. */
export const isLive = (task: Task): boolean =>
  task.closed === null ||
  task.notify ||
  task.held !== undefined ||
  task.digest !== undefined ||
  task.landing !== undefined ||
  holdsUntilLanded(task);

/** The running attempt of a step; a step without one means a broken log. */
export function attemptOf(step: Step): Attempt {
  if (step.place.at === 'working' || step.place.at === 'checking') return step.place.attempt;
  throw new Error(`no attempt is under way, the step is ${step.place.at}`);
}

/** The attempt of a step that has not ended, even if it waits for a person. */
export function underWay(step: Step | undefined): Extract<StepPlace, { at: 'working' | 'checking' }> | undefined {
  const place = step?.place;
  if (place?.at === 'waiting') return place.held;
  return place?.at === 'working' || place?.at === 'checking' ? place : undefined;
}

/** Whether a worker or a gate of the step is running. */
export const isBusy = (step: Step | undefined): boolean =>
  step?.place.at === 'working' || step?.place.at === 'checking';

/** A person has the step, and none of their work is being checked. */
export const isWithPerson = ({ taken, steps }: Pick<Task, 'taken' | 'steps'>, id: StepId): boolean =>
  taken?.step === id && !isBusy(steps.get(id));

export const redGates = (reports: readonly Evidence[]): RedGate[] =>
  reports.flatMap(({ gate, status, excused }) => (status === 'pass' && excused > 0 ? [{ gate, count: excused }] : []));

/** A step whose change stands, but covers only a part of what was asked. */
export type Degraded = { readonly step: StepId; readonly level: LowerLevel };

export const degradedSteps = ({ steps }: Pick<Task, 'steps'>): Degraded[] =>
  [...steps].flatMap(([step, { level, place }]) =>
    level !== undefined && place.at === 'done' && place.candidate !== null ? [{ step: step as StepId, level }] : [],
  );

/** The only wording of this message. */
export const degradedText = (degraded: readonly Degraded[]): string =>
  `degraded: ${degraded.map(({ step, level }) => `${step} is ${level}`).join(', ')}`;

export const redText = ({ gate, count }: RedGate): string => `${gate}: ${count} red, same as base`;

/** The status that people see. */
export function statusOf(task: Task): TaskStatus {
  if (task.closed !== null) return task.closed.status;
  if (task.applying !== null) return 'running';
  if (task.paused) return 'paused';
  const places = task.open.map((id) => (isWithPerson(task, id) ? 'waiting' : task.steps.get(id)?.place.at));
  if (places.includes('working') || places.includes('checking')) return 'running';
  if (places.length > 0 && places.every((place) => place === 'parked' || place === 'waiting')) return 'waiting';
  return 'queued';
}

/** What a person is asked about: the id of a change, or the hash of an answer; null if it has neither. */
export const shownTo = ({ asks, about, on }: WaitingStep): string | null =>
  asks === 'failure' || asks === 'rounds' || asks === 'question' ? null : (about?.answer ?? on?.change_id ?? null);

/** The key of the message about a question; for the message about a task's end see `effects.ts`. */
export const questionKey = (task: TaskId, token: number): string => `${task}/-/${token}/notify.ask`;

/** The key of the one message after quiet hours that this task carries. */
export const digestKey = (task: TaskId, token: number): string => `${task}/-/${token}/notify.quiet`;

/** The newest question of a task that waits for a person, by its token, if a notification is still due. */
export function untold(task: Task): number | null {
  if (task.spec.notify !== true || task.paused === true || !waitsForPerson(task)) return null;
  const tokens = task.open.flatMap((id) => {
    const place = task.steps.get(id)?.place;
    return place?.at === 'waiting' ? [place.token] : [];
  });
  const newest = Math.max(...tokens);
  return newest > (task.told ?? -1) ? newest : null;
}

/** The task does not go on before a person answers: every open step waits for one. */
export const waitsForPerson = (task: Task): boolean =>
  task.closed === null &&
  task.applying === null &&
  task.open.length > 0 &&
  task.open.every((id) => task.steps.get(id)?.place.at === 'waiting' || isWithPerson(task, id));

/** Whether a person is asked something: one of its steps waits for an answer, or its landing does. */
export const asksPerson = (task: Task): boolean =>
  task.closed === null
    ? task.open.some((id) => task.steps.get(id)?.place.at === 'waiting')
    : task.landingAsk !== undefined && task.landed === null;
