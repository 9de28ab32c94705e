/**
 * A block of lines at the bottom of a terminal that is redrawn; lines to keep scroll up above it. The cursor waits
 * below the block, hidden, and is shown again however the process ends (except by SIGKILL).
 */
import { styleText } from 'node:util';
import { textWidth } from '../../../kernel/text-width.ts';
import type { LiveLine, StyledText } from '../../../mind/protocol/live-lines.ts';

const LOOK: Readonly<Record<StyledText['look'], Parameters<typeof styleText>[0] | null>> = {
  good: 'green',
  bad: 'red',
  note: 'yellow',
  dim: 'dim',
  strong: 'bold',
  plain: null,
};

const HIDE = '\x1b[?25l';
const SHOW = '\x1b[?25h';
/**
 * Draws one frame at once if the terminal can, and without wrapping, so that a character of unexpected width breaks
 * nothing.
 */
const [BEGIN, END] = ['\x1b[?2026h\x1b[?7l', '\x1b[?7h\x1b[?2026l'];
const ERASE_LINE = '\x1b[2K';
const ERASE_BELOW = '\x1b[0J';
const up = (rows: number) => (rows === 0 ? '\r' : `\r\x1b[${rows}A`);

type ScreenRow = { readonly text: string; readonly width: number };

export class Screen {
  readonly #stream: NodeJS.WriteStream;
  #rows: readonly ScreenRow[] = [];
  #columns: number;
  #open = true;
  #paused = false;
  #suspended = false;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    this.#columns = this.columns;
    stream.write(HIDE);
    process.on('exit', this.#atExit);
    process.on('SIGQUIT', this.#atQuit);
    process.on('SIGTSTP', this.#atPause);
    process.on('SIGCONT', this.#atReturn);
  }

  /** A terminal that does not know its size says 0. */
  get columns(): number {
    return this.#stream.columns || 80;
  }

  /** One less than the terminal has: the cursor needs a line. */
  get rows(): number {
    return Math.max(1, (this.#stream.rows || 24) - 1);
  }

  /** Writes only the lines that changed. */
  draw(lines: readonly LiveLine[]): void {
    if (!this.#shown) return;
    const rows = lines.map((line) => this.#paint(line));
    const same = rows.length === this.#rows.length && this.#columns === this.columns;
    if (same && rows.every(({ text }, n) => text === this.#rows[n]?.text)) return;
    const body = rows.map(({ text }, n) => (same && text === this.#rows[n]?.text ? '\n' : `${ERASE_LINE}${text}\n`));
    const start = same ? up(rows.length) : this.#erase();
    this.#stream.write(`${BEGIN}${start}${body.join('\r')}\r${END}`);
    this.#rows = rows;
    this.#columns = this.columns;
  }

  /** Runs `write`; its output stays above the block. */
  above(write: () => void): void {
    if (this.#shown) this.#clear();
    write();
    if (this.#shown) this.#redraw();
  }

  /** Removes the block and shows the cursor until `resume`, because a person types. */
  suspend(): void {
    if (this.#shown) this.#clear();
    this.#stream.write(SHOW);
    this.#rows = [];
    this.#suspended = true;
  }

  resume(): void {
    this.#suspended = false;
    if (this.#shown) this.#stream.write(HIDE);
  }

  /** Removes the block and shows the cursor. */
  close(): void {
    if (!this.#open) return;
    if (this.#shown) this.#clear();
    this.#stream.write(SHOW);
    this.#open = false;
    process.off('exit', this.#atExit);
    process.off('SIGQUIT', this.#atQuit);
    process.off('SIGTSTP', this.#atPause);
    process.off('SIGCONT', this.#atReturn);
  }

  get #shown(): boolean {
    return this.#open && !this.#paused && !this.#suspended;
  }

  #clear(): void {
    if (this.#rows.length > 0) this.#stream.write(this.#erase());
  }

  #redraw(): void {
    if (this.#rows.length === 0) return;
    this.#stream.write(`${BEGIN}${this.#rows.map(({ text }) => `${text}\n`).join('\r')}\r${END}`);
    this.#columns = this.columns;
  }

  /** If the terminal became narrower, it wrapped our lines: they take more rows than were written. */
  #erase(): string {
    const rows = this.#rows.reduce((sum, { width }) => sum + Math.max(1, Math.ceil(width / this.columns)), 0);
    return `${up(rows)}${ERASE_BELOW}`;
  }

  #paint(line: LiveLine): ScreenRow {
    const text = line.map(({ text: piece, look }) => {
      const style = LOOK[look];
      return style === null ? piece : styleText(style, piece, { stream: this.#stream });
    });
    return { text: text.join(''), width: line.reduce((sum, { text: piece }) => sum + textWidth(piece), 0) };
  }

  // Runs also after an uncaught exception and a second Ctrl-C.
  readonly #atExit = () => this.close();

  readonly #atQuit = () => {
    this.close();
    process.kill(process.pid, 'SIGQUIT');
  };

  // On Ctrl-Z the shell gets a clean line and its cursor.
  readonly #atPause = () => {
    this.#clear();
    this.#stream.write(SHOW);
    this.#paused = true;
    process.kill(process.pid, 'SIGSTOP');
  };

  readonly #atReturn = () => {
    if (!this.#open || !this.#paused) return;
    this.#paused = false;
    if (!this.#shown) return;
    this.#stream.write(HIDE);
    this.#redraw();
  };
}
