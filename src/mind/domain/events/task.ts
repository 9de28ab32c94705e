/** Events of a task's stream. What follows from an outcome is decided once and recorded here, so replay never re-decides. */
import * as v from 'valibot';
import {
  attemptKind,
  blobHash,
  candidate,
  closedStatus,
  cost,
  count,
  errorCategory,
  gateStatus,
  line,
  lock,
  microUsd,
  outcomeClass,
  spec,
  stepId,
  taskId,
  time,
  workflowHash,
} from '../values.ts';
import { event } from './define.ts';

export const effectKind = v.picklist(['worker.run', 'gate.run', 'candidate.apply', 'notify.send']);

/** What was decided to come after an attempt. */
export const next = v.variant('do', [
  v.object({ do: v.literal('complete'), opens: v.array(stepId) }),
  v.object({
    do: v.literal('retry'),
    /** Not before this time; null means at once. */
    at: v.nullable(time),
    /** Index into the step's chain of CLIs. */
    cli: count,
    /** Which counter this attempt used up. */
    counter: v.picklist(['candidates', 'transient', 'quota', 'crash', 'lost', 'unknown', 'none']),
  }),
  v.object({ do: v.literal('close'), status: closedStatus }),
]);
export type Next = v.InferOutput<typeof next>;

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
    1,
    'task',
    v.object({
      step: stepId,
      attempt: count,
      /** Fencing token: grows with every attempt of the task; outcomes under an older one are refused. */
      token: count,
      kind: attemptKind,
      cli: line,
      /** Where it stands in the step's chain, when those before it were passed over; else it is where the step stood. */
      chain: v.optional(count),
      reserve: microUsd,
      /** Taken with the task's first attempt, held until the task closes. */
      locks: v.array(lock),
      deadline: time,
    }),
  ),
  event(
    'attempt.produced',
    1,
    'task',
    v.object({
      step: stepId,
      token: count,
      candidate: v.nullable(candidate),
      answer: v.nullable(blobHash),
      record: v.optional(v.nullable(blobHash), null),
      cost,
      gates: v.array(line),
    }),
  ),
  event(
    'gate.reported',
    1,
    'task',
    v.object({
      step: stepId,
      token: count,
      gate: line,
      status: gateStatus,
      evidence: v.nullable(blobHash),
      ms: v.nullable(count),
    }),
  ),
  event(
    'attempt.settled',
    1,
    'task',
    v.object({
      step: stepId,
      token: count,
      class: outcomeClass,
      /** Absent for a success, and in logs that are older than it. */
      category: v.optional(errorCategory),
      reason: line,
      candidate: v.nullable(candidate),
      answer: v.nullable(blobHash),
      record: v.optional(v.nullable(blobHash), null),
      cost,
      next,
    }),
  ),
  event('step.woken', 1, 'task', v.object({ step: stepId })),
  event('effect.started', 1, 'task', v.object({ kind: effectKind, token: count })),
  event('effect.settled', 1, 'task', v.object({ kind: effectKind, token: count, result: line })),
  event(
    'outcome.refused',
    1,
    'task',
    v.object({ step: v.nullable(stepId), token: count, kind: effectKind, reason: line }),
  ),
  event('task.applying', 1, 'task', v.object({ token: count, candidate, branch: line })),
  event(
    'task.closed',
    1,
    'task',
    v.object({ status: closedStatus, reason: line, commit: v.nullable(line), branch: v.nullable(line) }),
  ),
  event('task.landed', 1, 'task', v.object({ onto: line, commit: line })),
  event('task.reopened', 1, 'task', v.object({ opens: v.array(stepId), reason: line })),
] as const;
