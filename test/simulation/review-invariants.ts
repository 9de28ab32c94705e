/** What must hold of reviews and of work that falls back to less: counted from the log alone. */
import type { Task } from '../../src/mind/domain/task.ts';
import type { Finding, SeenEvent } from './check.ts';
import type { Site } from './history.ts';

/** What was answered, by task, step, round and change. */
const answered = new WeakMap<Site, Set<string>>();

/** No crash makes a review be asked, and paid, again: once a round has its answer about a change, it is not asked for another. */
export function noReviewIsAskedTwice({ history, site, event, before }: SeenEvent): Finding {
  const known = answered.get(site) ?? new Set<string>();
  answered.set(site, known);
  const key = (step: string, round: number, change: string | null) =>
    `${event.stream}/${step}, round ${round}, change ${change ?? 'none'}`;
  if (event.type === 'attempt.started' && event.data.kind === 'answer') {
    const { step, round, on } = event.data;
    const asked = key(step, round, on?.change_id ?? null);
    return known.has(asked) ? `${asked} is asked for again` : null;
  }
  const task = before.tasks.get(taskIdOf(event.stream));
  if (event.type === 'attempt.settled' && event.data.next.do === 'complete') {
    const place = task?.steps.get(event.data.step)?.place;
    const attempt = place?.at === 'working' || place?.at === 'checking' ? place.attempt : undefined;
    if (attempt?.kind === 'answer') known.add(key(event.data.step, attempt.round, attempt.on?.change_id ?? null));
  }
  if (event.type === 'task.reworked' && isBusy(task, event.data.voids)) history.count('review voided at its work');
  return null;
}

const isBusy = (task: Task | undefined, steps: readonly string[]): boolean =>
  steps.some((step) => task?.steps.get(step as never)?.place.at === 'working');

/** Less of the work is only done where the workflow allows it, one level after the other, and never by a worker's word. */
export function lessOnlyWhereAllowed({ history, event, before }: SeenEvent): Finding {
  if (event.type !== 'attempt.settled' || event.data.next.do !== 'retry' || event.data.next.level === undefined)
    return null;
  const { step: id, next } = event.data;
  const task = before.tasks.get(taskIdOf(event.stream)) as Task;
  const step = task.steps.get(id);
  const definition = before.workflows.get(task.workflow)?.steps.get(id);
  const levels = ['primary', ...(definition?.degrade ?? [])];
  const now = levels.indexOf(step?.level ?? 'primary');
  history.count('step goes on with less');
  if (levels[now + 1] !== next.level)
    return `${task.id}/${id} goes from ${levels[now]} to ${next.level}, allowed are ${levels.join(', ')}`;
  if (definition?.kind !== 'change') return `${task.id}/${id} only answers and goes on with less`;
  return null;
}

/** An analysis of a refused change decides nothing and holds nothing up; the next attempt at the change waits for all of them. */
export function analysesOnlyHelp({ history, event, before }: SeenEvent): Finding {
  if (event.type !== 'attempt.started' && event.type !== 'attempt.settled') return null;
  const task = before.tasks.get(taskIdOf(event.stream)) as Task;
  const { step: id } = event.data;
  const steps = before.workflows.get(task.workflow)?.steps;
  const where = `${task.id}/${id}`;
  if (event.type === 'attempt.started') {
    const atWork = (steps?.get(id)?.analysts ?? []).find((one) => isBusy(task, [one]));
    return atWork === undefined ? null : `${where} begins, and ${atWork} is at work`;
  }
  if ((steps?.get(id)?.analyses ?? null) === null) return null;
  const { next, candidate, said, class: outcome } = event.data;
  history.count(`analysis ended ${outcome === 'ok' ? 'well' : 'badly'}`);
  if (candidate !== null || said !== null) return `${where} only analyses, and decides something`;
  const isCut = outcome === 'lost' || outcome === 'interrupted';
  if (next.do === 'complete' || (next.do === 'retry' && isCut)) return null;
  return `${where} ended with ${outcome}, and then: ${next.do}`;
}

const taskIdOf = (stream: string): string => stream.slice('task/'.length);
