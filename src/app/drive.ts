/**
 * Sees a task through to its end. The process with the lease drives all tasks of the project; every other process hands
 * in its command and follows. A follower takes over when the driver ends; a driver whose own task is over finishes the
 * attempts of other tasks that it began, starts nothing new, and leaves.
 */

import { Engine } from '../engine/engine.ts';
import { redactedForLog } from '../engine/incoming.ts';
import { LeaseLost } from '../engine/lease-lost.ts';
import type { ProcessIdentity, Receipt, StoredEvent } from '../engine/ports/store.ts';
import type { TaskId } from '../kernel/ids.ts';
import type { Json } from '../kernel/json.ts';
import { type Rejection, rejected } from '../kernel/result.ts';
import { type Actor, actorText, type Command } from '../mind/domain/commands.ts';
import type { Limits } from '../mind/domain/limits.ts';
import type { Project } from '../mind/domain/project.ts';
import { BOARD, taskStream } from '../mind/domain/stream-name.ts';
import type { Task } from '../mind/domain/task.ts';
import { userName } from '../os/machine/identity.ts';
import type { Environment } from './config/environment.ts';
import { followLog } from './follow.ts';
import { HALT_BY_FILE, haltRequested, watchHaltRequest } from './halt-request.ts';
import type { OpenedProject } from './open.ts';
import type { ProjectAt } from './open-store.ts';
import { endIn, endNow, type TaskEnd } from './task-end.ts';

/** The operator is the person at the command line, named by their OS user. */
const operator = (): Actor => ({ kind: 'operator', name: userName() });

export type OtherTask = Pick<Task, 'id' | 'title'>;

export type Progress = {
  events(events: readonly StoredEvent[]): void;
  /** Another process drives; this one follows. */
  following(owner: ProcessIdentity | null): void;
  /** This process drives, and these unfinished tasks with its own. */
  driving(others: readonly OtherTask[]): void;
  /** The own task is over; attempts of these are still under way and finish first. */
  staying(others: readonly OtherTask[]): void;
};

/** How the operator ends a process that drives or follows. */
export type Stops = {
  /** Pause the own task; attempts of others finish first. */
  readonly pause: AbortSignal;
  /** End this process now. The task is not paused: the next driver goes on with it. */
  readonly stop: AbortSignal;
};

type DriveRequest = {
  readonly environment: Environment;
  readonly project: ProjectAt;
  readonly opened: OpenedProject;
  readonly task: TaskId;
  /** `landed`: only sees the task through the queue of its line; no attempt of any task is started. */
  readonly purpose?: 'landed';
  /** The command that starts the task; it is decided once, whichever process drives. */
  readonly command: Command | null;
  readonly limits: Limits;
  /** Limits were given for this command: another process, which has its own, must not do the work. */
  readonly ownLimits?: boolean;
  readonly progress: Progress;
  readonly stops: Stops;
  /** Called when this process begins to drive, with a function that decides further commands of the operator. */
  readonly takeCommands?: (send: SendCommand) => void;
};

/** Returns null if the command was decided. */
export type SendCommand = (command: Command) => Promise<Rejection | null>;

type DriveResult =
  /** `paused`: by Ctrl-C here, or from another terminal. `waiting`: it asks a person. `halted`: the project is. */
  | { readonly type: TaskEnd }
  /** `handedIn`: the command is in the inbox, and whoever drives next decides it. */
  | { readonly type: 'interrupted'; readonly handedIn: boolean }
  | Rejection;

type FirstCommand = { readonly id: string; readonly command: Command };

