/** A person resolves an incident. */
import { type Rejection, rejected } from '../../kernel/result.ts';
import { actorText, type CommandOf } from '../domain/commands.ts';
import type { Draft } from '../domain/draft.ts';
import { taskStream } from '../domain/stream-name.ts';
import { statusOf } from '../domain/task.ts';
import { isHeldTask } from './decide-finding.ts';
import { unknownTask } from './lookup.ts';

/** Only a stop that needs a person can be resolved, and only once; a task that goes on resolves its incident. */
export function resolveIncident(draft: Draft, { task: id, how, notes }: CommandOf<'task.resolve'>): Rejection | null {
  const task = draft.project.tasks.get(id);
  if (task === undefined) return unknownTask(id);
  const status = statusOf(task);
  if (task.resolved !== undefined)
    return rejected('resolved_already', `the incident of task ${id} was resolved already: ${task.resolved.how}`);
  if (isHeldTask(task)) return rejected('held', heldText(id));
  if (status !== 'escalated' && status !== 'blocked')
    return rejected('no_incident', `task ${id} is ${status}: it has no incident that could be resolved`);
  const by = actorText(draft.envelope.actor);
  draft.emit(taskStream(id), { type: 'incident.resolved', data: { how, by, notes } });
  return null;
}

/** Nothing has stopped: the held step only needs one of its own answers. */
const heldText = (id: string): string =>
  `task ${id} waits for your decision about a critical finding: \`supervisor resume ${id} --dismiss FINDING --reason "…"\`, \`supervisor reject ${id} --reason "…"\` or \`supervisor cancel ${id}\``;
