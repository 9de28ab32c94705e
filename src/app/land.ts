/**
 * Lands a task through the queue of its line and reports the result. The engine moves the branch; this code only asks
 * and follows.
 */
import { revive } from '../engine/loading.ts';
import type { Store, StoredEvent } from '../engine/ports/store.ts';
import type { TaskId } from '../kernel/ids.ts';
import { type Rejection, rejected } from '../kernel/result.ts';
import type { LandingMode } from '../mind/config/git-config.ts';
import type { CommandOf } from '../mind/domain/commands.ts';
import type { NewEvent } from '../mind/domain/events/index.ts';
import { blockingGates, blockingRed, LOOK_AT_LINE, landRefusal, redRefusal } from '../mind/domain/landable.ts';
import type { Limits } from '../mind/domain/limits.ts';
import { lineStream, streamKind } from '../mind/domain/stream-name.ts';
import type { RedGate, Task } from '../mind/domain/task.ts';
import { redTestsIn } from '../mind/gates/evidence.ts';
import type { Environment } from './config/environment.ts';
import { drive, type Stops } from './drive.ts';
import type { OpenedProject } from './open.ts';
import type { ProjectAt } from './open-store.ts';
import { redTests, type TaskView, viewTask } from './task-view.ts';

/** Gates that are red because the base is red, and the names of those tests; the task lands anyway. */
type Red = { readonly gates: readonly RedGate[]; readonly tests: readonly string[] };
const NO_RED: Red = { gates: [], tests: [] };

type LandGate = Pick<LineGateRun, 'gate' | 'status' | 'excused' | 'cached'> & { readonly evidence: string };
type LineGateRun = Extract<NewEvent, { type: 'line.gated' }>['data'];

export type LandProgress = {
  /** Red tests of the base that will land. */
  red(red: Red): void;
  /** `gates`: how many gates check the integrated tree. `isSame`: the branch has not moved, but the configuration changed. */
  integrating(head: string, gates: number, isSame: boolean): void;
  /** `changes` of the queue are checked together, this one among them. */
  together(changes: number): void;
  /** Red gates run once more. */
  rechecking(on: 'tip' | 'change', gates: readonly string[]): void;
  gate(found: LandGate): void;
  /** Another process drives the project and does the landing. */
  following(): void;
};

type LandAsk = {
  readonly environment: Environment;
  readonly project: ProjectAt;
  readonly opened: OpenedProject;
  readonly limits: Limits;
  readonly view: TaskView;
  readonly onto: string | null;
  readonly unverified: boolean;
  readonly unstable: boolean;
  readonly moveCheckout: boolean;
  readonly as: LandingMode;
  /** The hash of the configuration in force. */
  readonly settings: string;
  readonly progress: LandProgress;
  readonly stops: Stops;
};

export type LandResult =
  | { readonly type: 'landed'; readonly onto: string; readonly commit: string; readonly red: Red }
  /** The branch is checked out there, and the checkout is clean. Both can move if the operator agrees. */
  | { readonly type: 'checked_out'; readonly onto: string; readonly path: string; readonly reason: string }
  | Rejection;

export async function land(ask: LandAsk): Promise<LandResult> {
  const { environment, project, opened, limits, view, unverified, progress, stops } = ask;
  const { task, workflow } = view;
  const tests = await redTests(opened.store, view);
  const refusal = landRefusal(task, workflow, { unverified, redTests: tests });
  if (refusal !== null) return refusal;
  const own: Red = blockingRed(task, workflow).length > 0 ? { gates: task.red ?? [], tests } : NO_RED;
  if (own.gates.length > 0) progress.red(own);
  const gates = blockingGates(workflow).length;
  const seen = new Landing(opened.store, progress, { task, gates, onto: ask.onto ?? task.onto });
  // Opened before the lease is taken, because the driver cleans up after killed processes.
  await opened.real();
  const command = landCommand(ask);
  const request = { environment, project, opened, task: task.id, purpose: 'landed', limits } as const;
  const told = { ...SILENT, events: seen.take.bind(seen), following: () => progress.following() };
  // A stopped queue waits for a person; this command does not wait with it.
  const stop = AbortSignal.any([stops.stop, seen.stopped]);
  let driven = await drive({ ...request, command, progress: told, stops: { ...stops, stop } });
  // The task is already being landed elsewhere. That finishes first, and stopping this command does not stop it.
  while (driven.type === 'rejected' && driven.code === 'landing' && !stops.pause.aborted) {
    await drive({ ...request, command: null, progress: SILENT, stops: { pause: stops.stop, stop: stops.pause } });
    driven = await drive({ ...request, command, progress: told, stops: { ...stops, stop } });
  }
  await seen.told;
  if (seen.stopped.aborted) return rejected('line_stopped', String(seen.stopped.reason));
  if (driven.type === 'rejected') return driven;
  if (driven.type === 'interrupted')
    return rejected('interrupted', `task ${task.id} stays in the queue of its line; \`supervisor land\` goes on`);
  const after = await viewTask(opened.store, project.id, task.id);
  const end = lastEnd(after, ask.onto ?? task.onto, seen.red ?? own);
  if (end.type !== 'rejected') return end;
  const { code, message } = end;
  // The log does not hold names of tests; the evidence does.
  const named =
    code !== 'unverified' || seen.red === null
      ? null
      : redRefusal(task, { unverified, red: seen.red.gates, redTests: seen.red.tests, look: LOOK_AT_LINE });
  return named ?? rejected(code, message);
}