export async function drive(request: DriveRequest): Promise<DriveResult> {
  const { environment, project, opened, stops, command } = request;
  const { store } = opened;
  const start = command === null ? null : { id: opened.deps.chance.id('c'), command };
  let seen = (await store.head(project.id)).seq;
  // A command that is in the inbox may still be undecided when its driver leaves.
  let decided = start === null;
  let handedIn = decided;
  let begun = false;
  // Nothing has started yet.
  if (request.purpose !== 'landed' && haltRequested({ environment, project }))
    await sendCommand({ environment, project, opened, command: HALT_BY_FILE, signal: stops.stop });
  while (!stops.stop.aborted && (handedIn || !stops.pause.aborted)) {
    const engine = await Engine.open(opened.deps, {
      project: project.id,
      leaseMs: environment.leaseMs,
      act: true,
      parallel: 8,
      grant: request.purpose !== 'landed',
      settle: () => opened.settle(),
    });
    if (engine instanceof Engine) {
      begun = true;
      const result = await lead(engine, request, { start, handedIn }, seen);
      if (result !== 'lease lost') return result;
      seen = (await store.head(project.id)).seq;
      decided = start === null || (await store.receipt(project.id, start.id)) !== null;
      handedIn ||= decided;
      continue;
    }
    if (request.ownLimits === true && !begun) return otherLimits(engine.owner);
    request.progress.following(engine.owner);
    if (!decided && start !== null) {
      const rejection = handedIn ? null : await handIn({ ...request, command: start.command }, start.id);
      if (rejection !== null) return rejection;
      handedIn = true;
      const receipt = await answerTo({ ...request, signal: stops.stop }, start.id);
      if (receipt === null) continue;
      if (receipt.rejection !== null) return { type: 'rejected', ...receipt.rejection };
      decided = true;
    }
    const ended = await follow(request, seen, (seq) => {
      seen = seq;
    });
    if (ended !== 'go on') return ended;
  }
  return { type: 'interrupted', handedIn: handedIn && start !== null };
}

/** A budget that is silently not counted is worse than a task that does not start. */
export const otherLimits = (owner: ProcessIdentity | null): Rejection =>
  rejected(
    'other_limits',
    `supervisor (pid ${owner?.pid ?? 'unknown'}) works on this project, and its limits count: wait until it is done, or leave --limit out`,
  );

/**
 * Follows until the task ends, its driver is gone, or the operator ends this process. Its command has been decided
 * already.
 */
async function follow(
  { opened, project, task, progress, stops, purpose }: DriveRequest,
  after: number,
  onSeen: (seq: number) => void,
): Promise<DriveResult | 'go on'> {
  const stream = taskStream(task);
  let seen = after;
  let end: TaskEnd | null = null;
  const show = (events: readonly StoredEvent[]) => {
    seen = events.at(-1)?.seq ?? seen;
    onSeen(seen);
    progress.events(events);
  };
  const isOver = async () => {
    end = await endNow(opened.store, project.id, task, purpose);
    // The state may be ahead of what was shown.
    if (end !== null) show(await opened.store.readLog(project.id, seen, 10_000));
    return end !== null;
  };
  const look = async (events: readonly StoredEvent[]) => {
    show(events);
    return events.some((event) => event.stream === stream || event.stream === BOARD) && (await isOver())
      ? 'done'
      : 'go on';
  };
  if ((await isOver()) && end !== null) return { type: end };
  const either = AbortSignal.any([stops.pause, stops.stop]);
  const followed = await followLog(opened.store, project.id, seen, look, either);
  if (end !== null) return { type: end };
  if (followed !== 'aborted' || stops.stop.aborted) return 'go on';
  // Asks the driver to pause the task. It refuses while the task is being committed, because then the end is near.
  const command: Command = stopCommand({ task, purpose });
  const id = opened.deps.chance.id('c');
  await handIn({ opened, project, command }, id);
  await answerTo({ opened, project, signal: stops.stop }, id);
  await followLog(opened.store, project.id, seen, look, stops.stop);
  return end === null ? 'go on' : { type: end };
}

/** Writes the command to the inbox. */
async function handIn(
  { opened, project, command }: InProject & Pick<SentCommand, 'command'>,
  id: string,
): Promise<Rejection | null> {
  const { store, deps } = opened;
  const written = await redactedForLog(command, deps.redact);
  if (written.type === 'rejected') return written;
  await store.submit(project.id, [{ id, actor: actorText(operator()), command: written as unknown as Json }]);
  await deps.failpoint('inbox.after');
  return null;
}

