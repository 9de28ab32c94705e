/** A line: a branch that tasks build on and land on, with its last known head and the queue of landings. */
import { assertNever } from '../../kernel/assert-never.ts';
import type { TaskId } from '../../kernel/ids.ts';
import type { LineEvent } from './events/index.ts';
import type { Evidence } from './task.ts';
import type { Candidate } from './values.ts';

export const LINE_REDUCER = 3;

/** The state of a landing. Only the first of the queue is worked on; the others wait. */
export type LandingPlace =
  /** `candidate`: the change on top of a line that had moved; null if the task's own commit lands unchanged. */
  | {
      readonly at: 'moving';
      readonly candidate: Candidate | null;
      readonly evidence: readonly Evidence[];
      readonly stack?: readonly Stacked[];
    }
  /** `with`: the next ones of the queue, which are put on top of it and checked together with it. */
  | { readonly at: 'integrating'; readonly head: string; readonly with?: readonly TaskId[] }
  | ({
      readonly at: 'gating';
      readonly candidate: Candidate;
      readonly gates: readonly string[];
      readonly evidence: readonly Evidence[];
    } & CheckedGround)
  /** Red gates run once more: on the branch without the change, or on the integrated tree again. */
  | ({
      readonly at: 'rechecking';
      readonly on: 'tip' | 'change';
      readonly candidate: Candidate;
      readonly gates: readonly string[];
      readonly evidence: readonly Evidence[];
      readonly red: readonly Evidence[];
    } & CheckedGround);

/** One change of a batch: the tree with it and all before it, and what it is on top of those. */
export type Stacked = { readonly task: TaskId; readonly tree: string; readonly change_id: string };

type CheckedGround = {
  /** The whole batch, this task first. Absent: it is checked alone. */
  readonly stack?: readonly Stacked[];
  /** Gates that had passed, such as the green ones beside a red one. */
  readonly passed: readonly Evidence[];
  /** The tree of the branch without the change; null in older logs. */
  readonly tipTree: string | null;
  /** Landings since the change's base. */
  readonly beside: readonly TaskId[];
};

export type Landing = {
  readonly task: TaskId;
  readonly token: number;
  /** How often the line was found to have moved. */
  readonly moves: number;
  /** When its present step began. */
  readonly since: number;
  readonly place: LandingPlace;
};

/** A task that landed here, or left the queue without landing. */
type DepartedTask = {
  readonly task: TaskId;
  readonly commit: string | null;
  readonly code: string | null;
  readonly at: number;
};
/** How many are kept; a conflict with an older one is reported without its name. */
const MAX_PAST = 200;

export type Line = {
  readonly name: string;
  /** The commit it was last seen or left at; null if it was never seen, or there is no such branch. */
  readonly head: string | null;
  /** `wanted`: a task waits for a look at the branch. `fresh`: it was read, and no task has used that yet. */
  readonly look: { readonly state: 'stale' | 'fresh' } | { readonly state: 'wanted'; readonly by: TaskId };
  readonly token: number;
  readonly queue: readonly Landing[];
  /** The line is red without any change of the queue. Absent if that is not known. */
  readonly stopped?: { readonly head: string; readonly gates: readonly string[] };
  /** A batch was red: none is larger until this task has left the queue. */
  readonly small?: { readonly size: number; readonly until: TaskId };
  readonly past: readonly DepartedTask[];
  readonly updated: number;
};

export const newLine = (name: string): Line => ({
  name,
  head: null,
  look: { state: 'stale' },
  token: 0,
  queue: [],
  past: [],
  updated: 0,
});

export function evolveLine(line: Line, event: LineEvent, updated: number): Line {
  return { ...change(line, event, updated), updated };
}

