/**
 * Lines of JSON from a pipe that may hold anything. Each character is read once, unwanted lines are not parsed, and
 * lines longer than a document are skipped: memory is bounded whatever is printed.
 */
import { DOCUMENT_CHARS } from '../limits.ts';

/** Smaller pieces are joined: a million of one character each must not take a hundred bytes each. */
const SMALL = 4096;

type LineUse = {
  readonly value: (value: unknown) => void;
  /**
   * Cheaply checks the start of a line; returns true if its value is not needed. A line that is never parsed is not
   * malformed.
   */
  readonly skip?: (line: string) => boolean;
  /** Called with a line that is no JSON. */
  readonly other?: (line: string) => void;
};

export class JsonLines {
  readonly #use: LineUse;
  readonly #maxChars: number;
  #parts: string[] = [];
  #length = 0;
  #tooLong = false;
  #malformed = 0;

  constructor(use: LineUse, maxChars = DOCUMENT_CHARS) {
    this.#use = use;
    this.#maxChars = maxChars;
  }

  /** Lines that were not JSON, or too long. */
  get malformed(): number {
    return this.#malformed;
  }

  add(text: string): void {
    // Searches only the new part, or a line of a million pieces would be searched a million times.
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      if (this.#length > 0 || end - start > this.#maxChars) {
        this.#keep(text.slice(start, end));
        this.#endLine();
      } else {
        this.#line(text.slice(start, end));
      }
      start = end + 1;
    }
    if (start < text.length) this.#keep(text.slice(start));
  }

  /** The last line may lack its end. */
  end(): void {
    this.#endLine();
  }

  #keep(text: string): void {
    this.#length += text.length;
    if (this.#tooLong) return;
    if (this.#length > this.#maxChars) {
      this.#tooLong = true;
      this.#parts = [];
      return;
    }
    const last = this.#parts.length - 1;
    const before = this.#parts[last];
    if (before !== undefined && before.length < SMALL) this.#parts[last] = before + text;
    else this.#parts.push(text);
  }

  #endLine(): void {
    if (this.#tooLong) this.#malformed += 1;
    else this.#line(this.#parts.join(''));
    this.#parts = [];
    this.#length = 0;
    this.#tooLong = false;
  }

  #line(line: string): void {
    if (line === '' || line === '\r' || this.#use.skip?.(line) === true) return;
    const value = parsed(line);
    if (value !== undefined) this.#use.value(value);
    else if (line.trim() !== '') {
      this.#malformed += 1;
      this.#use.other?.(line);
    }
  }
}

/** Throwing and catching costs a hundred times as much as seeing that a line is no JSON (measured 2026-11). */
const COULD_BE_JSON = /^\s*(?:\{(?=\s*["}]).*\}|\[.*\]|".*"|\d|[-\dtfn].*[\del])\s*$/s;

/** The form that every CLI prints: skipping the expression's walk through the line saves a tenth of the time. */
const isUsualObject = (line: string): boolean =>
  line.charCodeAt(0) === 0x7b && line.charCodeAt(1) === 0x22 && line.charCodeAt(line.length - 1) === 0x7d;

function parsed(line: string): unknown {
  if (!isUsualObject(line) && !COULD_BE_JSON.test(line)) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