type QueueRequest = Pick<LandAsk, 'view' | 'onto' | 'unverified' | 'unstable' | 'moveCheckout' | 'as' | 'settings'>;

export function landCommand(ask: QueueRequest): CommandOf<'task.land'> {
  const { onto, unverified, unstable, moveCheckout, as, settings } = ask;
  const { id, spec } = ask.view.task;
  return {
    type: 'task.land',
    task: id,
    onto,
    unverified,
    move_checkout: moveCheckout,
    ...(unstable ? { unstable } : {}),
    ...(spec.settings === undefined || spec.settings === settings ? {} : { regate: true }),
    ...(as === 'fast-forward' ? {} : { as }),
  };
}

/** How often it has landed, or left a queue without. */
export const endsOf = ({ events }: TaskView): number => events.filter(isEnd).length;

/** How its last landing on a branch ended; it may land on another one at the same time. */
export function lastEnd({ task, events }: TaskView, onto: string, red: Red = NO_RED): LandResult {
  const end = events.filter(isEnd).findLast(({ data }) => data.onto === onto);
  if (end === undefined) return rejected('not_landed', `task ${task.id} is in no queue`);
  const { data } = end;
  if ('commit' in data) return { type: 'landed', onto, commit: data.commit, red };
  const { code, reason, path } = data;
  return code === 'checked_out' && path !== undefined
    ? { type: 'checked_out', onto, path, reason }
    : rejected(code, reason);
}

/** The message when the queue stops, with what to do. */
const stoppedText = (line: string, { head, gates, task }: StoppedLine): string =>
  `${line} is red by itself at ${head.slice(0, 12)} (gate ${gates.join(', ')}, without the change): its landing queue has stopped, and no task is to blame. Repair ${line}, or land a task that does; \`supervisor land ${task}\` goes on`;
type StoppedLine = Extract<NewEvent, { type: 'line.stopped' }>['data'];

const SILENT = { events: () => {}, following: () => {}, driving: () => {}, staying: () => {} };

type End = Extract<NewEvent, { type: 'task.landed' | 'task.not_landed' }>;
const isEnd = (event: NewEvent): event is End => event.type === 'task.landed' || event.type === 'task.not_landed';

/** Builds the progress messages of a landing in log order; some need evidence, which is read first. */
class Landing {
  /** Red gates and tests on the integrated tree; null while the task's own commit is tried. */
  red: { gates: RedGate[]; tests: string[] } | null = null;
  told: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();
  readonly #store: Store;
  readonly #progress: LandProgress;
  readonly #gates: number;
  readonly #task: TaskId;
  /** The first of its batch, to which the line's events are given. */
  #lead: TaskId;
  readonly #onto: string;
  readonly #base: string | null;

  constructor(
    store: Store,
    progress: LandProgress,
    { task, gates, onto }: { readonly task: Pick<Task, 'id' | 'base'>; readonly gates: number; readonly onto: string },
  ) {
    this.#task = task.id;
    this.#lead = task.id;
    this.#onto = onto;
    this.#base = task.base;
    this.#store = store;
    this.#progress = progress;
    this.#gates = gates;
  }

  /** Aborts when the queue stops; its reason is the message. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  take(events: readonly StoredEvent[]): void {
    for (const event of events) {
      const revived = revive(event);
      if (!this.#isOwn(revived)) continue;
      if (revived.type === 'line.stopped' && revived.stream === lineStream(this.#onto))
        this.#stop.abort(stoppedText(this.#onto, revived.data));
      this.told = this.told.then(() => this.#tell(revived));
    }
  }

  /** The event is about this task, or about the batch that it lands with; others of the queue may follow. */
  #isOwn({ stream, type, data }: NewEvent): boolean {
    if (stream !== lineStream(this.#onto)) return streamKind(stream) !== 'line';
    if (type === 'line.stopped' || !('task' in data)) return true;
    const members = 'with' in data ? data.with : 'stack' in data ? data.stack?.map(({ task }) => task) : undefined;
    if (members?.includes(this.#task) === true) this.#lead = data.task;
    else if (data.task === this.#lead && members !== undefined) this.#lead = this.#task;
    return data.task === this.#task || data.task === this.#lead;
  }

  async #tell(event: NewEvent): Promise<void> {
    if (event.type === 'line.integrating') {
      this.red = { gates: [], tests: [] };
      this.#progress.integrating(event.data.head, this.#gates, event.data.head === this.#base);
    }
    if (event.type === 'line.gating' && event.data.stack !== undefined)
      this.#progress.together(event.data.stack.length);
    if (event.type === 'line.split') this.#progress.together(1 + event.data.with.length);
    if (event.type === 'line.rechecking') this.#progress.rechecking(event.data.on, event.data.gates);
    if (event.type === 'line.moving' && this.red !== null && this.red.gates.length > 0) this.#progress.red(this.red);
    if (event.type !== 'line.gated') return;
    const { gate, status, evidence, excused, cached } = event.data;
    const blob = evidence === null ? null : await this.#store.blob(evidence);
    const text = blob?.type === 'content' ? blob.content : '';
    this.#progress.gate({ gate, status, evidence: text, excused, cached });
    if (excused === 0) return;
    this.red?.gates.push({ gate, count: excused });
    this.red?.tests.push(...redTestsIn(text));
  }
}
