/** Events of a task's stream. They record what follows from an outcome, so replay never decides again. */
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
  signedWord,
  spec,
  stepId,
  taskId,
  time,
  workflowHash,
} from '../values.ts';
import { event } from './define.ts';
import { verdict } from './verdict.ts';

/** An approval may be signed. `without`: keys whose earlier approvals no longer count. */
const bySignature = { signed: v.optional(signedWord), without: v.optional(v.array(line)) };

const effectKind = v.picklist([
  'worker.run',
  'gate.run',
  'candidate.apply',
  'notify.send',
  'line.integrate',
  'line.move',
  'line.read',
]);

/** The decision on what follows an attempt. */
const next = v.variant('do', [
  v.object({ do: v.literal('complete'), opens: v.array(stepId) }),
  v.object({
    do: v.literal('retry'),
    /** Not before this time; null for at once. */
    at: v.nullable(time),
    /** Index into the step's chain of CLIs. */
    cli: count,
    /** Which counter this attempt used up. */
    counter: v.picklist(['candidates', 'transient', 'quota', 'crash', 'lost', 'unknown', 'none']),
    /** The attempts of the level above are used up: the step goes on with less work, and with new attempts. */
    level: v.optional(lowerLevel),
    /** Steps that first analyse why its change failed its gates; absent if none. */
    analyses: v.optional(v.array(stepId)),
  }),
  v.object({ do: v.literal('close'), status: closedStatus }),
  /** The task ends with this status once the other running attempts have ended; their results are still recorded. */
  v.object({ do: v.literal('fail'), status: closedStatus }),
]);
export type NextAction = v.InferOutput<typeof next>;

/** A limit that an attempt or a task has reached: what was counted, and the limit. Times are in milliseconds. */
const guard = v.object({
  name: v.picklist(['same_error', 'same_candidate', 'age']),
  state: v.picklist(['warn', 'escalate']),
  count,
  limit: count,
});
export type Guard = v.InferOutput<typeof guard>;

