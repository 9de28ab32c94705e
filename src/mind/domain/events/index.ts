/** All event types there are. Events are for ever: a changed one gets a new version and an upcast, never an edit. */
import type { EventOf, StreamKind } from './define.ts';
import { projectEvents } from './project.ts';
import { taskEvents } from './task.ts';

export const EVENTS = [...taskEvents, ...projectEvents] as const;

type Declared = (typeof EVENTS)[number];
export type DomainEvent = EventOf<Declared>;
export type TaskEvent = EventOf<Extract<Declared, { stream: 'task' }>>;
export type BoardEvent = EventOf<Extract<Declared, { stream: 'board' }>>;
export type GoalEvent = EventOf<Extract<Declared, { stream: 'goal' }>>;
export type WorkflowEvent = EventOf<Extract<Declared, { stream: 'workflow' }>>;
export type ProposalEvent = EventOf<Extract<Declared, { stream: 'proposal' }>>;
export type HostEvent = EventOf<Extract<Declared, { stream: 'host' }>>;

/** An event before the store gave it a place in the log. */
export type NewEvent = DomainEvent & {
  readonly stream: string;
  /** Milliseconds since 1970 on the engine's clock, which never runs backwards. */
  readonly time: number;
};

const byType = new Map(EVENTS.map((declared) => [declared.type as string, declared]));

/** Under which name an event is stored: `task.created.1`. */
export function storedType(type: string): string {
  const declared = byType.get(type);
  if (declared === undefined) throw new Error(`no event type ${type} is declared`);
  return `${type}.${declared.version}`;
}

/** The type of a stored name, or null when this version of Supervisor does not know it. */
export function knownType(stored: string): DomainEvent['type'] | null {
  const dot = stored.lastIndexOf('.');
  const declared = byType.get(stored.slice(0, dot));
  return declared !== undefined && String(declared.version) === stored.slice(dot + 1) ? declared.type : null;
}

/** The kind of a stream is what stands before the slash: `task/t-1` is a task's. */
export function streamKind(stream: string): StreamKind {
  const slash = stream.indexOf('/');
  return (slash < 0 ? stream : stream.slice(0, slash)) as StreamKind;
}
