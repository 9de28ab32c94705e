/** Runs one program in a container, from its start until all its processes have ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type SandboxEnd,
  SandboxError,
  type SandboxLimits,
  type SandboxRequest,
  type SandboxResult,
} from '../../../engine/ports/sandbox.ts';
import { removalArgv } from '../../../mind/sandbox/container-argv.ts';
import { whenOverdue } from '../../../os/machine/missed-deadline.ts';
import { type Launched, launch } from '../../../os/process/launch.ts';
import type { Pipes } from '../../../os/process/pipes.ts';
import { run as runProgram } from '../../../os/process/run.ts';
import { diskUse } from '../shared/disk-use.ts';
import type { Report } from '../shared/output.ts';
import { RunState } from '../shared/run-state.ts';
import { Watch } from '../shared/watch.ts';
import { boundsOf, type ContainerBounds } from './bounds.ts';
import { type First, findFirst, gone, killFirst } from './container-init.ts';
import type { Wires } from './container-pipes.ts';
import { type ContainerEngine, lastLine, reason } from './engine.ts';
import { GUARD } from './scripts.ts';

const START_MS = 60_000;
/** An engine on a busy machine cleans up slowly. */
const CLEAR_MS = 20_000;
const MAX_SAID = 4000;
/** The engine's control group enforces both. */
const BOUNDED = { memory: true, processes: true };

type ContainerStart = {
  readonly engine: ContainerEngine;
  readonly name: string;
  readonly argv: readonly string[];
  readonly wires: Wires;
  /** Arguments for the first process inside. */
  readonly words: string;
  readonly pipes: Pipes;
  readonly limits: SandboxLimits;
  readonly trees: readonly string[];
  readonly temporary: readonly string[];
};

export async function runContained(
  start: ContainerStart,
  request: Pick<SandboxRequest, 'onOutput' | 'signal'>,
): Promise<SandboxResult> {
  // The run was aborted before the listener was added.
  if (request.signal.aborted) return { end: { how: 'aborted' }, ms: 0, leftovers: 0, forced: false };
  const { wires, limits } = start;
  let first: First | null = null;
  // The engine's program may be slow to notice, so the wait for it is bounded.
  const killed = Promise.withResolvers<void>();
  const run = new RunState(limits, request, wires, wires.report, () => {
    killFirst(first);
    wires.cut();
    killed.resolve();
  });

  // 1. Start the guard, then the engine's program.
  const guard = await guarded(start);
  const client = await started(start).catch((error: unknown) => dismissed(guard, error));
  try {
    // 2. The engine builds the container; its limits are read back from the kernel.
    wires.say(start.words);
    const before = await diskUse(start.trees, Infinity);
    const ready = await readyOrNot(run.report, client.exited);
    if (ready !== 'ready' || run.ending.cause !== null) return await neverStarted(run, start, client, ready);
    first = firstIn(start);
    const { pid } = first;
    const bounds = boundsAt(pid, start);
    wires.opened();

    // 3. Let the program start.
    const begun = performance.now();
    const stop = (end: SandboxEnd) => run.ending.stop(end);
    const watch = new Watch({ ...start, group: bounds, bounded: BOUNDED, first: pid, before, stop });
    run.begin(watch, () => wires.say('end\n'));
    wires.say('go\n');

    // 4. The program ends by itself, or a limit or the operator ends it.
    await Promise.race([run.report.over, client.exited, killed.promise]);
    run.over();
    const ms = Math.round(performance.now() - begun);
    // The first process still waits for its last word, so its control groups still exist.
    const breach = bounds.breach();
    wires.say('bye\n');

    // 5. All of it is dead, and all of its output has been passed on. After its report the first process ends by
    // itself: the code that counts is the one the engine waited for.
    if (run.report.end === null || run.ending.cause !== null) killFirst(first);
    wires.cut();
    const exit = await client.ended();
    await gone(first);
    await run.output.ended();
    return run.result(exit, breach, ms);
  } finally {
    run.release();
    wires.cut();
    killFirst(first);
    await cleared(client, first, guard);
  }
}

async function dismissed(guard: GuardProcess, error: unknown): Promise<never> {
  await guard.dismiss();
  throw error;
}

/** The guard stays until nothing is left for it to remove. */
async function cleared(client: Client, first: First | null, guard: GuardProcess): Promise<void> {
  await client
    .ended()
    .then(() => gone(first))
    .finally(() => guard.dismiss());
  client.close();
}

