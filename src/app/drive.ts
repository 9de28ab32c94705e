/**
 * Sees a task through to its end. Whoever gets the lease drives the project; everybody else hands in the command and
 * follows. When the driver dies, a follower takes over; when a driver's own task is done, it leaves the rest to them.
 */

import { writable } from '../engine/door.ts';
import { Engine } from '../engine/engine.ts';
import type { Owner, StoredEvent } from '../engine/ports/store.ts';
import type { TaskId } from '../kernel/ids.ts';
import type { Json } from '../kernel/json.ts';
import { type Rejection, rejected } from '../kernel/result.ts';
import type { Limits } from '../mind/config/limits.ts';
import { type Actor, actorText, type Command } from '../mind/domain/commands.ts';
import { taskStream } from '../mind/domain/project.ts';
import type { Environment } from './config/environment.ts';
import { closes, followLog } from './follow.ts';
import type { Opened } from './open.ts';
import type { ProjectAt } from './open-store.ts';

export const OPERATOR: Actor = { kind: 'operator', name: '' };

export type Progress = {
  events(events: readonly StoredEvent[]): void;
  /** Another process drives; this one follows. */
  following(owner: Owner | null): void;
  /** Our task is done, others' attempts are still under way. */
  finishing(attempts: number): void;
};

export type DriveRequest = {
  readonly environment: Environment;
  readonly project: ProjectAt;
  readonly opened: Opened;
  readonly task: TaskId;
  /** What starts it; decided once, whoever drives. */
  readonly command: Command | null;
  readonly limits: Limits;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

export type DriveResult =
  | { readonly type: 'closed' }
  /** `handedIn`: the command is in the inbox, and whoever drives next decides it. */
  | { readonly type: 'interrupted'; readonly handedIn: boolean }
  | Rejection;

export async function drive(request: DriveRequest): Promise<DriveResult> {
  const { environment, project, opened, task } = request;
  const { store } = opened;
  const commandId = opened.deps.chance.id('c');
  let seen = (await store.head(project.id)).seq;
  let handedIn = request.command === null;
  while (!request.signal.aborted) {
    const engine = await Engine.open(opened.deps, {
      project: project.id,
      leaseMs: environment.leaseMs,
      act: true,
      parallel: 8,
      settle: () => opened.settle(),
    });
    if (engine instanceof Engine)
      return lead(engine, request, handedIn ? null : { id: commandId, command: request.command as Command }, seen);
    request.progress.following(engine.owner);
    if (!handedIn) {
      const rejection = await handIn(request, commandId);
      if (rejection !== null) return rejection;
      handedIn = true;
    }
    const stream = taskStream(task);
    const ended = await followLog(
      store,
      project.id,
      seen,
      (events) => {
        seen = events.at(-1)?.seq ?? seen;
        request.progress.events(events);
        return closes(events, stream) ? 'done' : 'go on';
      },
      request.signal,
    );
    if (ended === 'done') return { type: 'closed' };
  }
  return { type: 'interrupted', handedIn: handedIn && request.command !== null };
}

/** Writes the command to the inbox and waits for its receipt; without a driver nobody answers, so that ends the wait too. */
export async function handIn(
  { opened, project, command, signal }: Pick<DriveRequest, 'opened' | 'project' | 'command' | 'signal'>,
  id: string,
): Promise<Rejection | null> {
  const { store, deps } = opened;
  if (command === null) return null;
  const written = await writable(command, deps.redact);
  if (written.type === 'rejected') return written;
  await store.submit(project.id, [{ id, actor: actorText(OPERATOR), command: written as unknown as Json }]);
  await deps.failpoint('inbox.after');
  for (;;) {
    const receipt = await store.receipt(project.id, id);
    if (receipt !== null) return receipt.rejection === null ? null : { type: 'rejected', ...receipt.rejection };
    if (signal.aborted || (await store.lease(project.id)).expired) return null;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function lead(
  engine: Engine,
  request: DriveRequest,
  start: { id: string; command: Command } | null,
  seen: number,
): Promise<DriveResult> {
  const { task, progress, signal, opened, project } = request;
  const caughtUp = await opened.store.readLog(project.id, seen, 10_000);
  if (caughtUp.length > 0) progress.events(caughtUp);
  const stop = engine.observe((_, events) => progress.events(events));
  const aborted = new Promise<'aborted'>((resolve) => {
    if (signal.aborted) resolve('aborted');
    signal.addEventListener('abort', () => resolve('aborted'), { once: true });
  });
  try {
    await engine.submit({ kind: 'engine', name: '' }, { type: 'board.configure', limits: request.limits });
    if (start !== null) {
      const rejection = await engine.submit(OPERATOR, start.command, start.id);
      if (rejection !== null) return rejection;
    }
    // Commands that waited in the inbox come first: ours may be among them.
    await engine.drain();
    const over = engine.until((state) => {
      const found = state.tasks.get(task);
      return found === undefined || (found.closed !== null && !found.notify);
    });
    const ended = await Promise.race([over, aborted, engine.failure]);
    if (ended === 'aborted') return { type: 'interrupted', handedIn: false };
    const others = engine.busyBesides(task);
    if (others > 0) progress.finishing(others);
    await Promise.race([engine.quiesce(), aborted, engine.failure]);
    return { type: 'closed' };
  } finally {
    stop();
    await engine.stop();
  }
}

/** One command for a project that may or may not be driven by somebody: hand it in, or decide it right here and leave. */
export async function sendCommand(
  request: Pick<DriveRequest, 'environment' | 'project' | 'opened' | 'signal'> & { readonly command: Command },
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
        // Handed in before the driver left: it is in the inbox, and draining answers it.
        if (!handedIn) return await engine.submit(OPERATOR, command, id);
        await engine.drain();
      } finally {
        await engine.stop();
      }
    }
    const rejection = await handIn({ opened, project, command, signal: request.signal }, id);
    handedIn = true;
    if (rejection !== null || (await opened.store.receipt(project.id, id)) !== null) return rejection;
    if (request.signal.aborted) {
      return rejected(
        'interrupted',
        'stopped before the command was answered; it is in the inbox, and whoever drives next decides it',
      );
    }
  }
}
