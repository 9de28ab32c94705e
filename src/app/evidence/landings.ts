/** The landings that a task's own events record, joined with what the line's queue says about them. */
import { revive } from '../../engine/loading.ts';
import type { StoredEvent } from '../../engine/ports/store.ts';
import type { TaskId } from '../../kernel/ids.ts';
import { askToLand } from '../../mind/approvals/landing-approval.ts';
import type { NewEvent } from '../../mind/domain/events/index.ts';
import { blockingGates } from '../../mind/domain/landable.ts';
import { EMPTY_PROJECT, type Project } from '../../mind/domain/project.ts';
import { lineStream } from '../../mind/domain/stream-name.ts';
import { evolve } from '../../mind/domain/streams.ts';
import type { Task } from '../../mind/domain/task.ts';
import type { Candidate } from '../../mind/domain/values.ts';
import type { Workflow } from '../../mind/workflows/workflow.ts';

export type ToldLanding = {
  readonly onto: string;
  readonly commit: string;
  /** The candidate that landed; null if the branch held the change already. */
  readonly lands: Candidate | null;
  /** The accepted change. */
  readonly own: Candidate;
  /** Gates that passed on the integrated tree; null if the accepted commit landed unchanged. */
  readonly gates: readonly string[] | null;
  /**
   * The gates passed on this tree, which holds further changes that landed at the same time. Null: on the tree that
   * landed.
   */
  readonly together: string | null;
  /** The people who approved this landing. */
  readonly agreed: readonly string[];
};

type HashedEvent = { readonly seq: number; readonly hash: string; readonly event: NewEvent };
type OfTask<T extends NewEvent['type']> = Extract<NewEvent, { type: T }>;

/** The landings in log order, or a sentence that says why the events do not add up. */
export function landingsIn(
  events: readonly StoredEvent[],
  id: TaskId,
  workflow: Workflow,
): readonly (ToldLanding | string)[] {
  const placed = events
    .map((event) => ({ seq: event.seq, hash: event.hash, event: revive(event) }))
    .sort((a, b) => a.seq - b.seq);
  return placed.flatMap(({ event, seq }) => {
    if (event.type !== 'task.landed') return [];
    const { onto, commit } = event.data;
    const before = placed.filter((one) => one.seq < seq);
    const last = before.findLast(({ event: { stream } }) => stream === lineStream(onto))?.event;
    if (last?.type !== 'line.landed' || last.data.commit !== commit)
      return [`the queue of ${onto} does not say that the task landed as ${commit.slice(0, 12)}`];
    return [toldLanding(before, { id, workflow, landed: last, onto })];
  });
}

type LandingLookup = {
  readonly id: TaskId;
  readonly workflow: Workflow;
  readonly landed: OfTask<'line.landed'>;
  readonly onto: string;
};

function toldLanding(
  before: readonly HashedEvent[],
  { id, workflow, landed, onto }: LandingLookup,
): ToldLanding | string {
  const upTo = (seq: number): Project =>
    before.filter((one) => one.seq < seq).reduce((project, { event }) => evolve(project, event), EMPTY_PROJECT);
  const ofLine = before.filter(({ event: { stream } }) => stream === lineStream(onto));
  const then = upTo(ofLine.at(-1)?.seq ?? 0);
  const landing = then.lines.get(onto)?.queue.find(({ task }) => task === id);
  const task = then.tasks.get(id);
  const own = task?.candidate ?? null;
  if (landing === undefined || task === undefined || own === null)
    return `the task was not in the queue of ${onto} when it landed there`;
  const { place } = landing;
  const { commit, change_id, batch } = landed.data;
  const told = { onto, commit, own, gates: null, together: null, agreed: [] };
  if (batch !== undefined)
    return toldBatch(told, { task, workflow, landed: { ...landed, data: { ...landed.data, batch } } });
  if (place.at === 'integrating') return { ...told, lands: null };
  if (place.at !== 'moving') return `the task landed on ${onto} while its landing was ${place.at}`;
  const lands = place.candidate ?? own;
  if (change_id !== lands.change_id) return `another change landed on ${onto} than the one that the queue had`;
  // People are asked when the task joins the queue, and again for an integrated change.
  const asked = ofLine.findLast(
    ({ event: { type } }) => type === (place.candidate === null ? 'line.queued' : 'line.moving'),
  );
  const atAsking = upTo(asked?.seq ?? 0).tasks.get(id) as Task;
  const at = { now: asked?.event.time ?? 0, evidence: place.evidence };
  const lacking = askToLand(atAsking, workflow, lands, at);
  if (lacking !== null) return `it landed on ${onto} without the approval that it needed: ${lacking.why}`;
  const agreed = agreedOn(atAsking, lands);
  if (place.candidate === null) return { ...told, lands, agreed };
  const green = new Set(place.evidence.flatMap(({ gate, status }) => (status === 'pass' ? [gate] : [])));
  const open = blockingGates(workflow).filter((gate) => !green.has(gate));
  if (open.length > 0) return notPassed(open, onto);
  const read = ofLine.findLast(({ event: { type } }) => type === 'line.integrating')?.event;
  if (read?.type !== 'line.integrating' || read.data.head !== lands.base)
    return `what landed on ${onto} was put on another commit than the tip that the queue had read`;
  return { ...told, lands, gates: [...green], agreed };
}

type InBatch = OfTask<'line.landed'>['data']['batch'] & object;
type LandedInBatch = Pick<LandingLookup, 'workflow'> & {
  readonly task: Task;
  readonly landed: Omit<OfTask<'line.landed'>, 'data'> & {
    readonly data: OfTask<'line.landed'>['data'] & { readonly batch: InBatch };
  };
};

function toldBatch(told: Omit<ToldLanding, 'lands'>, { task, workflow, landed }: LandedInBatch): ToldLanding | string {
  const { onto } = told;
  const { change_id, batch } = landed.data;
  const { candidate: lands, gates, tree } = batch;
  if (change_id !== lands.change_id) return `another change landed on ${onto} than the one that the queue had`;
  const lacking = askToLand(task, workflow, lands, { now: landed.time });
  if (lacking !== null) return `it landed on ${onto} without the approval that it needed: ${lacking.why}`;
  const open = blockingGates(workflow).filter((gate) => !gates.includes(gate));
  if (open.length > 0) return notPassed(open, onto);
  return { ...told, lands, gates, together: tree === lands.tree ? null : tree, agreed: agreedOn(task, lands) };
}

const notPassed = (open: readonly string[], onto: string): string =>
  `gate ${open.join(', ')} did not pass on the tree that landed on ${onto}`;

function agreedOn({ landingAsk: ask }: Task, { change_id }: Candidate): string[] {
  return ask?.on.change_id === change_id ? ask.agreed.map(({ by }) => by) : [];
}
