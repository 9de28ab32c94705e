/** Sees a task through the queue of its line, and tells what came of it. The engine moves the branch; this only asks and follows. */
import { revive } from '../engine/loading.ts';
import type { Store, StoredEvent } from '../engine/ports/store.ts';
import { type Rejection, rejected } from '../kernel/result.ts';
import type { LandingMode } from '../mind/config/git-config.ts';
import type { Command } from '../mind/domain/commands.ts';
import type { NewEvent } from '../mind/domain/events/index.ts';
import { blockingGates, blockingRed, LOOK_AT_LINE, landRefusal, redRefusal } from '../mind/domain/landable.ts';
import type { Limits } from '../mind/domain/limits.ts';
import { lineStream } from '../mind/domain/stream-name.ts';
import type { RedGate } from '../mind/domain/task.ts';
import { redTestsIn } from '../mind/gates/evidence.ts';
import type { Environment } from './config/environment.ts';
import { drive, type Stops } from './drive.ts';
import type { Opened } from './open.ts';
import type { ProjectAt } from './open-store.ts';
import { redTests, type TaskView, viewTask } from './task-view.ts';

/** What lands although it is red as its base is, and the names of those tests. */
type Red = { readonly gates: readonly RedGate[]; readonly tests: readonly string[] };
const NO_RED: Red = { gates: [], tests: [] };

type LandGate = Pick<GateRun, 'gate' | 'status' | 'excused' | 'cached'> & { readonly evidence: string };
type GateRun = Extract<NewEvent, { type: 'line.gated' }>['data'];

export type LandProgress = {
  /** Red tests of the base that are about to land. */
  red(red: Red): void;
  /** `gates`: how many check the result. */
  integrating(head: string, gates: number): void;
  /** Gates that were red run once more. */
  rechecking(on: 'tip' | 'change', gates: readonly string[]): void;
  gate(found: LandGate): void;
  /** Another process drives the project, and lands it. */
  following(): void;
};

type LandAsk = {
  readonly environment: Environment;
  readonly project: ProjectAt;
  readonly opened: Opened;
  readonly limits: Limits;
  readonly view: TaskView;
  readonly onto: string | null;
  readonly unverified: boolean;
  readonly unstable: boolean;
  readonly moveCheckout: boolean;
  readonly as: LandingMode;
  readonly progress: LandProgress;
  readonly stops: Stops;
};

type LandResult =
  | { readonly type: 'landed'; readonly onto: string; readonly commit: string; readonly red: Red }
  /** The branch is checked out there and clean. Both can move, if the operator agrees. */
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
  const seen = new Landing(opened.store, progress, { gates, onto: ask.onto ?? task.onto });
  // Made before the lease is taken: the process that drives clears up what a killed one left.
  await opened.real();
  const { onto, moveCheckout } = ask;
  const { unstable, as } = ask;
  const command: Command = {
    type: 'task.land',
    task: task.id,
    onto,
    unverified,
    move_checkout: moveCheckout,
    ...(unstable ? { unstable } : {}),
    ...(as === 'fast-forward' ? {} : { as }),
  };
  const request = { environment, project, opened, task: task.id, purpose: 'landed', limits } as const;
  const told = { ...SILENT, events: seen.take.bind(seen), following: () => progress.following() };
  // A queue that has stopped waits for a person, and this command does not wait with it.
  const stop = AbortSignal.any([stops.stop, seen.stopped]);
  let driven = await drive({ ...request, command, progress: told, stops: { ...stops, stop } });
  // It is landing somewhere else: that comes first, and stopping this command does not stop that.
  while (driven.type === 'rejected' && driven.code === 'landing' && !stops.pause.aborted) {
    await drive({ ...request, command: null, progress: SILENT, stops: { pause: stops.stop, stop: stops.pause } });
    driven = await drive({ ...request, command, progress: told, stops: { ...stops, stop } });
  }
  await seen.told;
  if (seen.stopped.aborted) return rejected('line_stopped', String(seen.stopped.reason));
  if (driven.type === 'rejected') return driven;
  if (driven.type === 'interrupted')
    return rejected('interrupted', `task ${task.id} stays in the queue of its line; \`supervisor land\` goes on`);
  const end = (await viewTask(opened.store, project.id, task.id)).events.findLast(isEnd);
  if (end === undefined) return rejected('not_landed', `task ${task.id} is in no queue`);
  const { data } = end;
  if ('commit' in data) return { type: 'landed', onto: data.onto, commit: data.commit, red: seen.red ?? own };
  const { code, reason, path } = data;
  if (code === 'checked_out' && path !== undefined) return { type: 'checked_out', onto: data.onto, path, reason };
  // The log has no names of tests; the evidence does.
  const named =
    code !== 'unverified' || seen.red === null
      ? null
      : redRefusal(task, { unverified, red: seen.red.gates, redTests: seen.red.tests, look: LOOK_AT_LINE });
  return named ?? rejected(code, reason);
}

/** What a person is told when the queue stops, in one sentence with what to do. */
const stoppedText = (line: string, { head, gates, task }: StoppedLine): string =>
  `${line} is red by itself at ${head.slice(0, 12)} (gate ${gates.join(', ')}, without the change): its landing queue has stopped, and no task is to blame. Repair ${line}, or land a task that does; \`supervisor land ${task}\` goes on`;
type StoppedLine = Extract<NewEvent, { type: 'line.stopped' }>['data'];

const SILENT = { events: () => {}, following: () => {}, driving: () => {}, staying: () => {} };

type End = Extract<NewEvent, { type: 'task.landed' | 'task.not_landed' }>;
const isEnd = (event: NewEvent): event is End => event.type === 'task.landed' || event.type === 'task.not_landed';

/** What a person is told while the line works on it, in the order of the log; evidence has to be read first. */
class Landing {
  /** What is red on the integrated tree; null while the task's own commit lands. */
  red: { gates: RedGate[]; tests: string[] } | null = null;
  told: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();
  readonly #store: Store;
  readonly #progress: LandProgress;
  readonly #gates: number;
  readonly #onto: string;

  constructor(
    store: Store,
    progress: LandProgress,
    { gates, onto }: { readonly gates: number; readonly onto: string },
  ) {
    this.#onto = onto;
    this.#store = store;
    this.#progress = progress;
    this.#gates = gates;
  }

  /** Aborted with the reason when the queue stops. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  take(events: readonly StoredEvent[]): void {
    for (const event of events) {
      const revived = revive(event);
      if (revived.type === 'line.stopped' && revived.stream === lineStream(this.#onto))
        this.#stop.abort(stoppedText(this.#onto, revived.data));
      this.told = this.told.then(() => this.#tell(revived));
    }
  }

  async #tell(event: NewEvent): Promise<void> {
    if (event.type === 'line.integrating') {
      this.red = { gates: [], tests: [] };
      this.#progress.integrating(event.data.head, this.#gates);
    }
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
