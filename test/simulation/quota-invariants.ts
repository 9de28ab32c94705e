/** What must hold of quotas and chains: counted from the host's log alone, by other code than the engine's. */
import type { StoredEvent } from '../../src/engine/ports/store.ts';
import { waitsFor } from '../../src/mind/scheduler/explain.ts';
import { laneOf } from '../../src/mind/workflows/workflow.ts';
import type { Finding, SeenEvent } from './check.ts';
import type { History, Site } from './history.ts';
import { bookedAs, openTasks } from './recount.ts';

/** A CLI whose quota is used up gets no work before it resets, from no project and after no restart. */
export function parkedCLIsTakeNoWork({ history, event, before }: SeenEvent): Finding {
  if (event.type !== 'attempt.started') return null;
  const cli = bookedAs(before.tasks.get(taskIdOf(event.stream)), event.data.cli);
  const until = parkedUntil(history, cli);
  if (until > event.time)
    return `${taskIdOf(event.stream)} gets ${cli}, which is parked until ${until}, at ${event.time}`;
  if (before.host.parked.size > 0) history.count('attempt while something is parked');
  if (event.data.chain !== undefined) history.count('attempt by a later CLI of its chain');
  return null;
}

/** After a quota its CLI is parked: the wall is there for everybody. */
export function quotasPark({ history, event, before }: SeenEvent): Finding {
  if (event.type !== 'attempt.settled' || event.data.class !== 'quota') return null;
  const task = before.tasks.get(taskIdOf(event.stream));
  const place = task?.steps.get(event.data.step)?.place;
  const cli = bookedAs(task, place?.at === 'working' || place?.at === 'checking' ? place.attempt.cli : '');
  return parkedUntil(history, cli) > event.time || history.hostEvents.some((one) => isParking(one, cli))
    ? null
    : `${event.stream} met a quota of ${cli}, and nobody parked it`;
}

/** When faults stop, a ready step waits for a breaker or a quota only if no CLI of its chain can do it. */
export function aWayOutIsTaken({ history, site, now }: { history: History; site: Site; now: number }): Finding {
  const odd = openTasks(site.model).flatMap((task) => {
    if (waitsFor(site.model, task, now).some((text) => /held by task|budget|free slot/.test(text))) return [];
    if (task.paused === true) return [];
    return task.open.flatMap((id) => {
      const place = task.steps.get(id)?.place;
      const definition = site.model.workflows.get(task.workflow)?.steps.get(id);
      if (place?.at !== 'ready' || place.awaits !== undefined || definition === undefined) return [];
      const ways = definition.cli
        .slice(place.cli)
        .filter((cli) => parkedUntil(history, bookedAs(task, cli)) <= now)
        .filter((cli) => site.model.board.breakers.get(bookedAs(task, laneOf(definition, cli)))?.open !== true);
      const soon = parkedUntil(history, bookedAs(task, definition.cli[place.cli] ?? '')) > now;
      return ways.length > 0 && !soon ? [`${task.id}/${id} could go to ${ways.join(', ')}`] : [];
    });
  });
  return odd.length === 0 ? null : odd.join('; ');
}

export const waitsForAQuota = (site: Site, now: number): boolean =>
  openTasks(site.model).some((task) => waitsFor(site.model, task, now).some((text) => text.includes(' quota, ')));

/** Counted from the host's log alone: until when nobody may give the CLI work. */
function parkedUntil({ hostEvents }: History, cli: string): number {
  const last = hostEvents.findLast((one) => isParking(one, cli));
  return last?.type === 'cli.parked.1' ? (last.data as { until: number }).until : 0;
}

const isParking = ({ type, data }: StoredEvent, cli: string): boolean =>
  /^cli\.(un)?parked\.1$/.test(type) && (data as { cli: string }).cli === cli;

const taskIdOf = (stream: string): string => stream.slice('task/'.length);
