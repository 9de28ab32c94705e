/** A task's state, as its stream tells it. It records what was decided; it decides nothing. How it folds: evolve-task.ts. */
import type { BlobHash, StepId, TaskId, WorkflowHash } from '../../kernel/ids.ts';
import type { OrderedMap } from '../../kernel/ordered-map.ts';
import type { Needed } from '../workflows/approval-policy.ts';
import type { LowerLevel } from '../workflows/step.ts';
import type { Next } from './events/task.ts';
import type { VerdictRecord } from './events/verdict.ts';
import type { ChangeFacts } from './risk-facts.ts';
import type {
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
  Said,
  Spec,
  TaskStatus,
} from './values.ts';

export type Counter = Extract<Next, { do: 'retry' }>['counter'];

/** Where a step stands. Exactly one of these; a step that was never opened has no entry at all. */
export type StepPlace =
  | { readonly at: 'ready'; readonly cli: number }
  | { readonly at: 'parked'; readonly cli: number; readonly until: number; readonly why: OutcomeClass }
  | { readonly at: 'working'; readonly attempt: Attempt<AttemptKind> }
  | Checking
  /** Nothing is done until somebody answers. */
  | {
      readonly at: 'waiting';
      readonly for: 'person';
      readonly token: number;
      readonly on: Candidate | null;
      readonly asks: Asks;
      /** The answer that the person is shown; null: the candidate is. */
      readonly about: AnswerOf | null;
      readonly reason: string;
      /** What the approval policies ask. Absent: anybody may answer. */
      readonly needed?: Needed;
      /** Those who approved already, while others have to as well. */
      readonly agreed?: readonly Agreed[];
      /** It goes on at this time if nobody rejects it. */
      readonly until?: number;
      /** The attempt whose gates, or whose review, found something critical. It goes on when the person has answered. */
      readonly held?: Checking;
    }
  /** The candidate is being put on the task's branch. */
  | { readonly at: 'applying'; readonly token: number }
  | {
      readonly at: 'done';
      readonly candidate: Candidate | null;
      readonly answer: BlobHash | null;
      readonly said: Said | null;
      /** What it looked at. */
      readonly on: Candidate | null;
      readonly reason: string;
      /** Who said it. */
      readonly cli?: string;
    }
  /** What it had come to is void; it opens again when its needs are met. */
  | { readonly at: 'void' };

/** Somebody approved, and when. */
type Agreed = { readonly by: string; readonly at: number };

/** The change that would land is not the one that was approved, or the approval has expired. */
export type LandingAsk = { readonly on: Candidate; readonly why: string; readonly agreed: readonly Agreed[] };

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
  /** The task's candidate when it started; null: there was none. */
  readonly on: Candidate | null;
  readonly cli: string;
  readonly chain: number;
  /** Where the step stood in its chain, when CLIs were passed over that could not work then; they may later. */
  readonly from?: number;
  readonly reserve: number;
  /** Absent: no budget of tokens was in force. */
  readonly reserveTokens?: number;
  readonly started: number;
  readonly deadline: number;
};
type Product = {
  /** Absent: nobody looked at the text of the change. */
  readonly diff?: DiffFacts | undefined;
  readonly candidate: Candidate | null;
  readonly answer: BlobHash | null;
  readonly said: Said | null;
  readonly cost: Cost;
  readonly gates: readonly string[];
};
export type Evidence = Measured & {
  readonly gate: string;
  readonly status: GateStatus;
  readonly evidence: BlobHash | null;
  readonly ms: number | null;
  /** Tests that failed and were excused, because they fail at the base too. */
  readonly excused: number;
  readonly cached: boolean;
  readonly signature?: string | undefined;
  readonly blocked_by?: readonly BlockingFinding[] | undefined;
};
/** A finding that a person took back; it counts for this change only. */
export type Dismissed = BlockingFinding & { readonly gate: string; readonly change_id: string };
/** A gate that passed although tests failed, all of which fail at the base too. */
export type RedGate = { readonly gate: string; readonly count: number };

/** An answer of another step, to be shown to a worker. */
export type AnswerOf = { readonly step: StepId; readonly answer: BlobHash };

/** A change that a step made, and the candidate it started from; null: the base. */
export type Made = { readonly on: Candidate | null; readonly candidate: Candidate };

