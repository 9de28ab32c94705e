/**
 * Real pipes for a program's output, and files for its input. Node's pipes are sockets, which cannot be opened a second
 * time: with them `echo oops >/dev/stderr` and `cat /dev/stdin`, common in scripts, fail with ENXIO.
 */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from './run.ts';
import { processRow } from './table.ts';

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
/** What a pipe accepts at once without a reader. */
const PIPE_BYTES = 64 << 10;
const BATCH = 48;
/** How many runs can start while more pipes are made. */
const LOW = 12;

export type Streams = {
  readonly stdout: Socket;
  readonly stderr: Socket;
  /** The program's ends; null for no input. */
  readonly input: number | null;
  readonly output: readonly [stdout: number, stderr: number];
  /** Closes the program's ends here; only then a reader sees the end. */
  given(): void;
};

/** Node cannot make a named pipe, so `mkfifo` makes some at a time; each is used once and has no name while in use. */
export class Pipes {
  readonly #dir: string;
  readonly #names: string[] = [];
  #made = 0;
  #making: Promise<void> | null = null;

  constructor(dir: string) {
    // A process may have several of these, and its pid may have been another's before.
    this.#dir = join(dir, `pipes-${process.pid}-${randomBytes(4).toString('hex')}`);
  }

  /** `input`: its whole input, available from the start. */
  async take(input = ''): Promise<Streams> {
    await this.#atLeast(2);
    const [stdout, stderr] = [this.#open(), this.#open()];
    const output = [stdout.writer, stderr.writer] as const;
    // In the sandbox the program is another user, who must be able to reopen it by name.
    const reader = input === '' ? null : this.#file(input, 0o444);
    return {
      stdout: reading(stdout.reader),
      stderr: reading(stderr.reader),
      input: reader,
      output,
      given: () => {
        for (const fd of [...output, ...(reader === null ? [] : [reader])]) closeSync(fd);
      },
    };
  }

  /** A descriptor to read a secret text from: it is available at once, so that no reader waits for our next turn. */
  async hold(text: string): Promise<number> {
    await this.#atLeast(1);
    const bytes = Buffer.from(text);
    if (bytes.length > PIPE_BYTES) return this.#file(text, 0o600);
    const { reader, writer } = this.#open();
    try {
      writeSync(writer, bytes);
    } finally {
      closeSync(writer);
    }
    return reader;
  }

  /** Removes what was made ahead; later users make new ones. */
  async close(): Promise<void> {
    await this.#making?.catch(() => {});
    this.#names.length = 0;
    await removePipes(this.#dir);
  }

  /** While one run waits for more, another one may take what was made. */
  async #atLeast(count: number): Promise<void> {
    while (this.#names.length < count) await this.#more();
    if (this.#names.length < LOW) this.#more().catch(() => {});
  }

  #more(): Promise<void> {
    this.#making ??= this.#make().finally(() => {
      this.#making = null;
    });
    return this.#making;
  }

  async #make(): Promise<void> {
    const names = Array.from({ length: BATCH }, () => this.#path('pipe'));
    const made = await run('mkfifo', ['-m', '0666', ...names], { env: { PATH: '/usr/bin:/bin' }, timeoutMs: 10_000 });
    if (made.code !== 0) throw new Error(`mkfifo failed: ${made.stderr || made.ended}`);
    this.#names.push(...names);
  }

  #path(kind: string): string {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    this.#made += 1;
    return join(this.#dir, `${kind}-${this.#made}`);
  }

  /** Both ends; the program's blocks, as programs expect, and ours does not. */
  #open(): { readonly reader: number; readonly writer: number } {
    const path = this.#names.pop() ?? '';
    const reader = openSync(path, O_RDONLY | O_NONBLOCK);
    const writer = openSync(path, O_WRONLY);
    unlinkSync(path);
    return { reader, writer };
  }

  /**
   * Not a pipe: reopening one whose writer has closed it blocks for ever. Without a name only its holder can read it.
   */
  #file(text: string, mode: number): number {
    const path = this.#path('input');
    writeFileSync(path, text, { mode: 0o600 });
    // Independent of the umask.
    chmodSync(path, mode);
    const fd = openSync(path, O_RDONLY);
    unlinkSync(path);
    return fd;
  }
}

/** Removes what dead processes left in a directory of pipes. */
export async function sweepPipes(dir: string): Promise<void> {
  for (const name of readdirSync(dir)) {
    const pid = /^pipes-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && processRow(Number(pid)) === null) await removePipes(join(dir, name));
  }
}

/** A `mkfifo` that outlived its caller may still be running; the next sweep removes what it makes too late. */
async function removePipes(dir: string): Promise<void> {
  for (let patience = 20; patience > 0; patience -= 1) {
    try {
      return rmSync(dir, { recursive: true, force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
      await sleep(10);
    }
  }
}

function reading(fd: number): Socket {
  const socket = new Socket({ fd, readable: true, writable: false });
  return socket.on('error', () => socket.destroy());
}
