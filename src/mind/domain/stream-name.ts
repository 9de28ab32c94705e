/**
 * Names of streams: `task/t-1`, `board`. The part before the slash is the kind; a kind with one stream has no slash.
 */
import type { ProposalId, TaskId, WorkflowHash } from '../../kernel/ids.ts';
import type { StreamKind } from './events/define.ts';

declare const kind: unique symbol;
/** A name that remembers its kind, so that only events of that kind can be written to it. */
export type StreamName<K extends StreamKind = StreamKind> = string & { readonly [kind]: K };

export const BOARD = 'board' as StreamName<'board'>;
export const GOAL = 'goal' as StreamName<'goal'>;
export const HOST = 'host' as StreamName<'host'>;
export const taskStream = (id: TaskId) => `task/${id}` as StreamName<'task'>;
export const proposalStream = (id: ProposalId) => `proposal/${id}` as StreamName<'proposal'>;
/** Named after its branch. */
export const lineStream = (branch: string) => `line/${branch}` as StreamName<'line'>;
export const workflowStream = (hash: WorkflowHash) => `workflow/${hash.slice(0, 12)}` as StreamName<'workflow'>;

export function streamKind(stream: string): StreamKind {
  const slash = stream.indexOf('/');
  return (slash < 0 ? stream : stream.slice(0, slash)) as StreamKind;
}

/** The part after the slash; empty for a kind with one stream. */
export const streamId = (stream: string): string => stream.slice(streamKind(stream).length + 1);

/** The task a stream belongs to, or null. */
export const taskOfStream = (stream: string): TaskId | null =>
  streamKind(stream) === 'task' ? (streamId(stream) as TaskId) : null;
