/** The output of a sandbox: that of the program, and the messages of our first process. */
import type { SandboxRequest } from '../../../engine/ports/sandbox.ts';
import { whenOverdue } from '../../../os/machine/missed-deadline.ts';
import type { Streams } from '../../../os/process/pipes.ts';

const END_MS = 5000;
const MAX_REPORT = 500;

/**
 * The first process's messages on its pipe: `ready`; later `end CODE LEFT`, once and last; before that anything its
 * shell says about a signal. Everything else is no report.
 */
export class Report {
  readonly ready: Promise<'ready'>;
  /** The program has ended, or there will be no report of it. */
  readonly over: Promise<void>;
  end: { readonly code: number; readonly leftovers: number; readonly signalled: boolean } | null = null;
  #text = '';
  #resolve: (word: 'ready') => void = () => {};
  #ended: () => void = () => {};

  constructor() {
    this.ready = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.over = new Promise((resolve) => {
      this.#ended = resolve;
    });
  }

  add(bytes: Buffer): void {
    if (this.#text.length > MAX_REPORT) return;
    this.#text += bytes.toString('latin1');
    if (this.#text.startsWith('ready\n')) this.#resolve('ready');
    const [, words = '', code, left] = /^ready\n((?:(?!end ).*\n)*)end (\d{1,3}) (\d{1,7})\n$/.exec(this.#text) ?? [];
    this.end =
      code === undefined ? null : { code: Number(code), leftovers: Number(left), signalled: words.trim() !== '' };
    // Even if something is wrong with it, no better one will come.
    if (/\nend .*\n/.test(this.#text) || this.#text.length > MAX_REPORT) this.#ended();
  }
}

/**
 * Passes on output up to the limit and not a byte more; output before the start is the sandbox's own and kept apart.
 */
export class Output {
  readonly #streams: readonly ['stdout' | 'stderr', Streams['stdout']][];
  readonly #ends: Promise<unknown>;
  #early = '';
  #heard: (() => void) | null = null;

  constructor(
    of: Pick<Streams, 'stdout' | 'stderr'>,
    limit: number,
    pass: SandboxRequest['onOutput'],
    full: () => void,
  ) {
    this.#streams = [
      ['stdout', of.stdout],
      ['stderr', of.stderr],
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

  /** Resolves when all output has been passed on. By then all writers are dead, so this is short. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      const late = whenOverdue(END_MS, resolve);
      this.#ends.then(() => {
        clearTimeout(late);
        resolve();
      });
    });
  }
}
