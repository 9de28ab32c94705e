/** Events of a task's stream. What follows from an outcome is decided once and recorded here, so replay never re-decides. */
import * as v from 'valibot';
import { needed } from '../../workflows/approval-policy.ts';
import { lowerLevel } from '../../workflows/step.ts';
import { changeFacts } from '../risk-facts.ts';
import {
  addition,
  asks,
  attemptKind,
  blobHash,
  blockedBy,
  candidate,
  closedStatus,
  cost,
  count,
  diffFacts,
  errorCategory,
  estimated,
  gateStatus,
  line,
  lock,
  measured,
  microUsd,
  outcomeClass,
  redBase,
  said,
  severity,
  spec,
  stepId,
  taskId,
  time,
  workflowHash,
} from '../values.ts';
import { event } from './define.ts';
import { verdict } from './verdict.ts';

const effectKind = v.picklist([
  'worker.run',
  'gate.run',
  'candidate.apply',
  'notify.send',
  'line.integrate',
  'line.move',
  'line.read',
]);

/** What was decided to come after an attempt. */
const next = v.variant('do', [
  v.object({ do: v.literal('complete'), opens: v.array(stepId) }),
  v.object({
    do: v.literal('retry'),
    /** Not before this time; null means at once. */
    at: v.nullable(time),
    /** Index into the step's chain of CLIs. */
    cli: count,
    /** Which counter this attempt used up. */
    counter: v.picklist(['candidates', 'transient', 'quota', 'crash', 'lost', 'unknown', 'none']),
    /** The attempts of the level above are used up: the step goes on with less, and with attempts of its own. */
    level: v.optional(lowerLevel),
  }),
  v.object({ do: v.literal('close'), status: closedStatus }),
  /** The task ends with this status once the other attempts under way have ended; their results are still recorded. */
  v.object({ do: v.literal('fail'), status: closedStatus }),
]);
export type Next = v.InferOutput<typeof next>;

/** A limit that an attempt or a task has reached: what was counted, and where it ends. Times are in milliseconds. */
const guard = v.object({
  name: v.picklist(['same_error', 'same_candidate', 'age']),
  state: v.picklist(['warn', 'escalate']),
  count,
  limit: count,
});
export type Guard = v.InferOutput<typeof guard>;

/** What an attempt looks at: the task's candidate when it started. Null: the base alone, or unknown in an old log. */
const on = v.nullable(candidate);

