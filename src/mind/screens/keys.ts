/** Reads keys from the bytes of a terminal in raw mode. Text that arrives all at once was pasted, and is no key. */

export type KeyPress =
  | { readonly type: 'char'; readonly char: string }
  | { readonly type: 'enter' | 'backspace' | 'escape' | 'up' | 'down' | 'pageup' | 'pagedown' | 'stop' }
  | { readonly type: 'paste'; readonly text: string };

const NAMED: Readonly<Record<string, Exclude<KeyPress, { char: string } | { text: string }>['type']>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u001b': 'escape',
  '\u001b[A': 'up',
  '\u001b[B': 'down',
  '\u001bOA': 'up',
  '\u001bOB': 'down',
  '\u001b[5~': 'pageup',
  '\u001b[6~': 'pagedown',
  '\u0003': 'stop',
  '\u0004': 'stop',
};

const PASTE_BEGINS = '\u001b[200~';
const PASTE_ENDS = '\u001b[201~';

/** One key, or a paste. Buffers a paste that continues in the next chunk. */
export class Keys {
  #pasted: string | null = null;

  read(chunk: string): KeyPress | null {
    const text = this.#pasted === null ? chunk : this.#pasted + chunk;
    // The mark itself may come in two pieces; a lone Escape is the key.
    if (text.length > 1 && text.length < PASTE_BEGINS.length && PASTE_BEGINS.startsWith(text)) {
      this.#pasted = text;
      return null;
    }
    if (text.startsWith(PASTE_BEGINS)) {
      const end = text.indexOf(PASTE_ENDS);
      this.#pasted = end < 0 ? text : null;
      return end < 0 ? null : { type: 'paste', text: text.slice(PASTE_BEGINS.length, end) };
    }
    this.#pasted = null;
    const named = Object.hasOwn(NAMED, chunk) ? NAMED[chunk] : undefined;
    if (named !== undefined) return { type: named };
    // Other keys of a terminal, such as F1, have no function here.
    if (chunk.startsWith('\u001b')) return null;
    const chars = [...chunk];
    if (chars.length > 1) return { type: 'paste', text: chunk };
    return /^\P{C}$/u.test(chunk) ? { type: 'char', char: chunk } : null;
  }
}
