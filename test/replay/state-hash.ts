/** Folds recorded histories and prints the hash of each state: `node state-hash.ts [--shuffle] FILE…`. */
import { readFileSync } from 'node:fs';
import { revive } from '../../src/engine/loading.ts';
import type { StoredEvent } from '../../src/engine/ports/store.ts';
import { sha256 } from '../../src/kernel/hash.ts';
import { canonicalJson } from '../../src/kernel/json.ts';
import { EMPTY_PROJECT, type Project } from '../../src/mind/domain/project.ts';
import { taskStream } from '../../src/mind/domain/stream-name.ts';
import { evolve } from '../../src/mind/domain/streams.ts';
import { type RunReport, runReport } from '../../src/mind/protocol/run-report.ts';

export type History = {
  readonly note: string;
  readonly state: string;
  readonly head: string;
  readonly events: readonly StoredEvent[];
  /** The log of the machine; the oldest history has none. */
  readonly host?: readonly StoredEvent[];
};

type Logs = Pick<History, 'events' | 'host'>;
const fold = ({ events, host = [] }: Logs): Project => [...events, ...host].map(revive).reduce(evolve, EMPTY_PROJECT);

/** What `show --json` tells of each task. Its form is promised, unlike that of the state: a later version only adds to it. */
export function endsOf(logs: Logs): RunReport[] {
  const { tasks, workflows } = fold(logs);
  const revived = logs.events.map(revive);
  return [...tasks.values()].map((task) => {
    const workflow = workflows.get(task.workflow);
    if (workflow === undefined) throw new Error(`the workflow of ${task.id} is not pinned`);
    return runReport(
      task,
      workflow,
      revived.filter(({ stream }) => stream === taskStream(task.id)),
    );
  });
}

export function stateHash(logs: Logs): string {
  const folded = fold(logs);
  const { tasks, board, goal, proposals, lines } = folded;
  // Parts of the state that came later are left out while they are empty: an old history has nothing in them.
  const { parked, ...charged } = folded.host;
  const host = parked.size === 0 ? charged : folded.host;
  // Through JSON, because that is how snapshots keep it; workflows are compiled, not kept.
  const state = JSON.parse(
    JSON.stringify({ tasks, board, goal, proposals, host, ...(lines.size === 0 ? {} : { lines }) }),
  ) as unknown;
  return sha256(canonicalJson(asRecorded(state)));
}

/** Fields of the state that came later, with the value that an upcast gives them. An old history must have no other. */
const LATER: Readonly<Record<string, unknown>> = {
  round: 1,
  reworks: 0,
  reviews: [],
  on: null,
  said: null,
  score: null,
  tests: null,
  flaky: null,
  excused: 0,
  cached: false,
};

/** The state as 0.1.0 knew it: without what came later, as long as nothing is in it. */
function asRecorded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asRecorded);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      if (Object.hasOwn(LATER, key) && canonicalJson(LATER[key] as never) === canonicalJson(item as never)) return [];
      // The steps that have begun are counted since; the count follows from events that were always there.
      if (key === 'begun' && 'steps' in value) return [];
      // A finished step now tells why it was done; a report of a gate now counts findings; started effects are keys.
      if (key === 'reason' && 'at' in value && value.at === 'done') return [];
      if (key === 'findings' && 'gate' in value) return [];
      return [[key, asRecorded(item)]];
    }),
  );
}

/** The same value with the keys of every object the other way round. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, shuffled(item)]),
  );
}

if (process.argv[1] === import.meta.filename) {
  const files = process.argv.slice(2).filter((one) => one !== '--shuffle');
  const read = (events: readonly StoredEvent[]) =>
    process.argv.includes('--shuffle') ? (shuffled(events) as StoredEvent[]) : events;
  for (const file of files) {
    const history = JSON.parse(readFileSync(file, 'utf8')) as History;
    console.log(stateHash({ events: read(history.events), host: read(history.host ?? []) }));
  }
}
