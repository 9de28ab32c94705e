/** A decision in the making: events, and the state after each of them. Exists only inside one call of decide. */
import type { Envelope } from './commands.ts';
import type { StreamKind } from './events/define.ts';
import type { EventIn, NewEvent } from './events/index.ts';
import type { Project } from './project.ts';
import type { StreamName } from './stream-name.ts';
import { evolve } from './streams.ts';

export type Draft = {
  readonly project: Project;
  readonly envelope: Envelope;
  readonly events: readonly NewEvent[];
  emit<K extends StreamKind>(stream: StreamName<K>, event: EventIn<K>): void;
  /** Adds the result of another decision on the same state. */
  take(events: readonly NewEvent[]): void;
};

export function startDraft(before: Project, envelope: Envelope): Draft {
  let project = before;
  const events: NewEvent[] = [];
  const add = (event: NewEvent) => {
    events.push(event);
    project = evolve(project, event);
  };
  return {
    envelope,
    events,
    get project() {
      return project;
    },
    // The compiler knows that the event fits the stream, but not that the combination is one of all events.
    emit: (stream, event) => add({ ...event, stream, time: envelope.at } as unknown as NewEvent),
    take(taken) {
      for (const event of taken) add(event);
    },
  };
}
