/** One program behind the wall, from its start to the certainty that nothing of it is left. */
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type SandboxEnd,
  SandboxError,
  type SandboxLimits,
  type SandboxRequest,
  type SandboxResult,
} from '../../../engine/ports/sandbox.ts';
import { launch } from '../../../os/process/launch.ts';
import type { OutputPipes, Pipes } from '../../../os/process/pipes.ts';
import { childrenOf, isDead, killProcess, processRow } from '../../../os/process/table.ts';
import type { Command } from './command.ts';
import type { ControlGroup } from './control-group.ts';
import { diskUse } from './disk-use.ts';
import { Watch } from './watch.ts';

const START_MS = 20_000;
const END_MS = 5000;
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

export type Prepared = {
  readonly command: Command;
  readonly limits: SandboxLimits;
  readonly group: ControlGroup | null;
  readonly bounded: { readonly memory: boolean; readonly processes: boolean };
  readonly pipes: Pipes;
  readonly trees: readonly string[];
  readonly temporary: readonly string[];
};

export async function runPrepared(
  prepared: Prepared,
  request: Pick<SandboxRequest, 'input' | 'onOutput' | 'signal'>,
): Promise<SandboxResult> {
  const { command, limits, group } = prepared;
  const [name, ...args] = command.argv;
  const before = diskUse(prepared.trees, Infinity);
  const printed = await prepared.pipes.take();
  const child = await launch(name, args, {
    env: { PATH },
    input: request.input,
    output: printed.fds,
    pipes: 2 + command.feeds.length,
  })
    .finally(printed.given)
    .catch((error: unknown) => {
      printed.stdout.destroy();
      printed.stderr.destroy();
      throw error;
    });
  const [go, report, ...feeds] = child.pipes;
  for (const [index, bytes] of command.feeds.entries()) feeds[index]?.end(bytes);

  let cause: SandboxEnd | null = null;
  const stop = (end: SandboxEnd) => {
    cause ??= end;
    child.kill();
  };
  const abort = () => stop({ how: 'aborted' });
  request.signal.addEventListener('abort', abort, { once: true });
  if (request.signal.aborted) abort();
  const lines = new Report();
  report?.on('data', (bytes: Buffer) => lines.add(bytes));
  const output = new Output(printed, limits.outputBytes, request.onOutput, () =>
    stop({ how: 'limit', limit: 'output' }),
  );
  let first: { readonly pid: number; readonly started: string } | null = null;
  let watch: Watch | null = null;
  let start = 0;
  try {
    const late = sleep(START_MS, 'late' as const, { ref: false });
    const ready = await Promise.race([lines.ready, child.exited, late]);
    if (ready !== 'ready') {
      if (ready === 'late') child.kill();
      await Promise.all([child.exited, output.ended()]);
      if (cause !== null) return { end: cause, ms: 0, leftovers: 0 };
      throw new SandboxError(`the sandbox could not be built: ${output.early() || 'no reason given'}`);
    }
    first = firstOf(child.pid);
    if (first === null && cause === null) throw new SandboxError('the sandbox was lost sight of before its start');
    const used = await before;
    start = performance.now();
    watch = new Watch({ ...prepared, first: first?.pid ?? 0, before: used, stop });
    output.open(() => watch?.heard());
    go?.end('go\n');
    child.stdin?.end(request.input);
    const { code, signal } = await child.exited;
    watch.end();
    const ms = Math.round(performance.now() - start);
    await gone(first);
    await output.ended();
    const breach = group?.breach() ?? null;
    const own: SandboxEnd =
      cause ?? (breach === null ? endOf(lines.code ?? code, signal) : { how: 'limit', limit: breach });
    return { end: own, ms, leftovers: cause === null ? lines.leftovers : 0 };
  } finally {
    watch?.end();
    request.signal.removeEventListener('abort', abort);
    child.kill();
    await gone(first);
    for (const pipe of [child.stdin, printed.stdout, printed.stderr, ...child.pipes]) pipe?.destroy();
  }
}

/** What the first process says on its pipe: `ready`, later `end CODE LEFT`. Bounded: a program could talk in its place. */
class Report {
  readonly ready: Promise<'ready'>;
  code: number | null = null;
  leftovers = 0;
  #text = '';
  #resolve: (word: 'ready') => void = () => {};

  constructor() {
    this.ready = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  add(bytes: Buffer): void {
    if (this.#text.length > 100) return;
    this.#text += bytes.toString('latin1');
    if (this.#text.startsWith('ready\n')) this.#resolve('ready');
    const [, code, left] = /^ready\nend (\d{1,3}) (\d{1,7})\n$/.exec(this.#text) ?? [];
    if (code === undefined) return;
    this.code = Number(code);
    this.leftovers = Number(left);
  }
}

/** Passes output on up to the limit and not a byte more; what comes before the start is the wall's own and kept apart. */
class Output {
  readonly #streams: readonly ['stdout' | 'stderr', OutputPipes['stdout']][];
  readonly #ends: Promise<unknown>;
  #early = '';
  #heard: (() => void) | null = null;

  constructor(child: OutputPipes, limit: number, pass: SandboxRequest['onOutput'], full: () => void) {
    this.#streams = [
      ['stdout', child.stdout],
      ['stderr', child.stderr],
    ];
    let left = limit;
    for (const [name, stream] of this.#streams) {
      stream.on('data', (bytes: Buffer) => {
        if (this.#heard === null) {
          this.#early = (this.#early + bytes.toString()).slice(0, 2000);
          return;
        }
        this.#heard();
        const part = bytes.subarray(0, left);
        left -= part.length;
        if (part.length > 0) pass(name, part);
        if (part.length === bytes.length) return;
        full();
        for (const [, each] of this.#streams) each.destroy();
      });
    }
    this.#ends = Promise.all(this.#streams.map(([, stream]) => new Promise((end) => stream.once('close', end))));
  }

  open(heard: () => void): void {
    this.#heard = heard;
  }

  early(): string {
    return this.#early.trim();
  }

  /** Everything that was printed has been passed on; by then all writers are dead, so this is short. */
  async ended(): Promise<void> {
    await Promise.race([this.#ends, sleep(END_MS, null, { ref: false })]);
  }
}

function firstOf(pid: number): { readonly pid: number; readonly started: string } | null {
  const [first] = childrenOf(pid);
  const row = first === undefined ? null : processRow(first);
  return row && { pid: row.pid, started: row.started };
}

/** The first process of a PID namespace ends only after all others in it are dead. */
async function gone(first: { readonly pid: number; readonly started: string } | null): Promise<void> {
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

/** Shells and bubblewrap say 128 + n for a program that signal n ended; a program that exits so itself looks the same. */
function endOf(code: number | null, signal: NodeJS.Signals | null): SandboxEnd {
  if (code === null) return { how: 'signal', signal: signal ?? 'SIGKILL' };
  const name = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return name === undefined ? { how: 'exit', code } : { how: 'signal', signal: name };
}
