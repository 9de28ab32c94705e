/** One program in a container, from its start to the certainty that nothing of it is left. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type SandboxEnd,
  SandboxError,
  type SandboxLimits,
  type SandboxRequest,
  type SandboxResult,
} from '../../../engine/ports/sandbox.ts';
import { removalArgv } from '../../../mind/sandbox/container-argv.ts';
import { whenOverdue } from '../../../os/machine/overdue.ts';
import { type Launched, launch } from '../../../os/process/launch.ts';
import type { Pipes } from '../../../os/process/pipes.ts';
import { run as runProgram } from '../../../os/process/run.ts';
import { diskUse } from '../shared/disk-use.ts';
import { endOf } from '../shared/end-of.ts';
import { Ending } from '../shared/ending.ts';
import { Output, Report } from '../shared/output.ts';
import { Watch } from '../shared/watch.ts';
import { type Bounds, boundsOf } from './bounds.ts';
import { type Engine, lastLine, reason } from './engine.ts';
import { type First, findFirst, gone, killFirst } from './first.ts';
import { GUARD } from './scripts.ts';
import type { Wires } from './wires.ts';

const START_MS = 60_000;
/** An engine takes its time to clear up on a machine that has much to do. */
const CLEAR_MS = 20_000;
const MAX_SAID = 4000;

type Start = {
  readonly engine: Engine;
  readonly name: string;
  readonly argv: readonly string[];
  readonly wires: Wires;
  /** For the first process inside. */
  readonly words: string;
  readonly pipes: Pipes;
  readonly limits: SandboxLimits;
  readonly trees: readonly string[];
  readonly temporary: readonly string[];
};

export async function runContained(
  start: Start,
  request: Pick<SandboxRequest, 'onOutput' | 'signal'>,
): Promise<SandboxResult> {
  // Nobody heard it until now.
  if (request.signal.aborted) return { end: { how: 'aborted' }, ms: 0, leftovers: 0, forced: false };
  const { wires, limits } = start;
  let first: First | null = null;
  let watch: Watch | null = null;
  let struck = () => {};
  // The engine's program may be slow to notice, and is not waited for without a limit.
  const killed = new Promise<void>((resolve) => {
    struck = resolve;
  });
  const run = new Ending(limits.graceMs, () => {
    killFirst(first);
    wires.cut();
    struck();
  });
  const abort = () => run.stop({ how: 'aborted' });
  request.signal.addEventListener('abort', abort, { once: true });
  const report = new Report();
  wires.report.on('data', (bytes: Buffer) => report.add(bytes));
  const output = new Output(wires, limits.outputBytes, request.onOutput, () =>
    run.stop({ how: 'limit', limit: 'output' }),
  );
  const guard = await guarded(start);
  const client = await started(start).catch(async (error: unknown) => {
    await guard.dismiss();
    throw error;
  });
  try {
    wires.say(start.words);
    const before = await diskUse(start.trees, Infinity);
    const ready = await readyOrNot(report, client.exited);
    if (ready !== 'ready' || run.cause !== null) {
      wires.cut();
      await client.ended();
      if (run.cause !== null) return { end: run.cause, ms: 0, leftovers: 0, forced: run.forced };
      throw new SandboxError(`the container could not be started: ${client.said() || ready}`);
    }
    first = findFirst(start.name);
    const bounds = checked(first, start);
    wires.opened();
    const begun = performance.now();
    if (first !== null) {
      const bounded = { memory: true, processes: true };
      const { pid } = first;
      watch = new Watch({ ...start, group: bounds, bounded, first: pid, before, stop: (end) => run.stop(end) });
      output.open(() => watch?.heard());
      run.begin(() => wires.say('end\n'));
      wires.say('go\n');
    }
    await Promise.race([report.over, client.exited, killed]);
    watch?.end();
    run.over();
    const ms = Math.round(performance.now() - begun);
    // While the first process waits for its last word its groups are still there.
    const breach = bounds.breach();
    wires.say('bye\n');
    // After its report the first process ends by itself: the code that counts is the one the engine waited for.
    if (report.end === null || run.cause !== null) killFirst(first);
    wires.cut();
    const { code, signal } = await client.ended();
    await gone(first);
    await output.ended();
    const own: SandboxEnd =
      run.cause ?? (breach === null ? endOf(report, code, signal) : { how: 'limit', limit: breach });
    return { end: own, ms, leftovers: run.cause === null ? (report.end?.leftovers ?? 0) : 0, forced: run.forced };
  } finally {
    watch?.end();
    run.over();
    request.signal.removeEventListener('abort', abort);
    wires.cut();
    killFirst(first);
    // The guard stays until nothing is left that it would be for.
    await client
      .ended()
      .then(() => gone(first))
      .finally(() => guard.dismiss());
    client.close();
  }
}

/** Refused before the program starts: an engine that drops a limit says so in a warning at most. */
function checked(first: First | null, { engine, limits }: Start): Bounds {
  const { kind } = engine.facts;
  if (first === null)
    throw new SandboxError(`the container of ${kind} is not among the processes of this machine: nothing was run`);
  const bounds = boundsOf(first.pid, limits);
  if (bounds.missing.length > 0)
    throw new SandboxError(`${kind} did not set the limits of ${bounds.missing.join(', ')}: nothing was run`);
  return bounds;
}

type Client = Pick<Launched, 'exited'> & {
  /** The engine has taken the container away; where it does not, it is told to. */
  ended(): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Its own words, and those of the first process before the start. */
  said(): string;
  close(): void;
};

async function started({ engine, argv, pipes, name }: Start): Promise<Client> {
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
    // By itself, and with `--rm`: nothing is left of it. 125 is an engine's own failure.
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

export async function remove({ command, facts, env }: Engine, names: readonly string[]): Promise<void> {
  const removal = await runProgram(command, removalArgv(facts, names), { env, timeoutMs: CLEAR_MS });
  // Docker before 20.10 calls it a fault that it is gone already.
  if (removal.code !== 0 && !/no such container/i.test(removal.stderr))
    throw new SandboxError(`${facts.kind} does not remove ${names.join(', ')}: ${reason(removal)}`);
}

/** Stays behind for a Supervisor that is killed; in a session of its own, so that no signal to our group ends it too. */
async function guarded({ engine, name, pipes }: Start): Promise<{ dismiss(): Promise<void> }> {
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
