/**
 * Starts programs, if there is a starter by it. For every program that Node starts, the kernel copies the tables of all
 * memory Node has, and nothing else is done meanwhile: 1 ms in a small process, 3 ms in a Supervisor at work, 10 ms in a
 * large one (measured 2026-11). A step starts twenty. So a Supervisor that works with real CLIs has a small process at its side.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stays } from '../machine/short-lived.ts';
import { Answering } from './answering.ts';
import { type PipeResult, pipe as pipeHere } from './pipe.ts';
import { type RunOptions, type RunResult, run as runHere } from './run.ts';
import { type Answer, type Pipe, READY, type Result, type Run } from './starter-messages.ts';

let starter: Starter | null = null;
const answering = new Answering();
/** Who packs and ends asks git four times, always the same way: one start instead of four is a twelfth of its time. */
let atOnce: Answering | null = null;

/** Once for all that this process does; until it listens, and after its end, programs are started here. */
export function beginStarter(): void {
  try {
    starter ??= new Starter();
  } catch {
    // No memory for one more process: then programs are started here.
  }
}

export function endStarter(): void {
  starter?.end();
  starter = null;
  answering.end();
  atOnce?.end();
  atOnce = null;
}

/** What is too large to be held is read where it is needed: it would pass through twice (`stream.ts`). */
export function run(command: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const { signal, answers, ...rest } = options;
  const here = () => runHere(command, args, options);
  const by = starter;
  if (answers !== undefined && signal === undefined && !stays()) {
    atOnce ??= new Answering(undefined, 0);
    return atOnce.ask(command, args, { ...options, answers }, here);
  }
  if (by?.isReady !== true || signal !== undefined) return here();
  const started = () => by.ask({ run: [command, args, rest] }, here);
  return answers === undefined ? started() : answering.ask(command, args, { ...options, answers }, started);
}

export function pipe(...what: Pipe): Promise<PipeResult> {
  const here = () => pipeHere(...what);
  return starter?.isReady === true ? starter.ask({ pipe: what }, here) : here();
}

type Waiting = { resolve(result: Result): void; reject(error: Error): void };

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
    for (const end of ['exit', 'disconnect']) this.#child.on(end, () => this.#over());
    this.#hold(false);
  }

  /** `here`: how to do it without. */
  ask<T extends Result>(what: { readonly run: Run } | { readonly pipe: Pipe }, here: () => Promise<T>): Promise<T> {
    this.#asked += 1;
    const id = this.#asked;
    this.#hold(true);
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, ...what }, (unsent) => {
        // It is gone, and nothing was begun.
        if (unsent !== null && this.#waiting.delete(id)) here().then(resolve, reject);
      });
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
    const found = this.#waiting.get(said.id);
    this.#waiting.delete(said.id);
    if (this.#waiting.size === 0) {
      this.#hold(false);
      if (starter !== this && this.#child.connected) this.#child.disconnect();
    }
    if ('result' in said) found?.resolve(said.result);
    else found?.reject(new Error(said.failed));
  }

  #over(): void {
    this.isReady = false;
    if (starter === this) starter = null;
    for (const { reject } of this.#waiting.values()) reject(new Error('the process that starts programs has ended'));
    this.#waiting.clear();
    this.#hold(false);
  }

  /** As long as it is waited for, this process lives; else not for its sake. */
  #hold(isNeeded: boolean): void {
    if (isNeeded) this.#child.ref();
    else this.#child.unref();
    if (isNeeded) this.#child.channel?.ref();
    else this.#child.channel?.unref();
  }
}

/** Beside this file in the source tree, under a name of its own in the published bundle. */
function program(): string {
  const beside = fileURLToPath(new URL('./starter-child.ts', import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL('./starter.js', import.meta.url));
}
