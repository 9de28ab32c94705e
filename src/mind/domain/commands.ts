/** Every command. All of them, including outcomes and timers, come through the inbox and are parsed here. */
import * as v from 'valibot';
import { workflow } from '../workflows/step.ts';
import { limits } from './limits.ts';
import { changeFacts } from './risk-facts.ts';
import {
  addition,
  blobHash,
  blockedBy,
  candidate,
  cost,
  count,
  diffFacts,
  errorCategory,
  gateStatus,
  line,
  measured,
  mode,
  outcomeClass,
  proposalId,
  redBase,
  said,
  signedWord,
  spec,
  stepId,
  taskId,
  time,
  wantedEnvironment,
} from './values.ts';

const reason = v.optional(line, '');

/** How a worker's run ended: the outcome of `worker.run`. */
const attemptReport = v.object({
  type: v.literal('attempt.report'),
  task: taskId,
  step: stepId,
  token: count,
  class: outcomeClass,
  reason: v.optional(line, ''),
  candidate: v.optional(v.nullable(candidate), null),
  answer: v.optional(v.nullable(blobHash), null),
  /** What the hand saw: packet, changed paths, claims, how the process ended. */
  record: v.optional(v.nullable(blobHash), null),
  /** What the answer says, as far as rules use it. */
  said: v.optional(v.nullable(said), null),
  cost,
  /** When a quota resets, if the CLI said so. */
  reset_at: v.optional(v.nullable(time), null),
  /** Facts about the change, if a policy asks for them. */
  facts: v.optional(changeFacts),
  /** The candidate of a refused change. */
  sent_back: v.optional(candidate),
  /** Findings in the text of the change; absent if there is no change, or it was not checked. */
  diff: v.optional(diffFacts),
  /** Where the fault lies, if the hand knows better than the class says. */
  category: v.optional(v.nullable(errorCategory)),
});
export type AttemptReport = v.InferOutput<typeof attemptReport>;

