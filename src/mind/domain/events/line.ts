/** Events of a line's stream: where the branch stands, and the queue of tasks that land on it. */
import * as v from 'valibot';
import { blobHash, candidate, count, gateStatus, line, measured, taskId } from '../values.ts';
import { event } from './define.ts';

/** `token` grows with every step of a landing; a report under an older one is refused. */
const entry = { task: taskId, token: count };

export const lineEvents = [
  event('line.queued', 1, 'line', v.object({ ...entry, line, by: line })),
  /** The branch went on to `head` meanwhile: the change is put on top of it. */
  event('line.integrating', 1, 'line', v.object({ ...entry, head: line })),
  /** The integrated tree is checked by these gates. */
  event(
    'line.gating',
    1,
    'line',
    v.object({
      ...entry,
      candidate,
      gates: v.array(line),
      /** The tree of the branch without the change, and the landings since the change's base: who it may clash with. */
      tip_tree: v.optional(line),
      beside: v.optional(v.array(taskId)),
    }),
  ),
  /** Red gates run once more: on the branch without the change, or on the integrated tree again. */
  event('line.rechecking', 1, 'line', v.object({ ...entry, on: v.picklist(['tip', 'change']), gates: v.array(line) })),
  /** The branch is red without the change. Nothing lands, and nobody is blamed, before a person asks for a landing. */
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
  event('line.moving', 1, 'line', v.object({ ...entry, candidate })),
  event('line.landed', 1, 'line', v.object({ ...entry, commit: line, change_id: line })),
  /** The task leaves the queue without having landed. */
  event('line.left', 1, 'line', v.object({ ...entry, code: line, reason: line })),
  /** A task is about to take its base from here: the branch has to be looked at. */
  event('line.wanted', 1, 'line', v.object({ ...entry, line })),
  event('line.seen', 1, 'line', v.object({ token: count, head: v.nullable(line) })),
  /** A task took its base from here. The next one looks again. */
  event('line.used', 1, 'line', v.object({ task: taskId, base: line })),
] as const;
