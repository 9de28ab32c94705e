/** One program behind the wall, from its start to the certainty that nothing of it is left. */
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type SandboxEnd,
  SandboxError,
  type SandboxLimits,
  type SandboxRequest,
  type SandboxResult,
} from '../../../engine/ports/sandbox.ts';
import { whenOverdue } from '../../../os/machine/overdue.ts';
import { type Launched, launch } from '../../../os/process/launch.ts';
import type { Pipes, Streams } from '../../../os/process/pipes.ts';
import { childrenOf, family, isDead, killProcess, processRow } from '../../../os/process/table.ts';
import { diskUse } from '../shared/disk-use.ts';
import { endOf } from '../shared/end-of.ts';
import { Ending } from '../shared/ending.ts';
import { Output, Report } from '../shared/output.ts';
import { Watch } from '../shared/watch.ts';
import type { Command } from './command.ts';
import type { ControlGroup } from './control-group.ts';

const START_MS = 20_000;
const END_MS = 5000;

/** For the programs of the chain: what runs inside has the PATH of its policy. */
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

type Prepared = {
  readonly command: Command;
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
  const { child, streams } = await start(prepared, request.input);
  const [talk] = child.pipes;

  const run = new Ending(limits.graceMs, () => child.kill());
  const abort = () => run.stop({ how: 'aborted' });
  request.signal.addEventListener('abort', abort, { once: true });
  if (request.signal.aborted) abort();
  const report = new Report();
  talk?.on('data', (bytes: Buffer) => report.add(bytes));
  const output = new Output(streams, limits.outputBytes, request.onOutput, () =>
    run.stop({ how: 'limit', limit: 'output' }),
  );
  let first: First | null = null;
  let watch: Watch | null = null;
  try {
    // While bubblewrap builds the wall. It may end in the middle of this, and then says itself why.
    prepared.note.write();
    group.make();
    group.limit(limits);
    const before = await diskUse(prepared.trees, Infinity);
    const ready = await readyOrNot(report, child);
    await prepared.joinable;
    if (ready !== 'ready') {
      if (ready === 'late') child.kill();
      // Its first process may have outlived it by a moment: an end of file ends that, which else would hold the output.
      talk?.destroy();
      await Promise.all([child.exited, output.ended()]);
      if (run.cause !== null) return { end: run.cause, ms: 0, leftovers: 0, forced: run.forced };
      throw new SandboxError(`the sandbox could not be built: ${output.early() || 'no reason given'}`);
    }
    first = firstOf(child.pid);
    if (first === null && run.cause === null) throw new SandboxError('the sandbox was lost sight of before its start');
    const begun = performance.now();
    if (first !== null && run.cause === null) {
      const { pid } = first;
      // It is alone inside, and nothing of the program has started: all of that will be born in the group.
      group.join(pid);
      const watching = new Watch({ ...prepared, first: pid, before, stop: (end) => run.stop(end) });
      watch = watching;
      output.open(() => watching.heard());
      // Everybody inside but our own first process, which ends when the program has.
      run.begin(() => {
        for (const each of family(pid)) if (each.pid !== pid) killProcess(each.pid, 'SIGTERM');
      });
      talk?.write('go\n');
    }
    const { code, signal } = await child.exited;
    watch?.end();
    run.over();
    const ms = Math.round(performance.now() - begun);
    await gone(first);
    await output.ended();
    const breach = group.breach();
    const own: SandboxEnd =
      run.cause ?? (breach === null ? endOf(report, code, signal) : { how: 'limit', limit: breach });
    return { end: own, ms, leftovers: run.cause === null ? (report.end?.leftovers ?? 0) : 0, forced: run.forced };
  } finally {
    watch?.end();
    run.over();
    request.signal.removeEventListener('abort', abort);
    child.kill();
    await gone(first);
    for (const pipe of [streams.stdout, streams.stderr, ...child.pipes]) pipe.destroy();
  }
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