export const taskEvents = [
  event(
    'task.created',
    1,
    'task',
    v.object({
      task: taskId,
      title: line,
      spec,
      onto: line,
      base: v.nullable(line),
      workflow: workflowHash,
      priority: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(9)),
      /** Rank among tasks of equal priority: first come, first served. */
      order: count,
      opens: v.array(stepId),
      trace: line,
    }),
  ),
  event(
    'attempt.started',
    2,
    'task',
    v.object({
      step: stepId,
      attempt: count,
      /** Fencing token: grows with every attempt of the task; outcomes under an older one are refused. */
      token: count,
      /** `gate`: no worker, only gates on the task's candidate. */
      kind: v.picklist([...attemptKind.options, 'gate']),
      /** How often the step was begun anew, this time included: 1 until it is reworked. */
      round: count,
      on,
      cli: line,
      /** Where it stands in the step's chain, when those before it were passed over; else it is where the step stood. */
      chain: v.optional(count),
      reserve: microUsd,
      /** Absent: no budget of tokens is in force. */
      reserve_tokens: v.optional(count),
      /** Taken with the task's first attempt, held until the task closes. */
      locks: v.array(lock),
      deadline: time,
    }),
  ),
  event(
    'attempt.produced',
    2,
    'task',
    v.object({
      step: stepId,
      token: count,
      candidate: v.nullable(candidate),
      answer: v.nullable(blobHash),
      record: v.nullable(blobHash),
      said: v.nullable(said),
      cost,
      gates: v.array(line),
      /** What the text of its change says. Absent: nobody looked, as in logs that are older than it. */
      diff: v.optional(diffFacts),
    }),
  ),
  event(
    'gate.reported',
    2,
    'task',
    v.object({
      step: stepId,
      token: count,
      gate: line,
      status: gateStatus,
      evidence: v.nullable(blobHash),
      ms: v.nullable(count),
      /** So many tests failed and were excused, because they fail at the base too. */
      excused: count,
      /** An earlier run on the same tree found it; its time is that run's. */
      cached: v.boolean(),
      /** Of what it printed, when it is red: equal for the same failure. */
      signature: v.optional(line),
      /** Findings that failed it by themselves: a person can dismiss them. */
      blocked_by: blockedBy,
      ...measured,
    }),
  ),
  event(
    'attempt.settled',
    2,
    'task',
    v.object({
      step: stepId,
      token: count,
      class: outcomeClass,
      /** Absent for a success, and in logs that are older than it. */
      category: v.optional(errorCategory),
      reason: line,
      /** Of the failure that sent it back. Absent: nothing was sent back, or nothing is known of why. */
      signature: v.optional(line),
      /** A safeguard that warns or stops. */
      guard: v.optional(guard),
      candidate: v.nullable(candidate),
      answer: v.nullable(blobHash),
      record: v.nullable(blobHash),
      said: v.nullable(said),
      cost,
      estimated: v.optional(estimated),
      next,
      /** A change that was sent back, as it was captured: the next attempt may start from its tree. Absent: there is none. */
      sent_back: v.optional(candidate),
    }),
  ),
  /** What gates and reviews come to. In the append that ends the gates of the last change or of a gate step, a join or a review. */
  event('verdict.given', 1, 'task', verdict),
  event('step.woken', 1, 'task', v.object({ step: stepId })),
  event('effect.started', 2, 'task', v.object({ key: line, kind: effectKind, token: count })),
  event('effect.settled', 2, 'task', v.object({ key: line, kind: effectKind, token: count, result: line })),
  /** A join has all its inputs. Decided in the same append as the last of them. */
  event(
    'step.joined',
    1,
    'task',
    v.object({
      step: stepId,
      token: count,
      decision: v.picklist(['APPROVE', 'REJECT']),
      reason: line,
      /** The change that every input looked at. */
      on,
      opens: v.array(stepId),
    }),
  ),
  /** The step does nothing until somebody answers. */
  event(
    'step.waiting',
    1,
    'task',
    v.object({
      step: stepId,
      token: count,
      for: v.picklist(['person']),
      on,
      /** What the person is asked. Absent: whether the candidate, or the answer in `about`, is good. */
      asks: v.optional(asks),
      /** The answer that the person is shown. Absent: the candidate is shown. */
      about: v.optional(v.object({ step: stepId, answer: blobHash })),
      /** Why a person is asked. */
      reason: v.optional(line),
      /** What the approval policies ask. Absent: anybody may answer. */
      needed: v.optional(needed),
      /** If nobody rejects it until then, it goes on. Absent: it waits for an answer. */
      until: v.optional(time),
    }),
  ),
  event(
    'step.answered',
    1,
    'task',
    v.object({
      step: stepId,
      token: count,
      decision: v.picklist(['APPROVE', 'REJECT']),
      by: line,
      reason: line,
      opens: v.array(stepId),
      /** What was shown: the id of a change, or the hash of an answer. Absent: nothing that has a name, or an older log. */
      about: v.optional(line),
    }),
  ),
  /** A person approves, and the policies want more people. The step still waits. */
  event('step.agreed', 1, 'task', v.object({ step: stepId, token: count, by: line, reason: line })),
  /** What a step's change is, as far as approval policies ask about it. Always about the whole change of the task. */
  event('change.measured', 1, 'task', v.object({ step: stepId, token: count, on: candidate, facts: changeFacts })),
  /** A person takes back a finding: of a gate, for this one change, or of the reviews of a step (`gate` is empty). */
  event(
    'finding.dismissed',
    1,
    'task',
    v.object({ step: stepId, gate: line, finding: line, severity, change_id: line, by: line, reason: line }),
  ),
  /** The candidate is on the task's branch, and the task goes on. */
  event(
    'step.committed',
    1,
    'task',
    v.object({
      step: stepId,
      token: count,
      candidate,
      /** Null when it was only played. */
      commit: v.nullable(line),
      branch: v.nullable(line),
      opens: v.array(stepId),
    }),
  ),
  /** The way back: `to` begins a new round, and what the steps after it had come to is void. */
  event(
    'task.reworked',
    1,
    'task',
    v.object({
      from: stepId,
      to: stepId,
      /** The steps after `to`: their evidence, reviews and approvals no longer count. */
      voids: v.array(stepId),
      reason: line,
      /** Answers that say what to mend; the next attempt at `to` is shown them. */
      answers: v.array(v.object({ step: stepId, answer: blobHash })),
      /** Of the attempts that were under way at the voided steps. */
      estimated: v.optional(estimated),
    }),
  ),
  event(
    'outcome.refused',
    1,
    'task',
    v.object({ step: v.nullable(stepId), token: count, kind: effectKind, reason: line }),
  ),
  /** Absent `step`: all steps are done. */
  event('task.applying', 1, 'task', v.object({ token: count, candidate, branch: line, step: v.optional(stepId) })),
  event(
    'task.closed',
    1,
    'task',
    v.object({
      status: closedStatus,
      reason: line,
      commit: v.nullable(line),
      branch: v.nullable(line),
      /** Of the attempts that were under way. */
      estimated: v.optional(estimated),
    }),
  ),
  /** A person wants it on this line: it is in the line's queue until `task.landed` or `task.not_landed`. */
  event(
    'task.landing',
    1,
    'task',
    v.object({
      onto: line,
      unverified: v.boolean(),
      move_checkout: v.boolean(),
      /** Whether it may land although a gate was red and then green on the same tree. Absent: it may not. */
      unstable: v.optional(v.boolean()),
      /** Absent: fast-forward. */
      as: v.optional(v.picklist(['merge', 'squash'])),
      by: line,
    }),
  ),
  event('task.landed', 1, 'task', v.object({ onto: line, commit: line })),
  event(
    'task.not_landed',
    1,
    'task',
    v.object({
      onto: line,
      code: line,
      reason: line,
      /** The checkout that would have to move with the branch. */
      path: v.optional(line),
      /** The landed tasks that it is red together with. */
      with: v.optional(v.array(taskId)),
      /** What people have to approve before it may land, and why. */
      unapproved: v.optional(v.object({ on: candidate, why: line })),
    }),
  ),
  /** A person approves what would land, as `unapproved` of `task.not_landed` asks. */
  event('task.approved', 1, 'task', v.object({ on: candidate, by: line, reason: line })),
  /** A task that came from a queue takes its base from its line, in the append that starts its first attempt. */
  event('task.based', 1, 'task', v.object({ base: line })),
  /** A person has dealt with what stopped the task, and it does not go on: left as it is, or abandoned for good. */
  event('incident.resolved', 1, 'task', v.object({ how: v.picklist(['skip', 'abandon']), by: line, notes: line })),
  /** It was accepted and will not land: its locks are free. */
  event('task.given_up', 1, 'task', v.object({ reason: line })),
  /** The task reached a limit that allows each step one more attempt. */
  event('task.warned', 1, 'task', v.object({ guard })),
  /** The operator's answer about tests that are red at the base. In force from here on, as if the task had been made with it. */
  event('task.base_answered', 1, 'task', v.object({ red_base: redBase })),
  /** The operator stopped the task. No attempt starts until `task.resumed`. */
  event('task.paused', 1, 'task', v.object({ reason: line })),
  event('task.resumed', 1, 'task', v.object({ reason: line, ...addition })),
  event('task.reopened', 1, 'task', v.object({ opens: v.array(stepId), reason: line, ...addition })),
] as const;
