/**
 * Real pipes for what a program prints. Those of Node are sockets, which can not be opened a second time: with them
 * `echo oops >/dev/stderr`, common in scripts, fails with ENXIO.
 */
import { closeSync, constants, mkdirSync, openSync, readdirSync, rmSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { run } from './run.ts';
import { processRow } from './table.ts';

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
const BATCH = 24;

export type OutputPipes = {
  readonly stdout: Socket;
  readonly stderr: Socket;
  /** The program's ends, to be given to it. */
  readonly fds: readonly [stdout: number, stderr: number];
  /** Closes the program's ends here; only then does a reader see the end. */
  given(): void;
};

/** Node can not make a named pipe, so `mkfifo` makes some at a time; each is used once and has no name while in use. */
export class Pipes {
  readonly #dir: string;
  readonly #names: string[] = [];
  #made = 0;

  constructor(dir: string) {
    this.#dir = join(dir, `pipes-${process.pid}`);
  }

  async take(): Promise<OutputPipes> {
    if (this.#names.length < 2) await this.#make();
    const [stdout, stderr] = [this.#open(), this.#open()];
    const fds = [stdout.writer, stderr.writer] as const;
    return {
      stdout: reading(stdout.reader),
      stderr: reading(stderr.reader),
      fds,
      given: () => {
        for (const fd of fds) closeSync(fd);
      },
    };
  }

  async #make(): Promise<void> {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    const names = Array.from({ length: BATCH }, () => join(this.#dir, `${this.#made++}`));
    const made = await run('mkfifo', ['-m', '0666', ...names], { env: { PATH: '/usr/bin:/bin' }, timeoutMs: 10_000 });
    if (made.code !== 0) throw new Error(`mkfifo failed: ${made.stderr || made.ended}`);
    this.#names.push(...names);
  }

  /** Both ends; the program's one blocks, as programs expect, and ours does not. */
  #open(): { readonly reader: number; readonly writer: number } {
    const path = this.#names.pop() ?? '';
    const reader = openSync(path, O_RDONLY | O_NONBLOCK);
    const writer = openSync(path, O_WRONLY);
    unlinkSync(path);
    return { reader, writer };
  }
}

/** Removes what processes that are gone left in a directory of pipes. */
export function sweepPipes(dir: string): void {
  for (const name of readdirSync(dir)) {
    const pid = /^pipes-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && processRow(Number(pid)) === null)
      rmSync(join(dir, name), { recursive: true, force: true });
  }
}

function reading(fd: number): Socket {
  const socket = new Socket({ fd, readable: true, writable: false });
  return socket.on('error', () => socket.destroy());
}
