/**
 * The file with a worker's output, for people who watch: appended at least every 250 ms, with its head and tail kept.
 * Lines start with `| ` (stdout), `! ` (stderr) or `# ` (Supervisor), so that no worker can fake a line of another
 * source.
 *
 * Taking in output is cheap; making it safe and writing it happen piece by piece between other work, and dropped output
 * is never processed. Everything goes through the redactor in batches of whole lines (64 KiB take about 1 ms, measured
 * 2026-11). It misses a secret of several lines if a batch ends inside it.
 */
import { constants, mkdirSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Redact } from '../../engine/ports/surroundings.ts';
import type { KnownValues } from '../../mind/secrets/known-values.ts';
import { type OutputStream, type Slab, Slabs } from './slabs.ts';
import { StreamText } from './stream-text.ts';
import { TextTail } from './text-tail.ts';

const FLUSH_MS = 100;
/** A word without a continuation for this long counts as complete. */
const STALE_MS = 1000;
const HALF = 4 << 20;
/** A word at the end of an unfinished line may be half a secret; longer ones are none. */
const MAX_WORD = 4096;
const STREAMS = ['stdout', 'stderr', 'note'] as const;
const MARKS: Readonly<Record<OutputStream, string>> = { stdout: '| ', stderr: '! ', note: '# ' };

export type WrittenTranscript = {
  readonly path: string;
  readonly bytes: number;
  readonly omitted: number;
  /** Why it is incomplete; null if it is complete. */
  readonly problem: string | null;
};

type TranscriptOptions = {
  readonly path: string;
  readonly mask: KnownValues;
  readonly redact: Redact;
  /** Bytes of head and of tail. */
  readonly half?: number;
};

export class Transcript {
  readonly #options: TranscriptOptions;
  readonly #file: FileHandle | null;
  readonly #half: number;
  readonly #slabs: Slabs;
  readonly #texts: Readonly<Record<OutputStream, StreamText>>;
  /** The stream whose last safe line is unfinished. */
  #open: OutputStream | null = null;
  #waiting = '';
  #timer: NodeJS.Timeout | null = null;
  /** The timer waits for a word to end. */
  #patient = false;
  #pumping: Promise<void> | null = null;
  #bytes = 0;
  #midLine = false;
  #problem: string | null;
  #written: Promise<WrittenTranscript> | null = null;

  private constructor(options: TranscriptOptions, file: FileHandle | null, problem: string | null) {
    const { mask, half = HALF } = options;
    this.#options = options;
    this.#file = file;
    this.#half = half;
    this.#slabs = new Slabs(half, half);
    this.#texts = { stdout: new StreamText(mask), stderr: new StreamText(mask), note: new StreamText(mask) };
    this.#problem = problem;
  }

  /** A disk that takes no transcript does not stop an attempt: its record gets a finding. */
  static async open(options: TranscriptOptions): Promise<Transcript> {
    const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
    try {
      mkdirSync(dirname(options.path), { recursive: true, mode: 0o700 });
      return new Transcript(options, await open(options.path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600), null);
    } catch (error) {
      return new Transcript(options, null, (error as Error).message);
    }
  }