/** The candidate that an attempt started from. Null if it is the base alone, or unknown in an old log. */
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
      /** How often the step was started anew, including this time: 1 until it is reworked. */
      round: count,
      on,
      cli: line,
      /** Its place in the step's chain if earlier CLIs were skipped; otherwise the step's own place. */
      chain: v.optional(count),
      reserve: microUsd,
      /** Absent if no token budget is in force. */
      reserve_tokens: v.optional(count),
      /** Taken with the task's first attempt, held until the task closes. */
      locks: v.array(lock),
      deadline: time,
      /** A person makes it in their own checkout: no CLI runs. Absent if a worker does, or there are only gates. */
      given: v.optional(v.object({ by: line, dir: line })),
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
      /** Findings in the text of its change. Absent if it was not checked, as in older logs. */
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
      /** How many failed tests were excused because they fail at the base too. */
      excused: count,
      /** An earlier run on the same tree found it; its time is that run's. */
      cached: v.boolean(),
      /** The signature of a red gate's output: equal for the same failure. */
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
      /** Absent for a success, and in older logs. */
      category: v.optional(errorCategory),
      reason: line,
      /** The signature of the failure that sent it back. Absent if nothing was sent back, or the cause is unknown. */
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
      /** A rejected change, as it was captured: the next attempt may start from its tree. Absent if there is none. */
      sent_back: v.optional(candidate),
      /** A blocking gate could not run on `sent_back`: the next attempt has it checked again. Absent: no. */
      unchecked: v.optional(v.literal(true)),
    }),
  ),
  /** The result of gates and reviews, in the append that ends the last of them. */
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
  /** The step waits until a person answers. */
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
      /** The answer that the person is shown; absent if the candidate is shown. */
      about: v.optional(v.object({ step: stepId, answer: blobHash })),
      /** Why a person is asked. */
      reason: v.optional(line),
      /** What the approval policies require. Absent: anybody may answer. */
      needed: v.optional(needed),
      /** The step goes on at this time without a rejection. Absent: it waits for an answer. */
      until: v.optional(time),
      /** The key of the environment in question. */
      environment: v.optional(line),
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
      /** The id of the shown change, or the hash of the shown answer. Absent if it has no id, or the log is older. */
      about: v.optional(line),
      /** When the oldest approval that counts was given. Absent: with this answer. */
      since: v.optional(time),
      signed: v.optional(signedWord),
      /** The age of the task counts from here: the time of a person is not its age. Absent: it goes on counting. */
      anew: v.optional(v.literal(true)),
    }),
  ),
  /** A person works on the step in a checkout made from this change (null: from the base). */
  event('step.taken', 1, 'task', v.object({ step: stepId, by: line, dir: line, base: line, on })),
  /** The person returns it to the workers. */
  event('step.dropped', 1, 'task', v.object({ step: stepId, by: line, reason: line })),
  /** A person approves, and the policies require more people. The step still waits. */
  event('step.agreed', 1, 'task', v.object({ step: stepId, token: count, by: line, reason: line, ...bySignature })),
  /** Facts about a step's change, as far as approval policies ask. Always about the whole change of the task. */
  event('change.measured', 1, 'task', v.object({ step: stepId, token: count, on: candidate, facts: changeFacts })),
  /** A person dismisses a finding: of a gate, for this one change, or of the reviews of a step (`gate` is empty). */
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
      /** The commit; null if simulated. */
      commit: v.nullable(line),
      branch: v.nullable(line),
      opens: v.array(stepId),
    }),
  ),
  /** Rework: `to` starts a new round, and the results of the steps after it are void. */
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
      /** Answers that say what to fix; the next attempt at `to` gets them. */
      answers: v.array(v.object({ step: stepId, answer: blobHash })),
      /** Steps that analyse, before the next attempt at `to`, why the change failed its gates. Absent if none. */
      analyses: v.optional(v.array(stepId)),
      /** The signature of the gates' failure that sent it back. Absent: a review or a person did, or the log is older. */
      signature: v.optional(line),
      /** The task was warned of its age before. */
      late: v.optional(v.literal(true)),
      /** The estimate for attempts that were running at the voided steps. */
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
      /** The estimate for attempts that were running. */
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
      /** Whether it may land although a gate was red and then green on the same tree. Absent: no. */
      unstable: v.optional(v.boolean()),
      /** The configuration is another one than it was accepted under: its gates run again. Absent: it is the same. */
      regate: v.optional(v.literal(true)),
      /** Absent for fast-forward. */
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
      /** The landed tasks that make it red. */
      with: v.optional(v.array(taskId)),
      /** What people have to approve before it may land, and why. */
      unapproved: v.optional(
        v.object({
          on: candidate,
          why: line,
          /** What the policies require, if landing found more than the task had. Absent: the same as before. */
          needed: v.optional(needed),
        }),
      ),
    }),
  ),
  /** A person approves what would land, as `unapproved` of `task.not_landed` asks. */
  event('task.approved', 1, 'task', v.object({ on: candidate, by: line, reason: line, ...bySignature })),
  /** A task from a queue takes its base from its line, in the append that starts its first attempt. */
  event('task.based', 1, 'task', v.object({ base: line })),
  /** A person has dealt with what stopped the task, and it does not go on: left as it is, or abandoned for good. */
  event('incident.resolved', 1, 'task', v.object({ how: v.picklist(['skip', 'abandon']), by: line, notes: line })),
  /** A message about it fell into the person's quiet hours, which end then. */
  event('notice.held', 1, 'task', v.object({ until: count })),
  /** Quiet hours are over: the message of task `by` covers the held ones, and that task has the lists. */
  event('notice.due', 1, 'task', v.object({ by: taskId, asks: v.array(taskId), ended: v.array(taskId) })),
  /** Quiet hours have ended, or the held messages were sent. */
  event('notice.dropped', 1, 'task', v.object({})),
  /** The task was accepted and will not land: its locks are free. */
  event('task.given_up', 1, 'task', v.object({ reason: line })),
  /** The task reached a limit that allows each step one more attempt. */
  event('task.warned', 1, 'task', v.object({ guard })),
  /** The operator's decision about tests that are red at the base. It holds from here on. */
  event('task.base_answered', 1, 'task', v.object({ red_base: redBase })),
  /** The operator stopped the task. No attempt starts until `task.resumed`. */
  event('task.paused', 1, 'task', v.object({ reason: line })),
  event('task.resumed', 1, 'task', v.object({ reason: line, ...addition })),
  event('task.reopened', 1, 'task', v.object({ opens: v.array(stepId), reason: line, ...addition })),
] as const;
