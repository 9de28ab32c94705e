/** What a line does with a landing of its queue: moves the branch for it, or lets it go. */
import type { TaskId } from '../../kernel/ids.ts';
import { LANDING, whyAsked } from '../approvals/landing-word.ts';
import type { Draft } from '../domain/draft.ts';
import type { Landing, Line } from '../domain/line.ts';
import { lineStream, taskStream } from '../domain/stream-name.ts';
import type { Task } from '../domain/task.ts';
import type { Candidate } from '../domain/values.ts';
import { workflowOf } from './lookup.ts';

export type Found = { readonly line: Line; readonly landing: Landing };

export function landingOf(draft: Draft, { id, landing: at }: Pick<Task, 'id' | 'landing'>): Found | null {
  const line = at === undefined ? undefined : draft.project.lines.get(at.onto);
  const landing = line?.queue.find(({ task }: { task: TaskId }) => task === id);
  return line === undefined || landing === undefined ? null : { line, landing };
}

export const nextToken = (draft: Draft, line: string): number => (draft.project.lines.get(line)?.token ?? 0) + 1;

export function moveBranch(draft: Draft, task: Task, found: Found, candidate: Candidate): void {
  const { line } = found;
  const why = whyAsked(task, workflowOf(draft, task), candidate, draft.envelope.at);
  if (why !== null) {
    leaveQueue(draft, task, found, { code: 'needs_approval', ...needsApproval(task.id, candidate, why) });
    return;
  }
  draft.emit(lineStream(line.name), {
    type: 'line.moving',
    data: { task: task.id, token: nextToken(draft, line.name), candidate },
  });
}

/** What a person is told who has to approve what would land. */
export const needsApproval = (task: TaskId, on: Candidate, why: string) => ({
  reason: `${why}; nothing was landed. Read it with \`supervisor diff ${task} --landing\`, then \`supervisor approve ${task} ${LANDING} --of ${on.change_id.slice(0, 12)}\`, and land again`,
  unapproved: { on, why },
});

type Why = {
  readonly code: string;
  readonly reason: string;
  readonly path?: string;
  readonly with?: TaskId[];
  readonly unapproved?: { on: Candidate; why: string };
};

export function leaveQueue(draft: Draft, task: Task, { line, landing }: Found, why: Why): void {
  const { code, reason } = why;
  draft.emit(lineStream(line.name), {
    type: 'line.left',
    data: { task: task.id, token: landing.token, code, reason },
  });
  draft.emit(taskStream(task.id), { type: 'task.not_landed', data: { onto: line.name, ...why } });
}
