/** A line: a branch that tasks build on and land on, with its last known head and the queue of landings. */
import { assertNever } from '../../kernel/assert-never.ts';
import type { TaskId } from '../../kernel/ids.ts';
import type { LineEvent } from './events/index.ts';
import type { Evidence } from './task.ts';
import type { Candidate } from './values.ts';

export const LINE_REDUCER = 1;

/** Where a landing stands. Only the first of the queue is worked on; the others wait. */
export type LandingPlace =
  /** `candidate`: the change on top of a line that had moved; null: the task's own commit lands as it is. */
  | { readonly at: 'moving'; readonly candidate: Candidate | null; readonly evidence: readonly Evidence[] }
  | { readonly at: 'integrating'; readonly head: string }
  | {
      readonly at: 'gating';
      readonly candidate: Candidate;
      readonly gates: readonly string[];
      readonly evidence: readonly Evidence[];
    };

export type Landing = {
  readonly task: TaskId;
  readonly token: number;
  /** How often the line was found to have moved. */
  readonly moves: number;
  readonly place: LandingPlace;
};

export type Line = {
  readonly name: string;
  /** The commit it was last seen or left at; null: never seen, or there is no such branch. */
  readonly head: string | null;
  /** `wanted`: a task waits for a look at the branch. `fresh`: somebody looked, and no task has used it yet. */
  readonly look: { readonly state: 'stale' | 'fresh' } | { readonly state: 'wanted'; readonly by: TaskId };
  readonly token: number;
  readonly queue: readonly Landing[];
  readonly updated: number;
};

export const newLine = (name: string): Line => ({
  name,
  head: null,
  look: { state: 'stale' },
  token: 0,
  queue: [],
  updated: 0,
});

export function evolveLine(line: Line, event: LineEvent, updated: number): Line {
  return { ...change(line, event), updated };
}

function change(line: Line, event: LineEvent): Line {
  switch (event.type) {
    case 'line.queued': {
      const { task, token } = event.data;
      const place: LandingPlace = { at: 'moving', candidate: null, evidence: [] };
      return { ...line, token, queue: [...line.queue, { task, token, moves: 0, place }] };
    }
    case 'line.integrating': {
      const { head } = event.data;
      const moved = put(line, event.data, (landing) => ({ at: 'integrating', head, moves: landing.moves + 1 }));
      return { ...moved, head, look: { state: 'stale' } };
    }
    case 'line.gating': {
      const { candidate, gates } = event.data;
      return put(line, event.data, () => ({ at: 'gating', candidate, gates, evidence: [] }));
    }
    case 'line.gated': {
      const { task: _, token: __, ...report } = event.data;
      return put(line, event.data, ({ place }) =>
        place.at === 'gating' ? { ...place, evidence: [...place.evidence, report] } : place,
      );
    }
    case 'line.moving': {
      const { candidate } = event.data;
      return put(line, event.data, ({ place }) => ({
        at: 'moving',
        candidate,
        evidence: place.at === 'gating' ? place.evidence : [],
      }));
    }
    case 'line.landed':
      return { ...without(line, event.data), head: event.data.commit };
    case 'line.left':
      return without(line, event.data);
    case 'line.wanted':
      return { ...line, token: event.data.token, look: { state: 'wanted', by: event.data.task } };
    case 'line.seen':
      return { ...line, head: event.data.head, look: { state: event.data.head === null ? 'stale' : 'fresh' } };
    case 'line.used':
      return { ...line, look: { state: 'stale' } };
    default:
      return assertNever(event, 'line event');
  }
}

type Moved = LandingPlace & { readonly moves?: number };

function put(line: Line, { task, token }: { task: TaskId; token: number }, next: (landing: Landing) => Moved): Line {
  const queue = line.queue.map((landing): Landing => {
    if (landing.task !== task) return landing;
    const { moves = landing.moves, ...place } = next(landing);
    return { task, token, moves, place };
  });
  return { ...line, token: Math.max(line.token, token), queue };
}

const without = (line: Line, { task }: { task: TaskId }): Line => ({
  ...line,
  queue: line.queue.filter((landing) => landing.task !== task),
});