/** The container was not started: the run was ended meanwhile, or the engine gives a reason. */
async function neverStarted(
  run: RunState,
  { wires }: ContainerStart,
  client: Client,
  why: string,
): Promise<SandboxResult> {
  wires.cut();
  await client.ended();
  const stopped = run.stopped();
  if (stopped !== null) return stopped;
  throw new SandboxError(`the container could not be started: ${client.said() || why}`);
}

function firstIn({ engine, name }: ContainerStart): First {
  const first = findFirst(name);
  if (first !== null) return first;
  const { kind } = engine.facts;
  throw new SandboxError(`the container of ${kind} is not among the processes of this machine: nothing was run`);
}

/** Refuses before the program starts: an engine that drops a limit prints a warning at most. */
function boundsAt(pid: number, { engine, limits }: ContainerStart): ContainerBounds {
  const bounds = boundsOf(pid, limits);
  if (bounds.missing.length === 0) return bounds;
  const missing = bounds.missing.join(', ');
  throw new SandboxError(`${engine.facts.kind} did not set the limits of ${missing}: nothing was run`);
}

type Client = Pick<Launched, 'exited'> & {
  /** The engine has removed the container; if it has not, it gets the command to. */
  ended(): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Messages of the engine, and those of the first process before the start. */
  said(): string;
  close(): void;
};

async function started({ engine, argv, pipes, name }: ContainerStart): Promise<Client> {
  const streams = await pipes.take();
  const { command, env } = engine;
  const close = () => {
    for (const stream of [streams.stdout, streams.stderr]) stream.destroy();
  };
  let child: Launched;
  try {
    child = await launch(command, argv, { env, input: null, output: streams.output, pipes: 0, user: null });
  } catch (error) {
    close();
    throw error;
  } finally {
    streams.given();
  }
  let said = '';
  for (const stream of [streams.stdout, streams.stderr])
    stream.on('data', (bytes: Buffer) => {
      said = (said + bytes.toString()).slice(-MAX_SAID);
    });
  let end: ReturnType<Client['ended']> | null = null;
  const removed = async () => {
    const patience = new AbortController();
    const late = sleep(CLEAR_MS, 'late' as const, { signal: patience.signal }).catch(() => 'late' as const);
    const exit = await Promise.race([child.exited, late]);
    patience.abort();
    // Ended by itself, and with `--rm`: nothing is left. 125 is a failure of the engine.
    if (exit !== 'late' && exit.signal === null && exit.code !== 125) return exit;
    child.kill();
    await remove(engine, [name]);
    return await child.exited;
  };
  return {
    exited: child.exited,
    ended: () => {
      end ??= removed();
      return end;
    },
    said: () => lastLine(said),
    close,
  };
}

export async function remove({ command, facts, env }: ContainerEngine, names: readonly string[]): Promise<void> {
  const removal = await runProgram(command, removalArgv(facts, names), { env, timeoutMs: CLEAR_MS });
  // Docker before 20.10 reports an error if it is gone already.
  if (removal.code !== 0 && !/no such container/i.test(removal.stderr))
    throw new SandboxError(`${facts.kind} does not remove ${names.join(', ')}: ${reason(removal)}`);
}

type GuardProcess = { dismiss(): Promise<void> };

/** Survives a killed Supervisor; in its own session, so that no signal to our process group ends it too. */
async function guarded({ engine, name, pipes }: ContainerStart): Promise<GuardProcess> {
  const { command, facts, env } = engine;
  const streams = await pipes.take();
  try {
    const args = ['-c', GUARD, 'sh', command, ...removalArgv(facts, [name])];
    const guard = await launch('/bin/sh', args, {
      env,
      input: null,
      output: streams.output,
      pipes: 1,
      user: null,
    });
    const [talk] = guard.pipes;
    return {
      dismiss: async () => {
        talk?.write('done\n');
        await guard.exited;
        talk?.destroy();
      },
    };
  } finally {
    streams.given();
    for (const stream of [streams.stdout, streams.stderr]) stream.destroy();
  }
}

function readyOrNot(report: Report, exited: Launched['exited']): Promise<'ready' | 'no answer in time' | 'it ended'> {
  return new Promise((resolve) => {
    const late = whenOverdue(START_MS, () => resolve('no answer in time'));
    const first = (what: 'ready' | 'it ended') => {
      clearTimeout(late);
      resolve(what);
    };
    report.ready.then(() => first('ready'));
    exited.then(() => first('it ended'));
  });
}
