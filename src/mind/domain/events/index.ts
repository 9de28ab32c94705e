/** All event types. Events are for ever: a changed one gets a new version and an upcast, never an edit. */
import type { EventOf, StreamKind } from './define.ts';
import { lineEvents } from './line.ts';
import { projectEvents } from './project.ts';
import { taskEvents } from './task.ts';

export const EVENTS = [...taskEvents, ...lineEvents, ...projectEvents] as const;

type DeclaredEvent = (typeof EVENTS)[number];
export type DomainEvent = EventOf<DeclaredEvent>;
/** The events that streams of one kind hold. */
export type EventIn<K extends StreamKind> = EventOf<Extract<DeclaredEvent, { stream: K }>>;
export type TaskEvent = EventIn<'task'>;
export type BoardEvent = EventIn<'board'>;
export type GoalEvent = EventIn<'goal'>;
export type ProposalEvent = EventIn<'proposal'>;
export type HostEvent = EventIn<'host'>;
export type LineEvent = EventIn<'line'>;

/** An event before the store gave it a place in the log. */
export type NewEvent = DomainEvent & {
  readonly stream: string;
  /** Milliseconds since 1970 on the engine's clock, which never runs backwards. */
  readonly time: number;
};
/** The data of one type of event. */
export type EventData<T extends NewEvent['type']> = Extract<NewEvent, { type: T }>['data'];

const byType = new Map(EVENTS.map((declared) => [declared.type as string, declared]));

/** The name under which an event is stored: `task.created.1`. */
export function storedType(type: string): string {
  const declared = byType.get(type);
  if (declared === undefined) throw new Error(`no event type ${type} is declared`);
  return `${type}.${declared.version}`;
}

/** The type of a stored name in its current version, or null. Upcasts convert older versions (upcasts.ts). */
export function knownType(stored: string): DomainEvent['type'] | null {
  const dot = stored.lastIndexOf('.');
  const declared = byType.get(stored.slice(0, dot));
  return declared !== undefined && String(declared.version) === stored.slice(dot + 1) ? declared.type : null;
}
