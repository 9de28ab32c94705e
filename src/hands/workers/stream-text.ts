/**
 * Turns the bytes of one stream into text that is safe to show: decoded across pieces, masked, without control
 * characters.
 */
import { terminalText } from '../../kernel/terminal-text.ts';
import type { KnownValues } from '../../mind/secrets/known-values.ts';

const MAX_LINE = 1_000;
const MAX_TAIL = 2_000;
/** A longer text without a line end is no truncated line, but one without end. */
const MAX_CUT = 64 << 10;

export class StreamText {
  readonly #mask: KnownValues;
  #decoder = newDecoder();
  #held = '';
  #line = '';
  #tail = '';
  /** Characters skipped since a gap; null if there is no gap, or after it. */
  #cut: number | null = null;

  constructor(mask: KnownValues) {
    this.#mask = mask;
  }

  /** What can be shown now; the rest follows with the next piece or at the end. */
  add(bytes: Uint8Array): string {
    const masked = this.#mask.text(this.#held + this.#decoder.decode(bytes, { stream: true }));
    // A carriage return may be half of a line end, which the next character decides.
    const open = Math.max(this.#mask.open(masked), masked.endsWith('\r') ? 1 : 0);
    this.#held = masked.slice(masked.length - open);
    return this.#shown(masked.slice(0, masked.length - open));
  }

  end(): string {
    const rest = this.#mask.text(this.#held + this.#decoder.decode());
    this.#held = '';
    return this.#shown(rest);
  }

  /** Output is missing here: the next text may start in the middle of a line, a character or a secret. */
  gap(): void {
    this.#decoder = newDecoder();
    this.#held = '';
    this.#line = '';
    this.#cut = 0;
  }

  /** The last line if it has no end yet, as with a question. */
  get unfinished(): string {
    return this.#line;
  }

  get tail(): string {
    return this.#tail;
  }

  #shown(text: string): string {
    const whole = this.#cut === null ? text : this.#afterGap(text);
    if (whole === '') return '';
    const safe = terminalText(whole.split('\r\n').join('\n'));
    const newline = safe.lastIndexOf('\n');
    this.#line = (newline < 0 ? this.#line + safe : safe.slice(newline + 1)).slice(-MAX_LINE);
    this.#tail = (this.#tail + safe.slice(-MAX_TAIL)).slice(-MAX_TAIL);
    return safe;
  }

  /** Continues at the first complete line. */
  #afterGap(text: string): string {
    const newline = text.indexOf('\n');
    if (newline >= 0) {
      this.#cut = null;
      return text.slice(newline + 1);
    }
    this.#cut = (this.#cut ?? 0) + text.length;
    if (this.#cut < Math.max(MAX_CUT, 2 * this.#mask.longest)) return '';
    this.#cut = null;
    return '…';
  }
}

const newDecoder = () => new TextDecoder('utf-8', { ignoreBOM: true });