export type Step = {
  readonly place: StepPlace;
  /** Attempts over all rounds: their numbers never restart. */
  readonly attempts: number;
  readonly round: number;
  /** How often this step sent the task back. */
  readonly reworks: number;
  /** The level of work that it has fallen back to. Absent: the first one. */
  readonly level?: LowerLevel;
  /** What was used up in this round, and at this level. */
  readonly used: Readonly<Partial<Record<Counter, number>>>;
  /** Why the last candidate was sent back; the next attempt is told, also when one in between was lost. */
  readonly feedback: string | null;
  /** The one before it was sent back for the very same reason. */
  readonly repeated?: true;
  /** How often each failure sent it back, by signature. Absent: never. */
  readonly errors?: Readonly<Record<string, number>>;
  /** Trees of candidates that were sent back: none of them is judged again. Absent: none was. */
  readonly tried?: readonly string[];
  /** What the gates found in that candidate. */
  readonly findings: readonly Evidence[];
  /** The change that was sent back. Absent: none was captured. */
  readonly sentBack?: Candidate;
  /** The operator's word where its next attempt starts. Absent: as its workflow says. */
  readonly from?: 'last' | 'line';
  /** The answers that sent it back, such as reviews. */
  readonly reviews: readonly AnswerOf[];
  /** Findings of its reviews that nobody has closed, and the answers that raised them. Absent: there are none. */
  readonly raised?: { readonly open: readonly BlockingFinding[]; readonly answers: readonly BlobHash[] };
  /** What it made in earlier rounds. Absent: nothing. */
  readonly made?: readonly Made[];
  /** How often a person answered it, in a simulation whose script plays people. Absent: never. */
  readonly answered?: number;
  /** So many of them may be made again, because a person resumed the task since. Absent: none. */
  readonly forgiven?: number;
};

type Applying = {
  readonly token: number;
  readonly candidate: Candidate;
  readonly branch: string;
  /** The commit step that asked for it. Absent: all steps are done. */
  readonly step?: StepId;
  /** As it was then: the commit's message says both, and has to be the same after a crash. */
  readonly red: readonly RedGate[];
  /** Absent: nothing. */
  readonly degraded?: readonly Degraded[];
};
/** What a commit step put on the task's branch; null where it was only played. */
type Committed = {
  readonly candidate: Candidate;
  readonly commit: string | null;
  readonly branch: string | null;
};
export type Closed = {
  readonly status: ClosedStatus;
  readonly reason: string;
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
  /** When it was created or last reopened: its age counts from here. */
  readonly opened: number;
  readonly updated: number;
  /** Steps that were opened at least once. */
  readonly steps: OrderedMap<Step>;
  /** Steps that are neither done, void nor unopened, in the order they opened. */
  readonly open: readonly StepId[];
  /** The highest fencing token given out. */
  readonly token: number;
  readonly locks: readonly string[];
  /** The newest accepted candidate: what the next change builds on. */
  readonly candidate: Candidate | null;
  /** Its gates that are red as the base is, by the newest report of each. Absent: none is. */
  readonly red?: readonly RedGate[];
  /** Absent: none was. */
  readonly dismissed?: readonly Dismissed[];
  /** The newest one. Absent: none was given. */
  readonly verdict?: VerdictRecord;
  /** What the newest change is, for approval policies. Absent: no policy asks about it. */
  readonly facts?: { readonly change_id: string; readonly facts: ChangeFacts };
  /** The newest change that people approved as the policies ask. Absent: none was. */
  readonly approval?: { readonly change_id: string; readonly needed: Needed; readonly at: number };
  /** What people are asked before it may land, and who said yes. Absent: nothing was asked. */
  readonly landingAsk?: LandingAsk;
  readonly applying: Applying | null;
  /** By the newest commit step. Absent: none was reached. */
  readonly committed?: Committed;
  /** How often a step was opened, over all rounds, since the task was created or reopened. */
  readonly begun: number;
  /** Keys of effects whose start was logged and whose end was not; all but `repeat` kinds. */
  readonly started: readonly string[];
  /** A step failed; the task closes with this once its other attempts have ended. */
  readonly failing?: { readonly status: ClosedStatus; readonly reason: string };
  /** A person still has to be told how it ended. */
  readonly notify: boolean;
  /** The newest question that somebody was told of, by its token. Absent: none was. */
  readonly told?: number;
  readonly attempts: number;
  readonly cost: Cost;
  /** Attempts whose price nobody told. */
  readonly unpriced: number;
  /** What budgets count beyond `cost`. Absent: nothing. */
  readonly estimated?: Estimated;
  readonly refused: number;
  /** The chain of CLIs that the operator chose for these steps; other steps keep the workflow's chain. */
  readonly cli?: { readonly chain: readonly string[]; readonly steps: readonly StepId[] };
  /** When it was warned of its age: each step has one more attempt from then on. */
  readonly warned?: number;
  /** The operator stopped it; it waits for `resume`. */
  readonly paused?: true;
  readonly closed: Closed | null;
  /** A person has dealt with the incident that stopped it. Absent: nobody has, or there was none. */
  readonly resolved?: {
    readonly how: 'skip' | 'abandon';
    readonly by: string;
    readonly notes: string;
    readonly at: number;
  };
  /** It is in the queue of this line. */
  readonly landing?: {
    readonly onto: string;
    readonly unverified: boolean;
    /** Whether a clean checkout of the branch may be moved with it. */
    readonly move_checkout: boolean;
    readonly unstable?: boolean | undefined;
    readonly as?: 'merge' | 'squash' | undefined;
    readonly by: string;
  };
  /** Where the operator landed it. */
  readonly landed: { readonly onto: string; readonly commit: string } | null;
};

