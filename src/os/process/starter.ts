/**
 * Starts programs, if there is a starter by it. For every program that Node starts, the kernel copies the tables of all
 * memory Node has, and nothing else is done meanwhile: 1 ms in a small process, 3 ms in a Supervisor at work, 10 ms in a
 * large one (measured 2026-11). A step starts twenty. So a Supervisor that works with real CLIs has a small process at its side.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type PipeResult, pipe as pipeHere } from './pipe.ts';
import { type RunOptions, type RunResult, run as runHere } from './run.ts';
import { type Answer, type Pipe, READY, type Result, type Run, type Stream } from './starter-messages.ts';
import { type Streamed, stream as streamHere } from './stream.ts';

let starter: Starter | null = null;

/** Once for all that this process does; until it listens, and after its end, programs are started here. */
export function beginStarter(): void {
  starter ??= new Starter();
}

export function endStarter(): void {
  starter?.end();
  starter = null;
}

export function run(command: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const { signal, ...rest } = options;
  if (starter?.isReady !== true || signal !== undefined) return runHere(command, args, options);
  return starter.ask<RunResult>({ run: [command, args, rest] });
}

export function pipe(...what: Pipe): Promise<PipeResult> {
  return starter?.isReady === true ? starter.ask<PipeResult>({ pipe: what }) : pipeHere(...what);
}

export function stream(...[what, options, each]: [...Stream, (piece: Buffer) => boolean]): Promise<Streamed> {
  return starter?.isReady === true
    ? starter.ask<Streamed>({ stream: [what, options] }, each)
    : streamHere(what, options, each);
}

type Waiting = {
  resolve(result: Result): void;
  reject(error: unknown): void;
  each: ((piece: Buffer) => boolean) | null;
  /** Why no more pieces are wanted. */
  enough: { readonly error: unknown } | 'seen' | null;
};

class Starter {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;
  isReady = false;

  constructor() {
    this.#child = fork(program(), [], {
      ...{ env: {}, execArgv: [], serialization: 'advanced' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.on('message', (said: Answer | typeof READY) => this.#hear(said));
    this.#child.on('error', () => {});
    this.#child.on('exit', () => {
      this.isReady = false;
      if (starter === this) starter = null;
      for (const { reject } of this.#waiting.values()) reject(new Error('the process that starts programs has ended'));
      this.#waiting.clear();
    });
    this.#child.unref();
    this.#child.channel?.unref();
  }

  ask<T extends Result>(
    what: { readonly run: Run } | { readonly pipe: Pipe } | { readonly stream: Stream },
    each: Waiting['each'] = null,
  ): Promise<T> {
    this.#asked += 1;
    const id = this.#asked;
    // As long as it is waited for, this process lives.
    this.#child.channel?.ref();
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, each, enough: null });
      this.#child.send({ id, ...what });
    }) as Promise<T>;
  }

  /** What it is at comes to its end. */
  end(): void {
    this.isReady = false;
    if (this.#waiting.size === 0 && this.#child.connected) this.#child.disconnect();
  }

  #hear(said: Answer | typeof READY): void {
    if (said === READY) {
      this.isReady = true;
      return;
    }
    const { id } = said;
    const found = this.#waiting.get(id);
    if (found === undefined) return;
    if ('piece' in said) {
      this.#show(id, found, said.piece);
      return;
    }
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) {
      this.#child.channel?.unref();
      if (starter !== this && this.#child.connected) this.#child.disconnect();
    }
    if (found.enough !== null && found.enough !== 'seen') found.reject(found.enough.error);
    else if ('failed' in said) found.reject(new Error(said.failed));
    else found.resolve(found.enough === null ? said.result : { ...said.result, ended: 'enough' });
  }

  #show(id: number, found: Waiting, piece: Uint8Array): void {
    if (found.enough !== null) return;
    try {
      if (found.each?.(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)) === false) found.enough = 'seen';
    } catch (error) {
      found.enough = { error };
    }
    if (found.enough !== null) this.#child.send({ id, enough: true });
  }
}

/** Beside this file in the source tree, under a name of its own in the published bundle. */
function program(): string {
  const beside = fileURLToPath(new URL('./starter-child.ts', import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL('./starter.js', import.meta.url));
}