/** Waits for the receipt of a command in the inbox; null if there is no driver to answer. */
async function answerTo(
  { opened: { store }, project, signal }: InProject & Pick<SentCommand, 'signal'>,
  id: string,
): Promise<Receipt | null> {
  for (;;) {
    // Looked at first: a driver that leaves answers before it releases the lease.
    const { expired } = await store.lease(project.id);
    const receipt = await store.receipt(project.id, id);
    if (receipt !== null || signal.aborted || expired) return receipt;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function lead(
  engine: Engine,
  request: DriveRequest,
  { start, handedIn }: { readonly start: FirstCommand | null; readonly handedIn: boolean },
  seen: number,
): Promise<DriveResult | 'lease lost'> {
  const { task, progress, stops, opened, project, purpose } = request;
  const caughtUp = await opened.store.readLog(project.id, seen, 10_000);
  if (caughtUp.length > 0) progress.events(caughtUp);
  const unobserve = engine.observe((_, events) => progress.events(events));
  const stopped = whenAborted(stops.stop, 'stop' as const);
  const fileWatch = watchHaltRequest(request, () => void engine.submit(operator(), HALT_BY_FILE).catch(() => {}));
  try {
    await engine.submit({ kind: 'engine', name: '' }, { type: 'board.configure', limits: request.limits });
    if (start !== null && !handedIn) {
      const rejection = await engine.submit(operator(), start.command, start.id);
      if (rejection !== null) return rejection;
    }
    // Decide commands from the inbox first: ours may be among them.
    await engine.drain();
    const refusal = start === null ? null : (await opened.store.receipt(project.id, start.id))?.rejection;
    if (refusal != null) return { type: 'rejected', ...refusal };
    request.takeCommands?.((command) => engine.submit(operator(), command));
    if (purpose !== 'landed') progress.driving(unfinishedBesides(engine.project, task));
    const isOver = (state: Project) => {
      const own = state.tasks.get(task);
      return own === undefined || endIn(state, own, purpose) !== null;
    };
    const over = engine.until(isOver).then(() => 'over' as const);
    let ended = await Promise.race([over, whenAborted(stops.pause, 'pause' as const), stopped, engine.failure]);
    if (ended === 'pause') {
      // Refused if the task is being committed or is closed by now: either way it ends soon.
      await engine.submit(operator(), stopCommand(request));
      ended = await Promise.race([over, stopped, engine.failure]);
    }
    if (ended === 'stop') return { type: 'interrupted', handedIn: false };
    const others = engine.busyBesides(task);
    if (others.length > 0) progress.staying(others.flatMap((id) => engine.project.tasks.get(id) ?? []));
    await Promise.race([engine.quiesce(), stopped, engine.failure]);
    const left = engine.project.tasks.get(task);
    return { type: (left === undefined ? null : endIn(engine.project, left, purpose)) ?? 'closed' };
  } catch (error) {
    // This process was suspended for longer than the lease lasts (Ctrl-Z, sleep): another one drives now, and we follow it.
    if (error instanceof LeaseLost) return 'lease lost';
    throw error;
  } finally {
    fileWatch.close();
    unobserve();
    await engine.stop();
  }
}

const stopCommand = ({ task, purpose }: { readonly task: TaskId; readonly purpose?: 'landed' | undefined }): Command =>
  purpose === 'landed' ? { type: 'task.unland', task, reason: '' } : { type: 'task.pause', task, reason: '' };

function unfinishedBesides(project: Project, own: TaskId): OtherTask[] {
  return [...project.tasks.values()].filter((task) => task.id !== own && task.closed === null && !task.paused);
}

function whenAborted<T>(signal: AbortSignal, value: T): Promise<T> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(value);
    signal.addEventListener('abort', () => resolve(value), { once: true });
  });
}

type InProject = Pick<DriveRequest, 'opened' | 'project'>;
type SentCommand = { readonly command: Command; readonly signal: AbortSignal };

/** Sends one command to a project: hands it to the driver, or takes the lease, decides it here and leaves. */
export async function sendCommand(
  request: Pick<DriveRequest, 'environment' | 'project' | 'opened'> & SentCommand,
): Promise<Rejection | null> {
  const { environment, project, opened, command } = request;
  const id = opened.deps.chance.id('c');
  let handedIn = false;
  for (;;) {
    const engine = await Engine.open(opened.deps, {
      project: project.id,
      leaseMs: environment.leaseMs,
      act: false,
      parallel: 1,
    });
    if (engine instanceof Engine) {
      try {
        // The command was handed in before the driver left, so it is in the inbox; draining answers it.
        if (!handedIn) return await engine.submit(operator(), command, id);
        await engine.drain();
      } finally {
        await engine.stop();
      }
    }
    const rejection = await handIn({ opened, project, command }, id);
    if (rejection !== null) return rejection;
    handedIn = true;
    const receipt = await answerTo({ opened, project, signal: request.signal }, id);
    if (receipt !== null) return receipt.rejection === null ? null : { type: 'rejected', ...receipt.rejection };
    if (request.signal.aborted) {
      return rejected(
        'interrupted',
        'stopped before the command was answered; it is in the inbox, and the next process that works on this project decides it',
      );
    }
  }
}
