/** Events of a line's stream: where the branch is, and the queue of tasks that land on it. */
import * as v from 'valibot';
import { blobHash, candidate, count, gateStatus, line, measured, taskId } from '../values.ts';
import { event } from './define.ts';

/** `token` grows with every step of a landing; a report under an older one is refused. */
const entry = { task: taskId, token: count };

const stack = v.array(v.object({ task: taskId, tree: line, change_id: line }));

export const lineEvents = [
  event('line.queued', 1, 'line', v.object({ ...entry, line, by: line })),
  /** The branch moved on to `head` meanwhile: the change is put on top of it. */
  event('line.integrating', 1, 'line', v.object({ ...entry, head: line, with: v.optional(v.array(taskId)) })),
  /** A batch is made smaller: it is red, or a change in it does not land now. `small`: none is larger until this task has left. */
  event(
    'line.split',
    1,
    'line',
    v.object({
      ...entry,
      head: line,
      with: v.array(taskId),
      small: v.optional(v.object({ size: count, until: taskId })),
    }),
  ),
  /** These gates check the integrated tree. */
  event(
    'line.gating',
    1,
    'line',
    v.object({
      ...entry,
      candidate,
      gates: v.array(line),
      /**
       * The tree of the branch without the change, and the landings since the change's base, which it may clash with.
       */
      tip_tree: v.optional(line),
      beside: v.optional(v.array(taskId)),
      /** Changes that are checked together, each on top of the one before; the tree of the last is the candidate's. */
      stack: v.optional(stack),
    }),
  ),
  /** Red gates run once more: on the branch without the change, or on the integrated tree again. */
  event('line.rechecking', 1, 'line', v.object({ ...entry, on: v.picklist(['tip', 'change']), gates: v.array(line) })),
  /** The branch is red without the change. Nothing lands and no task is blamed until a person asks for a landing. */
  event('line.stopped', 1, 'line', v.object({ ...entry, head: line, gates: v.array(line) })),
  /** A person asks for a landing on a stopped line: this task is tried first. */
  event('line.started', 1, 'line', v.object({ ...entry, by: line })),
  event(
    'line.gated',
    1,
    'line',
    v.object({
      ...entry,
      gate: line,
      status: gateStatus,
      evidence: v.nullable(blobHash),
      ms: v.nullable(count),
      excused: count,
      cached: v.boolean(),
      ...measured,
    }),
  ),
  /** The integrated tree passed: the branch is moved to its commit. */
  event('line.moving', 1, 'line', v.object({ ...entry, candidate, stack: v.optional(stack) })),
  event(
    'line.landed',
    1,
    'line',
    v.object({
      ...entry,
      commit: line,
      change_id: line,
      /**
       * The change landed together with others: what it was put on, and the tree that the gates passed with all of
       * them.
       */
      batch: v.optional(v.object({ candidate, tree: line, gates: v.array(line) })),
    }),
  ),
  /** The task leaves the queue without landing. */
  event('line.left', 1, 'line', v.object({ ...entry, code: line, reason: line })),
  /** A task is about to take its base from here: the branch has to be read. */
  event('line.wanted', 1, 'line', v.object({ ...entry, line })),
  event('line.seen', 1, 'line', v.object({ token: count, head: v.nullable(line) })),
  /** A task took its base from here; the next one reads the branch again. */
  event('line.used', 1, 'line', v.object({ task: taskId, base: line })),
] as const;
