/** How people's actions on a task fold, except answers to a step. */
import { assertNever } from '../../kernel/assert-never.ts';
import type { EventData, TaskEvent } from './events/index.ts';
import { put, stepOf } from './evolve-back.ts';
import { agreedWith } from './fold-approvals.ts';
import { withoutFinding } from './open-review-findings.ts';
import type { Task } from './task.ts';

type PersonEvent = Extract<
  TaskEvent,
  { type: 'step.agreed' | 'step.taken' | 'step.dropped' | 'finding.dismissed' | 'incident.resolved' | 'task.paused' }
>;

export function byPerson(task: Task, event: PersonEvent, time: number): Task {
  switch (event.type) {
    case 'step.agreed':
      return agreed(task, event.data, time);
    case 'step.taken':
      return { ...task, taken: { ...event.data, at: time } };
    case 'step.dropped':
      return notTaken(task);
    case 'finding.dismissed':
      return dismissed(task, event.data);
    case 'incident.resolved':
      return resolved(task, event.data, time);
    case 'task.paused':
      // The task's files are free for others meanwhile; the next attempt takes the locks again.
      return { ...task, paused: true, locks: [] };
    default:
      return assertNever(event, 'event of a person');
  }
}

export function notTaken({ taken: _, ...task }: Task): Task {
  return task;
}

/** The task goes on with a person's work; if they drop it later, it returns to its state before. */
export function stoodBefore(task: Task): Task {
  const { taken, closed, paused } = task;
  const before = closed ?? (paused === true ? 'paused' : undefined);
  if (taken === undefined || taken.before !== undefined || before === undefined) return task;
  return { ...task, taken: { ...taken, before } };
}

function agreed(task: Task, data: EventData<'step.agreed'>, at: number): Task {
  const step = stepOf(task, data.step);
  const { place } = step;
  if (place.at !== 'waiting') return task;
  return put(task, data.step, { ...step, place: { ...place, agreed: agreedWith(place.agreed ?? [], data, at) } });
}

/** An abandoned task is like a cancelled one: all its work stops. */
function resolved(task: Task, data: EventData<'incident.resolved'>, at: number): Task {
  const { closed } = task;
  if (closed === null || data.how === 'skip') return { ...task, resolved: { ...data, at } };
  return { ...notTaken(task), resolved: { ...data, at }, closed: { ...closed, status: 'cancelled' } };
}

function dismissed(task: Task, { step, gate, finding: id, severity, change_id }: EventData<'finding.dismissed'>): Task {
  const known = { ...task, dismissed: [...(task.dismissed ?? []), { gate, id, severity, change_id }] };
  // A review found it and no gate: it is no longer open.
  return gate === '' ? put(known, step, withoutFinding(stepOf(known, step), { id, severity })) : known;
}