  add(stream: OutputStream, bytes: Uint8Array): void {
    this.#slabs.add(stream, bytes);
    if (this.#patient) this.#disarm();
    this.#arm(FLUSH_MS);
  }

  /** Unfinished lines, and the end of stderr; as of `close`. */
  get unfinished(): string {
    return this.#texts.stdout.unfinished || this.#texts.stderr.unfinished;
  }

  get stderr(): string {
    return this.#texts.stderr.tail;
  }

  /** The end of stderr until now, where another run will print here. */
  async stderrSoFar(): Promise<string> {
    while (this.#pumping !== null) await this.#pumping;
    this.#disarm();
    this.#pump();
    await this.#pumping;
    return this.stderr;
  }

  /** A second call returns the first result. */
  close(): Promise<WrittenTranscript> {
    this.#written ??= this.#close();
    return this.#written;
  }

  async #close(): Promise<WrittenTranscript> {
    this.#disarm();
    await this.#pumping;
    await this.#drain();
    const { pieces, omitted } = await this.#tail();
    if (omitted > 0) {
      await this.#write('', true);
      await this.#write(`${this.#midLine ? '\n' : ''}# ${omitted} bytes are left out here\n`, true);
    }
    for (const bytes of pieces) await this.#write(bytes.toString(), false);
    await this.#write('', true);
    if (this.#midLine) await this.#write('\n', true);
    await this.#file?.close().catch(() => {});
    return { path: this.#options.path, bytes: this.#bytes, omitted, problem: this.#problem };
  }

  #arm(ms: number): void {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => this.#pump(), ms);
    this.#patient = ms === STALE_MS;
  }

  #disarm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #pump(): void {
    this.#timer = null;
    if (this.#pumping !== null) {
      this.#arm(FLUSH_MS);
      return;
    }
    this.#pumping = (this.#slabs.empty ? this.#write('', true) : this.#drain()).finally(() => {
      this.#pumping = null;
      if (this.#written !== null) return;
      // Print a prompt such as `Password:` at once, although its line has not ended.
      if (!this.#slabs.empty) this.#arm(FLUSH_MS);
      else if (this.#waiting !== '') this.#arm(STALE_MS);
    });
  }

  /** Escaped control characters take six times their size: the head ends when that much is written. */
  async #drain(): Promise<void> {
    for (let slab = this.#slabs.next(); slab !== null; slab = this.#slabs.next()) {
      await this.#write(this.#safe(slab), false);
      if (this.#bytes >= this.#half) this.#slabs.endHead();
    }
  }

  /** The output not shown yet, made safe. It starts at a line's beginning if earlier output is missing. */
  async #tail(): Promise<{ readonly pieces: readonly Buffer[]; readonly omitted: number }> {
    const { slabs, omitted } = this.#slabs.takeTail();
    if (omitted > 0) {
      for (const text of Object.values(this.#texts)) text.gap();
      this.#open = null;
    }
    const tail = new TextTail(this.#half);
    for (const slab of slabs) {
      tail.add(this.#safe(slab));
      await breathe();
    }
    for (const stream of STREAMS) tail.add(this.#lines(stream, this.#texts[stream].end()));
    const last = tail.take(`${MARKS[slabs.at(-1)?.stream ?? 'note']}…`);
    return { pieces: last.pieces, omitted: omitted + last.omitted };
  }

  #safe({ stream, bytes }: Slab): string {
    return this.#lines(stream, this.#texts[stream].add(bytes));
  }

  /** Puts the mark of the stream before each line. */
  #lines(stream: OutputStream, text: string): string {
    if (text === '') return '';
    const mark = MARKS[stream];
    const ended = text.endsWith('\n');
    const start = this.#open === stream ? '' : `${this.#open === null ? '' : '\n'}${mark}`;
    this.#open = ended ? null : stream;
    // Joined, because `replace` would keep a chain of as many pieces as lines (20 bytes a character, measured 2026-11).
    const lines = (ended ? text.slice(0, -1) : text).split('\n').join(`\n${mark}`);
    return `${start}${lines}${ended ? '\n' : ''}`;
  }

  async #write(more: string, all: boolean): Promise<void> {
    const text = this.#waiting + more;
    const end = all ? text.length : text.length - openWord(text);
    this.#waiting = text.slice(end);
    if (end === 0 || this.#problem !== null) return;
    try {
      const [clean = ''] = await this.#options.redact([text.slice(0, end)]);
      const bytes = Buffer.byteLength(clean);
      // Written as a string: Node frees its own copy at once, not at the next garbage collection.
      const written = await this.#file?.write(clean);
      if (written !== undefined && written.bytesWritten < bytes) this.#problem = 'the disk is full';
      this.#bytes += bytes;
      this.#midLine = !clean.endsWith('\n');
    } catch (error) {
      this.#problem = (error as Error).message;
    }
  }
}

/** Length of the unfinished word at the end; 0 after a blank or an end of line, as in a question. */
function openWord(text: string): number {
  const length = text.length - 1 - Math.max(text.lastIndexOf('\n'), text.lastIndexOf(' '), text.lastIndexOf('\t'));
  return length > MAX_WORD ? 0 : length;
}
