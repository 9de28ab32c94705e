/** Batches: which changes of a queue are checked together, and how a red batch becomes smaller until the change is found. */
import type { TaskId } from '../../kernel/ids.ts';
import { canonicalJson } from '../../kernel/json.ts';
import type { Draft } from '../domain/draft.ts';
import { blockingGates } from '../domain/landable.ts';
import { landingBatchOf } from '../domain/limits.ts';
import { companionsOf, type LandingPlace, type Line } from '../domain/line.ts';
import { lineStream } from '../domain/stream-name.ts';
import type { Task } from '../domain/task.ts';
import { type LandingOnLine, nextToken, workflowOf } from './lookup.ts';

/** The entries that wait right behind the task and are checked in the same way. */
export function batchWith(draft: Draft, line: Line, task: Task): { readonly with?: TaskId[] } {
  const most = Math.min(landingBatchOf(draft.project.board.limits), line.small?.size ?? Number.POSITIVE_INFINITY);
  const terms = termsOf(draft, task);
  const found: TaskId[] = [];
  for (const { task: id } of most < 2 || terms === null ? [] : line.queue.slice(1, most)) {
    const other = draft.project.tasks.get(id);
    if (other === undefined || termsOf(draft, other) !== terms) break;
    found.push(id);
  }
  return found.length === 0 ? {} : { with: found };
}

/** What gates of a landing depend on besides the change; null: it is checked alone. */
function termsOf(draft: Draft, task: Task): string | null {
  const { spec, landing, environments = [] } = task;
  const gates = blockingGates(workflowOf(draft, task));
  if (gates.length === 0 || (spec.gates ?? []).length > 0 || landing?.unstable === true) return null;
  const { unsafe_no_sandbox = false, red_base = null } = spec;
  return canonicalJson({ gates, unsafe_no_sandbox, red_base, environments, unverified: landing?.unverified === true });
}

/** Half of the batch is tried alone. False: it is no batch. */
export function halve(draft: Draft, { line, landing }: LandingOnLine): boolean {
  const others = companionsOf(line);
  const until = others.at(-1);
  const head = headOf(landing.place);
  if (until === undefined || head === null || line.queue[0]?.task !== landing.task) return false;
  const size = Math.ceil((others.length + 1) / 2);
  split(draft, line, { head, with: others.slice(0, size - 1), small: { size, until } });
  return true;
}

/** The batch goes on without this task and those behind it. */
export function endBatchBefore(draft: Draft, line: Line, task: TaskId): void {
  const others = companionsOf(line);
  const head = headOf(line.queue[0]?.place);
  if (head !== null && others.includes(task)) split(draft, line, { head, with: others.slice(0, others.indexOf(task)) });
}

type Split = {
  readonly head: string;
  readonly with: readonly TaskId[];
  readonly small?: { readonly size: number; readonly until: TaskId };
};

function split(draft: Draft, { name, queue }: Line, { with: others, ...how }: Split): void {
  const [first] = queue;
  if (first === undefined) return;
  const entry = { task: first.task, token: nextToken(draft, name) };
  draft.emit(lineStream(name), { type: 'line.split', data: { ...entry, ...how, with: [...others] } });
}

/** The commit of the branch that the batch is put on. */
function headOf(place: LandingPlace | undefined): string | null {
  if (place === undefined) return null;
  return place.at === 'integrating' ? place.head : (place.candidate?.base ?? null);
}
