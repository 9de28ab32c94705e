/** A decision in the making: events, and the state as it is after each of them. Lives inside one call of decide. */
import type { Envelope } from './commands.ts';
import type { DomainEvent, NewEvent } from './events/index.ts';
import { evolve, type Project } from './project.ts';

export type Draft = {
  readonly project: Project;
  readonly envelope: Envelope;
  readonly events: readonly NewEvent[];
  emit<E extends DomainEvent>(stream: string, event: E): void;
};

export function startDraft(before: Project, envelope: Envelope): Draft {
  let project = before;
  const events: NewEvent[] = [];
  return {
    envelope,
    events,
    get project() {
      return project;
    },
    emit(stream, event) {
      const placed: NewEvent = { ...event, stream, time: envelope.at };
      events.push(placed);
      project = evolve(project, placed);
    },
  };
}
