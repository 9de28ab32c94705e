/** An incident: a stop that needs a person. Derived from a task's log, with everything needed to understand it. */
import { personOf } from '../approvals/people.ts';
import type { NewEvent } from '../domain/events/index.ts';
import type { Task } from '../domain/task.ts';
import { eventText } from './event-text.ts';

type IncidentSeverity = 'critical' | 'high' | 'medium';
type Cause =
  | 'critical_finding'
  | 'loop'
  | 'budget'
  | 'gate_error'
  | 'not_applied'
  | 'attempts_used_up'
  | 'worker_failure'
  | 'other';

export type Incident = {
  /** `incident_20261119_134857`: when it began, in UTC. */
  readonly incident: string;
  readonly severity: IncidentSeverity;
  readonly cause: Cause;
  readonly task: string;
  readonly title: string;
  readonly status: 'open' | 'resolved';
  readonly opened_at: number;
  readonly reason: string;
  readonly history: readonly string[];
  readonly evidence: readonly { readonly gate: string; readonly status: string; readonly evidence: string | null }[];
  readonly refs: { readonly base: string | null; readonly candidate: string | null; readonly branch: string | null };
  readonly resolved: { readonly how: string; readonly by: string; readonly notes: string; readonly at: number } | null;
  readonly suggested: readonly string[];
};

/** A long history is cut to this many latest entries. */
const MOST = 100;

export function incidentOf(task: Task, events: readonly NewEvent[]): Incident | null {
  const begun = beginning(task, events);
  if (begun === null) return null;
  const { closed, candidate, base } = task;
  const reason = closed?.reason ?? begun.reason;
  const sent = task.open.map((id) => task.steps.get(id)?.sentBack).findLast((one) => one !== undefined);
  return {
    incident: incidentName(begun.at),
    ...kindOf(task, events, reason),
    task: task.id,
    title: task.title,
    status: task.resolved === undefined ? 'open' : 'resolved',
    opened_at: begun.at,
    reason,
    history: events.slice(-MOST).map((event) => `${new Date(event.time).toISOString()} ${eventText(event).text}`),
    evidence: evidenceIn(events),
    refs: { base, candidate: (sent ?? candidate)?.tree ?? null, branch: closed?.branch ?? null },
    resolved: task.resolved === undefined ? null : { ...task.resolved, by: personOf(task.resolved.by) },
    suggested: suggestedFor(task),
  };
}

export const incidentName = (at: number): string =>
  `incident_${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '_')}`;

function beginning(task: Task, events: readonly NewEvent[]): { readonly at: number; readonly reason: string } | null {
  const { closed, resolved } = task;
  if (closed?.status === 'escalated' || closed?.status === 'blocked' || resolved !== undefined) {
    const end = events.findLast(({ type }) => type === 'task.closed');
    return { at: end?.time ?? task.updated, reason: closed?.reason ?? '' };
  }
  if (closed !== null || !task.open.some((id) => isHeld(task, id))) return null;
  const asked = events.findLast((event) => event.type === 'step.waiting' && event.data.asks === 'finding');
  const reason = asked?.type === 'step.waiting' ? (asked.data.reason ?? '') : '';
  return { at: asked?.time ?? task.updated, reason: reason || 'something critical was found' };
}

function isHeld(task: Task, id: Task['open'][number]): boolean {
  const place = task.steps.get(id)?.place;
  return place?.at === 'waiting' && place.asks === 'finding';
}

function kindOf(
  task: Task,
  events: readonly NewEvent[],
  reason: string,
): { readonly severity: IncidentSeverity; readonly cause: Cause } {
  if (task.closed === null) return { severity: 'critical', cause: 'critical_finding' };
  const last = events.findLast(({ type }) => type === 'attempt.settled' || type === 'effect.settled');
  if (last?.type === 'effect.settled' && last.data.kind === 'candidate.apply' && last.data.result !== 'applied')
    return { severity: 'high', cause: 'not_applied' };
  const settled = events.findLast((event) => event.type === 'attempt.settled');
  const attempt = settled?.type === 'attempt.settled' ? settled.data : null;
  if (attempt?.guard?.state === 'escalate' || /^the task is older/.test(reason))
    return { severity: 'high', cause: 'loop' };
  if (/budget/.test(reason)) return { severity: 'medium', cause: 'budget' };
  if (evidenceIn(events).some(({ status }) => status === 'error')) return { severity: 'high', cause: 'gate_error' };
  if (attempt?.class === 'invalid') return { severity: 'medium', cause: 'attempts_used_up' };
  if (attempt !== null && attempt.class !== 'ok') return { severity: 'medium', cause: 'worker_failure' };
  return { severity: 'medium', cause: 'other' };
}

/** The evidence of the last attempt's gates. */
function evidenceIn(events: readonly NewEvent[]): Incident['evidence'] {
  const started = events.findLast((event) => event.type === 'attempt.started');
  const token = started?.type === 'attempt.started' ? started.data.token : -1;
  return events.flatMap((event) =>
    event.type === 'gate.reported' && event.data.token === token
      ? [{ gate: event.data.gate, status: event.data.status, evidence: event.data.evidence }]
      : [],
  );
}

function suggestedFor({ id, closed }: Task): string[] {
  const look = [`supervisor show ${id} --evidence`, `supervisor diff ${id}`];
  // One of its gates found something critical; it waits for one of three answers.
  if (closed === null)
    return [
      ...look,
      `supervisor resume ${id} --dismiss FINDING --reason "…"`,
      `supervisor reject ${id} --reason "…"`,
      `supervisor cancel ${id}`,
    ];
  return [
    ...look,
    `supervisor incidents resolve ${id} --retry`,
    `supervisor incidents resolve ${id} --notes "…"`,
    `supervisor incidents resolve ${id} --skip`,
    `supervisor incidents resolve ${id} --abandon`,
  ];
}