export const command = v.variant('type', [
  v.object({
    type: v.literal('task.create'),
    task: taskId,
    title: line,
    spec,
    onto: line,
    base: v.nullable(line),
    workflow,
    priority: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(9)), 5),
  }),
  v.object({ type: v.literal('task.cancel'), task: taskId, reason }),
  /**
   * A person has dealt with what stopped the task: it stays as it is, or is abandoned. `task.resume` tries again
   * instead.
   */
  v.object({ type: v.literal('task.resolve'), task: taskId, how: v.picklist(['skip', 'abandon']), notes: reason }),
  v.object({ type: v.literal('task.pause'), task: taskId, reason }),
  /** The base turned out to be red while the task was running: what to do about its red tests. */
  v.object({ type: v.literal('task.answer_base'), task: taskId, red_base: redBase }),
  v.object({
    type: v.literal('task.resume'),
    task: taskId,
    reason,
    ...addition,
    /** Steps that wait for their next attempt start it now. */
    wake: v.optional(v.literal(true)),
    /** Ids of critical findings that are wrong, or that the operator accepts. The reason says why. */
    dismiss: v.optional(v.pipe(v.array(line), v.minLength(1), v.maxLength(100))),
  }),
  /** Puts an accepted task into the queue of a line; null for the line that it was made for. */
  v.object({
    type: v.literal('task.land'),
    task: taskId,
    onto: v.optional(v.nullable(line), null),
    unverified: v.optional(v.boolean(), false),
    /** Whether a clean checkout of the branch may move with it. */
    move_checkout: v.optional(v.boolean(), false),
    /** Whether it may land although a gate was red and then green on the same tree. */
    unstable: v.optional(v.boolean()),
    /** The configuration is another one than it was accepted under: its gates run again. */
    regate: v.optional(v.literal(true)),
    /** With a merge commit, or as one commit. Absent: the branch moves forward to the task's own commits. */
    as: v.optional(v.picklist(['merge', 'squash'])),
  }),
  /** Takes it out of the queue again. */
  v.object({ type: v.literal('task.unland'), task: taskId, reason }),
  v.object({ type: v.literal('goal.set'), text: v.pipe(v.string(), v.maxLength(20_000)) }),
  v.object({ type: v.literal('mode.set'), mode }),
  v.object({ type: v.literal('board.configure'), limits }),
  /** Halts the project: no attempt starts before `board.resume`. `now`: running attempts are cut as well. */
  v.object({ type: v.literal('board.halt'), reason, now: v.optional(v.boolean(), false) }),
  v.object({ type: v.literal('board.resume'), reason }),
  v.object({ type: v.literal('breaker.reset'), lane: line }),
  /** The operator says that a CLI can work again: its parked quota and open breakers are forgotten. */
  v.object({ type: v.literal('cli.reset'), cli: line }),
  v.object({ type: v.literal('proposal.accept'), proposal: proposalId, reason }),
  v.object({ type: v.literal('proposal.reject'), proposal: proposalId, reason }),
  /**
   * Asks the scheduler to grant what is free; the engine ends each batch with it. `memory`: the share of the machine's
   * memory in use.
   */
  v.object({
    type: v.literal('board.grant'),
    memory: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
  }),
  attemptReport,
  v.object({
    type: v.literal('gate.report'),
    task: taskId,
    /** The step of the gate; null if it checked the tree that will land. */
    step: v.nullable(stepId),
    token: count,
    gate: line,
    status: gateStatus,
    evidence: v.optional(v.nullable(blobHash), null),
    ms: v.optional(v.nullable(count), null),
    excused: v.optional(count, 0),
    /** An earlier run on the same tree found it. */
    cached: v.optional(v.boolean(), false),
    score: v.optional(measured.score, null),
    findings: v.optional(measured.findings, null),
    tests: v.optional(measured.tests, null),
    flaky: v.optional(measured.flaky, null),
    coverage: measured.coverage,
    /** Equal for the same failure: see `signatureOf`. */
    signature: v.optional(line),
    blocked_by: blockedBy,
    /** Why it could not run: nothing was prepared for it. */
    environment: v.optional(wantedEnvironment),
  }),
  v.object({
    type: v.literal('apply.report'),
    task: taskId,
    token: count,
    /** `refused`: the change lacks something that its workflow requires of a commit; the reason says what to do. */
    status: v.picklist(['applied', 'refused', 'conflict', 'error']),
    reason,
    commit: v.nullable(line),
    /** Where the commit is; null if the run was simulated. */
    branch: v.optional(v.nullable(line), null),
  }),
  /** The result of an effect that a line wanted. */
  v.object({
    type: v.literal('line.report'),
    kind: v.picklist(['line.integrate', 'line.move', 'line.read']),
    task: taskId,
    token: count,
    status: v.picklist(['landed', 'moved', 'integrated', 'conflict', 'checked_out', 'refused', 'error', 'seen']),
    reason,
    /** Where the branch is now. */
    commit: v.optional(v.nullable(line), null),
    candidate: v.optional(v.nullable(candidate), null),
    path: v.optional(v.nullable(line), null),
    /** For an integrated change: the branch's tree without it, and the branch's newest commits since its base. */
    tip_tree: v.optional(line),
    since: v.optional(v.array(line)),
    /** Trees and changes of a batch, and the commits that it landed as; both in the order of the queue. */
    stack: v.optional(v.array(v.object({ tree: line, change_id: line }))),
    commits: v.optional(v.array(line)),
  }),
  /**
   * `asks`: the message was a question. `digest`: it was about messages held in quiet hours. Neither: it was about the
   * end of the task. `quiet_ms`: how long no message may be sent there.
   */
  v.object({
    type: v.literal('notify.report'),
    task: taskId,
    token: count,
    result: line,
    asks: v.optional(v.literal(true)),
    digest: v.optional(v.literal(true)),
    quiet_ms: v.optional(count),
  }),
  /**
   * The intent, logged before a hand acts. `stream` wants the effect; the task is the one it is for. `again`: an
   * earlier process logged the start and ended before it acted.
   */
  v.object({
    type: v.literal('effect.start'),
    task: taskId,
    stream: line,
    key: line,
    again: v.optional(v.literal(true)),
  }),
  /** A person answers a step that waits for one. */
  v.object({
    type: v.literal('step.answer'),
    task: taskId,
    step: stepId,
    decision: v.picklist(['APPROVE', 'REJECT']),
    reason,
    /**
     * What the person was shown: a change id, or the hash of an answer. Refused if the step waits about another one.
     */
    about: v.optional(line),
    /** The answer is signed; the sender has checked the signature. */
    signed: v.optional(signedWord),
    /** Fingerprints of keys whose earlier approvals the sender has checked again. Other signed ones do not count. */
    confirmed: v.optional(v.array(line)),
  }),
  /**
   * A person takes a step that makes a change: no worker starts there until it is given or dropped. Absent `step`: the
   * only one.
   */
  v.object({ type: v.literal('step.take'), task: taskId, step: v.optional(stepId), dir: line }),
  /** The person's work is the next attempt. `attempt`: its number; refused if another one came in between. */
  v.object({ type: v.literal('step.give'), task: taskId, attempt: count }),
  v.object({ type: v.literal('step.drop'), task: taskId, reason }),
  v.object({
    type: v.literal('timer.fire'),
    task: taskId,
    timer: v.picklist(['backoff', 'deadline', 'age', 'landing', 'approval', 'quiet']),
    step: v.nullable(stepId),
    token: count,
  }),
]);
export type Command = v.InferOutput<typeof command>;
export type CommandOf<T extends Command['type']> = Extract<Command, { type: T }>;
export type AnswerCommand = CommandOf<'step.answer'>;

export const actorKind = v.picklist(['operator', 'planner', 'supervisor', 'mcp', 'watcher', 'engine', 'hand', 'clock']);
export type ActorKind = v.InferOutput<typeof actorKind>;
export type Actor = { readonly kind: ActorKind; readonly name: string };

/** A command with everything that the mind may not fetch itself: time, randomness, sender and cause. */
export type Envelope = {
  /** Idempotency id: the same id is decided once. */
  readonly id: string;
  readonly actor: Actor;
  readonly at: number;
  /** A number in [0, 1) for jitter. */
  readonly dice: number;
  readonly command: Command;
};

export const actorText = (actor: Actor): string => (actor.name === '' ? actor.kind : `${actor.kind}:${actor.name}`);

/** The task that a command names: the engine loads it into memory before the decision. */
export function taskOf(command: Command): CommandOf<'task.create'>['task'] | null {
  return 'task' in command ? command.task : null;
}
