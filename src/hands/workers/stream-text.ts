/** The bytes of one stream as text that is safe to show: decoded across borders of pieces, masked, without control characters. */
import { terminalText } from '../../kernel/terminal-text.ts';
import type { KnownValues } from '../../mind/secrets/known-values.ts';

const MAX_LINE = 1_000;
const MAX_TAIL = 2_000;
/** So much without an end of line is no line that was cut, but one without end. */
const MAX_CUT = 64 << 10;

export class StreamText {
  readonly #mask: KnownValues;
  #decoder = newDecoder();
  #held = '';
  #line = '';
  #tail = '';
  /** Characters passed over since a gap; null: no gap, or behind it. */
  #cut: number | null = null;

  constructor(mask: KnownValues) {
    this.#mask = mask;
  }

  /** What can be shown now; the rest comes with the next piece or at the end. */
  add(bytes: Uint8Array): string {
    const masked = this.#mask.text(this.#held + this.#decoder.decode(bytes, { stream: true }));
    // A carriage return is half of an end of line until the next character tells.
    const open = Math.max(this.#mask.open(masked), masked.endsWith('\r') ? 1 : 0);
    this.#held = masked.slice(masked.length - open);
    return this.#shown(masked.slice(0, masked.length - open));
  }

  end(): string {
    const rest = this.#mask.text(this.#held + this.#decoder.decode());
    this.#held = '';
    return this.#shown(rest);
  }

  /** What follows does not follow on what came before: half a line, half a character, perhaps half a secret. */
  gap(): void {
    this.#decoder = newDecoder();
    this.#held = '';
    this.#line = '';
    this.#cut = 0;
  }

  /** The line that has no end yet, as a question has. */
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

  /** From the first whole line on. */
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
