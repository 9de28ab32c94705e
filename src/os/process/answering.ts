/**
 * Programs that answer every line of their input, kept for the next question: git takes ten times as long to start as to
 * look at an object. What goes wrong here is done again in the ordinary way, which tells best what is wrong.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { RunOptions, RunResult } from './run.ts';

/** One line for each line; or as `git cat-file --batch` does: `ID TYPE SIZE`, so many bytes and a line break. */
export type AnswerForm = 'lines' | 'objects';

type Asked = RunOptions & { readonly answers: AnswerForm };

/** Of those, one is kept for its third question: many are asked once or twice, each with variables of its own. */
const ASKED_BEFORE = 2;
const MOST_KEPT = 6;
const MOST_COUNTED = 50;
/** Where a repository borrows its objects from, git looks up once: nobody is kept for longer than a few steps. */
const IDLE_MS = 20_000;
/** Git ends at once when its input does. */
const END_MS = 2_000;

export class Answering {
  /** How often each was asked. The one that was asked last comes last. */
  readonly #asked = new Map<string, number>();
  readonly #kept = new Map<string, Kept>();
  readonly #idleMs: number;

  readonly #askedBefore: number;

  /** `askedBefore`: how often it is started anew before one is kept. */
  constructor(idleMs = IDLE_MS, askedBefore = ASKED_BEFORE) {
    this.#idleMs = idleMs;
    this.#askedBefore = askedBefore;
  }

  /** `ordinary`: how to start it for this question alone. */
  async ask(
    command: string,
    args: readonly string[],
    options: Asked,
    ordinary: () => Promise<RunResult>,
  ): Promise<RunResult> {
    const kept = this.#keptFor(command, args, options);
    const encoding = options.encoding ?? 'utf8';
    const answer = (await kept?.ask(Buffer.from(options.input ?? '', encoding), options)) ?? null;
    if (answer === null) return ordinary();
    return { code: 0, stdout: answer.toString(encoding), stderr: '', ended: 'exit' };
  }