/** It came from a queue or a plan and is accepted: others wait for its files until it has landed or is given up. */
export const holdsUntilLanded = ({ closed, spec, landed, locks }: Task): boolean =>
  closed?.status === 'accepted' && spec.queued === true && landed === null && locks.length > 0;

/** Whether anything may still happen to it by itself; only such tasks stay in memory. */
export const isLive = (task: Task): boolean =>
  task.closed === null || task.notify || task.landing !== undefined || holdsUntilLanded(task);

/** The attempt under way at a step; a step without one is a broken log. */
export function attemptOf(step: Step): Attempt {
  if (step.place.at === 'working' || step.place.at === 'checking') return step.place.attempt;
  throw new Error(`no attempt is under way, the step is ${step.place.at}`);
}

/** The attempt of a step that has not ended, also where it waits for a person. */
export function underWay(step: Step | undefined): Extract<StepPlace, { at: 'working' | 'checking' }> | undefined {
  const place = step?.place;
  if (place?.at === 'waiting') return place.held;
  return place?.at === 'working' || place?.at === 'checking' ? place : undefined;
}

/** Whether a worker or a gate of the step is at work. */
export const isBusy = (step: Step | undefined): boolean =>
  step?.place.at === 'working' || step?.place.at === 'checking';

export const redGates = (reports: readonly Evidence[]): RedGate[] =>
  reports.flatMap(({ gate, status, excused }) => (status === 'pass' && excused > 0 ? [{ gate, count: excused }] : []));

/** A step whose change stands, and is only a part of what was asked. */
export type Degraded = { readonly step: StepId; readonly level: LowerLevel };

export const degradedSteps = ({ steps }: Pick<Task, 'steps'>): Degraded[] =>
  [...steps].flatMap(([step, { level, place }]) =>
    level !== undefined && place.at === 'done' && place.candidate !== null ? [{ step: step as StepId, level }] : [],
  );

/** The one sentence for it, wherever it is said. */
export const degradedText = (degraded: readonly Degraded[]): string =>
  `degraded: ${degraded.map(({ step, level }) => `${step} is ${level}`).join(', ')}`;

/** The one sentence for it, wherever it is said. */
export const redText = ({ gate, count }: RedGate): string => `${gate}: ${count} red, same as base`;

/** The CLIs that made the change as it is now, each once. */
export function authorsOf({ steps }: Pick<Task, 'steps'>): readonly string[] {
  const made = [...steps.values()].flatMap(({ place }) =>
    place.at === 'done' && place.candidate !== null && place.cli !== undefined ? [place.cli] : [],
  );
  return [...new Set(made)];
}

/** The one word a person is told. */
export function statusOf(task: Task): TaskStatus {
  if (task.closed !== null) return task.closed.status;
  if (task.applying !== null) return 'running';
  if (task.paused) return 'paused';
  const places = task.open.map((id) => task.steps.get(id)?.place.at);
  if (places.includes('working') || places.includes('checking')) return 'running';
  if (places.length > 0 && places.every((place) => place === 'parked' || place === 'waiting')) return 'waiting';
  return 'queued';
}

/** What a person is shown who is asked: the id of a change, or the hash of an answer. Null: nothing that has a name. */
export const shownTo = ({ asks, about, on }: Extract<StepPlace, { at: 'waiting' }>): string | null =>
  asks === 'failure' || asks === 'rounds' || asks === 'question' ? null : (about?.answer ?? on?.change_id ?? null);

/** The name of the message about a question; of the message about a task's end see `effects.ts`. */
export const questionKey = (task: TaskId, token: number): string => `${task}/-/${token}/notify.ask`;

/** The newest question of a task that waits for a person, by its token, if somebody should still be told. */
export function untold(task: Task): number | null {
  if (task.spec.notify !== true || task.paused === true || !waitsForPerson(task)) return null;
  const tokens = task.open.flatMap((id) => {
    const place = task.steps.get(id)?.place;
    return place?.at === 'waiting' ? [place.token] : [];
  });
  const newest = Math.max(...tokens);
  return newest > (task.told ?? -1) ? newest : null;
}

/** It does not go on before a person answers: every open step waits for one. */
export const waitsForPerson = (task: Task): boolean =>
  task.closed === null &&
  task.applying === null &&
  task.open.length > 0 &&
  task.open.every((id) => task.steps.get(id)?.place.at === 'waiting');

/** Whether a person is asked something: a step of it waits for an answer, or its landing does. */
export const asksPerson = (task: Task): boolean =>
  task.closed === null
    ? task.open.some((id) => task.steps.get(id)?.place.at === 'waiting')
    : task.landingAsk !== undefined && task.landed === null;