function change(line: Line, event: LineEvent, now: number): Line {
  switch (event.type) {
    case 'line.queued': {
      const { task, token } = event.data;
      const place: LandingPlace = { at: 'moving', candidate: null, evidence: [] };
      return { ...line, token, queue: [...line.queue, { task, token, moves: 0, since: now, place }] };
    }
    case 'line.integrating': {
      const { head, with: others = [] } = event.data;
      const place = integrating(head, others);
      const moved = put(line, event.data, now, ({ moves }) => ({ ...place, moves: moves + 1 }));
      return { ...moved, head, look: { state: 'stale' } };
    }
    case 'line.split':
      return split(line, event.data, now);
    case 'line.gating': {
      const { candidate, gates, tip_tree: tipTree = null, beside = [], stack } = event.data;
      return put(line, event.data, now, ({ place }) => {
        const ground =
          place.at === 'rechecking'
            ? { passed: [...place.passed, ...place.evidence], tipTree: place.tipTree, beside: place.beside }
            : { passed: [], tipTree, beside, ...(stack === undefined ? {} : { stack }) };
        return { at: 'gating', candidate, gates, evidence: [], ...ground };
      });
    }
    case 'line.gated': {
      const { task: _, token: __, ...report } = event.data;
      return put(line, event.data, now, ({ place }) =>
        place.at === 'gating' || place.at === 'rechecking'
          ? { ...place, evidence: [...place.evidence, report] }
          : place,
      );
    }
    case 'line.rechecking': {
      const { on, gates } = event.data;
      return put(line, event.data, now, ({ place }) => rechecking(place, on, gates));
    }
    case 'line.stopped': {
      const { head, gates } = event.data;
      const waiting = put(line, event.data, now, () => ({ at: 'moving', candidate: null, evidence: [] }));
      return { ...waiting, stopped: { head, gates } };
    }
    case 'line.started': {
      const { stopped: _, ...open } = line;
      const isFirst = ({ task }: Landing) => task === event.data.task;
      const queue = [...line.queue.filter(isFirst), ...line.queue.filter((landing) => !isFirst(landing))];
      return { ...open, token: Math.max(line.token, event.data.token), queue };
    }
    case 'line.moving': {
      const { candidate, stack } = event.data;
      return put(line, event.data, now, ({ place }) => ({
        at: 'moving',
        candidate,
        ...(stack === undefined ? {} : { stack }),
        evidence: place.at === 'gating' || place.at === 'rechecking' ? [...place.passed, ...place.evidence] : [],
      }));
    }
    case 'line.landed': {
      const { commit } = event.data;
      return { ...without(line, event.data, { commit, code: null, at: now }), head: commit };
    }
    case 'line.left':
      return without(line, event.data, { commit: null, code: event.data.code, at: now });
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

type MovedLanding = LandingPlace & { readonly moves?: number };

function put(
  line: Line,
  { task, token }: { task: TaskId; token: number },
  now: number,
  next: (landing: Landing) => MovedLanding,
): Line {
  const queue = line.queue.map((landing): Landing => {
    if (landing.task !== task) return landing;
    const { moves = landing.moves, ...place } = next(landing);
    return { task, token, moves, since: token === landing.token ? landing.since : now, place };
  });
  return { ...line, token: Math.max(line.token, token), queue };
}

function split(line: Line, { head, with: others, small = line.small, ...entry }: SplitData, now: number): Line {
  const smaller = put(line, entry, now, () => integrating(head, others));
  return small === undefined ? smaller : { ...smaller, small };
}

type SplitData = Extract<LineEvent, { type: 'line.split' }>['data'];

const integrating = (head: string, others: readonly TaskId[]): LandingPlace => ({
  at: 'integrating',
  head,
  ...(others.length === 0 ? {} : { with: others }),
});

function rechecking(place: LandingPlace, on: 'tip' | 'change', gates: readonly string[]): LandingPlace {
  if (place.at !== 'gating' && place.at !== 'rechecking') return place;
  const { candidate, tipTree, beside, evidence, stack } = place;
  const judged =
    place.at === 'rechecking'
      ? { red: place.red, passed: place.passed }
      : {
          red: evidence.filter(({ status }) => status !== 'pass'),
          passed: [...place.passed, ...evidence.filter(({ status }) => status === 'pass')],
        };
  const ground = { tipTree, beside, ...(stack === undefined ? {} : { stack }) };
  return { at: 'rechecking', on, candidate, gates, evidence: [], ...ground, ...judged };
}

/** The tasks that are checked together with the first of the queue, in order. */
export function companionsOf({ queue: [first] }: Pick<Line, 'queue'>): readonly TaskId[] {
  if (first === undefined) return [];
  const { place } = first;
  if (place.at === 'integrating') return place.with ?? [];
  return (place.stack ?? []).slice(1).map(({ task }) => task);
}

/** A batch is small until a change was found that does not land, or all have landed. */
function without({ small, ...line }: Line, { task }: { task: TaskId }, past: Omit<DepartedTask, 'task'>): Line {
  const isOver = past.commit === null || small?.until === task;
  return {
    ...line,
    queue: line.queue.filter((landing) => landing.task !== task),
    past: [...line.past, { task, ...past }].slice(-MAX_PAST),
    ...(small === undefined || isOver ? {} : { small }),
  };
}