  /** Whoever is kept goes after what it was asked. */
  end(): void {
    for (const kept of this.#kept.values()) kept.end();
    this.#kept.clear();
  }

  #keptFor(command: string, args: readonly string[], options: RunOptions): Kept | null {
    const key = JSON.stringify([command, args, options.cwd, options.env]);
    const times = (this.#asked.get(key) ?? 0) + 1;
    again(this.#asked, key, times);
    if (this.#asked.size > MOST_COUNTED) this.#asked.delete(oldest(this.#asked));
    if (times <= this.#askedBefore) return null;
    const there = this.#kept.get(key);
    const kept = there?.isOver === false ? there : Kept.start(command, args, options, this.#idleMs);
    if (kept === null) return null;
    again(this.#kept, key, kept);
    if (this.#kept.size > MOST_KEPT) {
      const first = oldest(this.#kept);
      this.#kept.get(first)?.end();
      this.#kept.delete(first);
    }
    return kept;
  }
}

function again<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
}
const oldest = (map: ReadonlyMap<string, unknown>): string => map.keys().next().value ?? '';

class Kept {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #idle: NodeJS.Timeout;
  #last: Promise<unknown> = Promise.resolve();
  #hear: (piece: Buffer | null) => void = () => {};
  isOver = false;

  /** Null: there is no memory or no descriptor for it; then it has no streams either. */
  static start(command: string, args: readonly string[], { cwd, env }: RunOptions, idleMs: number): Kept | null {
    try {
      const child = spawn(command, [...args], {
        ...{ env: { ...env }, stdio: ['pipe', 'pipe', 'ignore'] },
        ...(cwd === undefined ? {} : { cwd }),
      });
      child.on('error', () => {});
      return (child.stdin as Writable | undefined) === undefined ? null : new Kept(child, idleMs);
    } catch {
      return null;
    }
  }

  constructor(child: ChildProcessByStdio<Writable, Readable, null>, idleMs: number) {
    this.#child = child;
    this.#idle = setTimeout(() => this.end(), idleMs).unref();
    this.#child.stdout.on('data', (piece: Buffer) => this.#hear(piece));
    for (const stream of [this.#child, this.#child.stdin]) stream.on('error', () => this.#over());
    this.#child.on('close', () => this.#over());
    this.#hold(false);
  }

  /** Null: not answered, or not all that was asked for was found. One question after the other. */
  ask(input: Buffer, options: Asked): Promise<Buffer | null> {
    this.#idle.refresh();
    const answer = this.#last.then(() => (this.isOver ? null : this.#one(input, options)));
    this.#last = answer;
    return answer;
  }

  /** After what it was asked. */
  end(): void {
    this.isOver = true;
    // This process waits for it: it ends as soon as nothing more can be asked.
    this.#child.ref();
    this.#last.finally(() => {
      this.#child.stdin.end();
      // One that goes on all the same has nothing to say to anybody.
      setTimeout(() => this.#child.kill('SIGKILL'), END_MS).unref();
    });
  }

  #one(input: Buffer, { answers: form, timeoutMs, maxBytes = 1 << 20 }: Asked): Promise<Buffer | null> {
    this.#hold(true);
    return new Promise((resolve) => {
      const answers = new Answers(form, lines(input));
      const done = (answer: Buffer | null) => {
        clearTimeout(late);
        this.#hold(false);
        this.#hear = () => {};
        // In the middle of an answer nothing more can be asked.
        if (answer === null) {
          // What it had printed by then may still come, and is nobody's answer.
          this.isOver = true;
          this.#child.kill('SIGKILL');
        }
        resolve(answer);
      };
      const late = setTimeout(() => done(null), timeoutMs);
      this.#hear = (piece) => {
        if (piece === null) return done(null);
        const state = answers.add(piece);
        if (state === 'whole') done(answers.text());
        else if (state === 'strange' || answers.bytes > maxBytes) done(null);
      };
      this.#child.stdin.write(input);
    });
  }

  #over(): void {
    this.isOver = true;
    clearTimeout(this.#idle);
    this.#hear(null);
  }

  /** As long as an answer is waited for, this process lives; else not for its sake. */
  #hold(isNeeded: boolean): void {
    const { stdin, stdout } = this.#child;
    for (const one of [this.#child, stdin as Socket, stdout as Socket]) {
      if (isNeeded) one.ref();
      else one.unref();
    }
  }
}

const NEWLINE = 10;

function lines(input: Buffer): number {
  let count = 0;
  for (const byte of input) if (byte === NEWLINE) count += 1;
  return count;
}

/** What came so far, until there is one answer for each question. Every byte is looked at once, and held once. */
class Answers {
  readonly #form: AnswerForm;
  readonly #pieces: Buffer[] = [];
  #left: number;
  bytes = 0;
  /** What is known of the next line. */
  #head = '';
  /** Of the content that follows one. */
  #skip = 0;

  constructor(form: AnswerForm, questions: number) {
    this.#form = form;
    this.#left = questions;
  }

  text(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  /** Strange: something is missing, or more came than was asked for. */
  add(piece: Buffer): 'more' | 'whole' | 'strange' {
    this.#pieces.push(piece);
    this.bytes += piece.length;
    for (let at = 0; at < piece.length; ) {
      if (this.#skip > 0) {
        const part = Math.min(this.#skip, piece.length - at);
        this.#skip -= part;
        at += part;
        continue;
      }
      if (this.#left === 0) return 'strange';
      const end = piece.indexOf(NEWLINE, at);
      this.#head += piece.toString('latin1', at, end < 0 ? piece.length : end);
      if (end < 0) return 'more';
      const head = this.#head;
      this.#head = '';
      if (/ (?:missing|ambiguous)$/.test(head)) return 'strange';
      if (this.#form === 'objects') this.#skip = Number(head.slice(head.lastIndexOf(' '))) + 1;
      if (Number.isNaN(this.#skip)) return 'strange';
      this.#left -= 1;
      at = end + 1;
    }
    return this.#left === 0 && this.#skip === 0 ? 'whole' : 'more';
  }
}
