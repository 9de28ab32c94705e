/** Runs one program in the sandbox, from its start until all its processes have ended. */
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  SandboxError,
  type SandboxLimits,
  type SandboxRequest,
  type SandboxResult,
} from '../../../engine/ports/sandbox.ts';
import { whenOverdue } from '../../../os/machine/missed-deadline.ts';
import { type Launched, launch } from '../../../os/process/launch.ts';
import type { Pipes, Streams } from '../../../os/process/pipes.ts';
import { childrenOf, family, isDead, killProcess, processRow } from '../../../os/process/table.ts';
import { diskUse } from '../shared/disk-use.ts';
import type { Report } from '../shared/output.ts';
import { RunState } from '../shared/run-state.ts';
import { Watch } from '../shared/watch.ts';
import type { SandboxCommand } from './command.ts';
import type { ControlGroup } from './control-group.ts';

const START_MS = 20_000;
const END_MS = 5000;

/** For the programs of the chain: what runs inside has the PATH of its policy. */
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

type Prepared = {
  readonly command: SandboxCommand;
  readonly limits: SandboxLimits;
  readonly group: ControlGroup;
  /** Resolves when a process can be moved into the group without a wait. */
  readonly joinable: Promise<void>;
  /** What the next Supervisor needs to know if this one is killed. */
  readonly note: { write(): void };
  readonly bounded: { readonly memory: boolean; readonly processes: boolean };
  readonly filtered: boolean;
  readonly pipes: Pipes;
  readonly trees: readonly string[];
  readonly temporary: readonly string[];
};

export async function runPrepared(
  prepared: Prepared,
  request: Pick<SandboxRequest, 'input' | 'onOutput' | 'signal'>,
): Promise<SandboxResult> {
  const { limits, group } = prepared;
  // 1. Start bubblewrap.
  const { child, streams } = await start(prepared, request.input);
  const [talk] = child.pipes;
  const run = new RunState(limits, request, streams, talk, () => child.kill());
  let first: First | null = null;
  try {
    // 2. Bubblewrap builds the sandbox while we make the group. If it fails meanwhile, it prints the reason itself.
    prepared.note.write();
    group.make();
    group.limit(limits);
    const before = await diskUse(prepared.trees, Infinity);
    const ready = await readyOrNot(run.report, child);
    await prepared.joinable;
    if (ready !== 'ready') return await neverReady(run, child, ready);

    // 3. Let the program start. The first process is alone inside, so the whole program is born in the group.
    first = firstOf(child.pid);
    const begun = performance.now();
    if (run.ending.cause === null) {
      if (first === null) throw new SandboxError('the sandbox was lost before its start');
      const { pid } = first;
      group.join(pid);
      const watch = new Watch({ ...prepared, first: pid, before, stop: (end) => run.ending.stop(end) });
      run.begin(watch, () => askAll(pid));
      talk?.write('go\n');
    }

    // 4. The program ends by itself, or a limit or the operator ends it.
    const exit = await child.exited;
    run.over();
    const ms = Math.round(performance.now() - begun);

    // 5. All of it is dead, and all of its output has been passed on.
    await gone(first);
    await run.output.ended();
    return run.result(exit, group.breach(), ms);
  } finally {
    run.release();
    child.kill();
    await gone(first);
    for (const pipe of [streams.stdout, streams.stderr, ...child.pipes]) pipe.destroy();
  }
}

/** The sandbox was not built: the run was ended meanwhile, or bubblewrap gives a reason. */
async function neverReady(run: RunState, child: Launched, why: 'late' | 'ended'): Promise<SandboxResult> {
  if (why === 'late') child.kill();
  // The program's first process may outlive bubblewrap for a moment and hold the output open: an end of file ends it.
  child.pipes[0]?.destroy();
  await Promise.all([child.exited, run.output.ended()]);
  const stopped = run.stopped();
  if (stopped !== null) return stopped;
  throw new SandboxError(`the sandbox could not be built: ${run.output.early() || 'no reason given'}`);
}

/** Asks all processes inside to end, except our first process, which ends with the program. */
function askAll(first: number): void {
  for (const { pid } of family(first)) if (pid !== first) killProcess(pid, 'SIGTERM');
}

async function start(
  { command, pipes }: Prepared,
  text: string,
): Promise<{ readonly child: Launched; readonly streams: Streams }> {
  const streams = await pipes.take(text);
  const [name, ...args] = command.argv;
  const { input, output } = streams;
  const files: number[] = [];
  try {
    files.push(await pipes.hold(command.words));
    for (const path of command.files) files.push(openSync(path, 'r'));
    const child = await launch(name, args, { env: { PATH }, input, output, pipes: 1, files, user: command.user });
    return { child, streams };
  } catch (error) {
    streams.stdout.destroy();
    streams.stderr.destroy();
    throw error;
  } finally {
    streams.given();
    for (const fd of files) closeSync(fd);
  }
}

function readyOrNot(report: Report, child: Launched): Promise<'ready' | 'late' | 'ended'> {
  return new Promise((resolve) => {
    const late = whenOverdue(START_MS, () => resolve('late'));
    const first = (what: 'ready' | 'ended') => {
      clearTimeout(late);
      resolve(what);
    };
    report.ready.then(() => first('ready'));
    child.exited.then(() => first('ended'));
  });
}

type First = { readonly pid: number; readonly started: string };

function firstOf(pid: number): First | null {
  const [first] = childrenOf(pid);
  const row = first === undefined ? null : processRow(first);
  return row && { pid: row.pid, started: row.started };
}

/** The first process of a PID namespace ends only after all others in it are dead. */
async function gone(first: First | null): Promise<void> {
  if (first === null) return;
  const until = Date.now() + END_MS;
  for (let wait = 1; ; wait = Math.min(2 * wait, 20)) {
    const row = processRow(first.pid);
    if (row === null || isDead(row) || row.started !== first.started) return;
    killProcess(first.pid);
    if (Date.now() > until) throw new SandboxError(`process ${first.pid} of a sandbox does not end`);
    await sleep(wait);
  }
}
