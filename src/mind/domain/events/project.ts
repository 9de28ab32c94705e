/** Events of a project's other streams: board, goal, workflows, proposals; and of the host. */
import * as v from 'valibot';
import { workflow } from '../../workflows/step.ts';
import { limits } from '../limits.ts';
import { count, estimated, line, microUsd, mode, proposalId, stepId, taskId, time, workflowHash } from '../values.ts';
import { event } from './define.ts';

const memoryShare = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

export const projectEvents = [
  event('board.configured', 1, 'board', v.object({ limits })),
  event(
    'board.charged',
    1,
    'board',
    v.object({
      task: taskId,
      step: stepId,
      token: count,
      microusd: microUsd,
      tokens_in: v.nullable(count),
      tokens_out: v.nullable(count),
      /** What token budgets count; absent if nothing. */
      tokens: v.optional(count),
      /** The part of `microusd` and `tokens` that is estimated. */
      estimated: v.optional(estimated),
    }),
  ),
  event('breaker.counted', 1, 'board', v.object({ lane: line, at: time })),
  event('breaker.opened', 1, 'board', v.object({ lane: line, failures: count })),
  event('breaker.reset', 1, 'board', v.object({ lane: line })),
  /** Nothing starts before `board.resumed`. With `now`, running attempts are cut as well. */
  event('board.halted', 1, 'board', v.object({ by: line, reason: line, now: v.optional(v.literal(true)) })),
  event('board.resumed', 1, 'board', v.object({ by: line, reason: line })),
  /** The machine's memory is used up to the limit's share: no worker starts until `board.eased`. */
  event('board.pressed', 1, 'board', v.object({ used: memoryShare, limit: memoryShare })),
  /** `used` is null if nothing measures it any more. */
  event('board.eased', 1, 'board', v.object({ used: v.nullable(memoryShare) })),
  event('goal.set', 1, 'goal', v.object({ text: v.pipe(v.string(), v.maxLength(20_000)) })),
  event('mode.set', 1, 'goal', v.object({ mode })),
  event('workflow.pinned', 1, 'workflow', v.object({ hash: workflowHash, definition: workflow })),
  event(
    'proposal.made',
    1,
    'proposal',
    v.object({ proposal: proposalId, command: v.record(v.string(), v.unknown()), by: line, why: line }),
  ),
  event('proposal.decided', 1, 'proposal', v.object({ accepted: v.boolean(), by: line, why: line })),
  event('host.charged', 1, 'host', v.object({ day: line, microusd: microUsd, tokens: v.optional(count) })),
  /** A quota belongs to a login, and so to the machine: no project gives the CLI work before this time. */
  event(
    'cli.parked',
    1,
    'host',
    v.object({
      cli: line,
      at: time,
      until: time,
      /** Whether the CLI said when it resets; otherwise `until` is a guess, which grows with `tries`. */
      told: v.boolean(),
      /** Quota failures in a row, without a success between them. */
      tries: count,
      why: line,
    }),
  ),
  event('cli.unparked', 1, 'host', v.object({ cli: line, why: line })),
] as const;
