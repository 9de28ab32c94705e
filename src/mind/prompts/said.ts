/**
 * Text of others on its way into a template. There it can be cut, listed and printed, but not taken out of its quotes: put
 * in as it is, it quotes itself, and what holds quotes already is printed whole or not at all. So no template, not even a
 * project's own, can let it pass for an instruction by oversight.
 */
import { terminalLine } from '../../kernel/terminal-text.ts';
import { quotedData } from './quoted-data.ts';

/** Not in quotes yet: what shapes it shapes what will stand between them. */
export class Said {
  readonly label: string;
  readonly text: string;

  constructor(label: string, text: string) {
    this.label = label;
    this.text = text;
  }
}

/** Holds quotes: one character less, and what follows them might be taken for a part of them, or they for what follows. */
export class Quoted {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export const said = (label: string, text: string): Said => new Said(label, text);

const contents = new WeakMap<object, { readonly one: Said | Quoted; readonly print: () => string }>();

/** What a template sees of it: nothing at all. The text is kept where no template gets, and only what prints asks for it. */
export function sealed(one: Said | Quoted, seed: string): object {
  const seal = Object.freeze(Object.create(null) as object);
  let printed: string | null = null;
  // A loop may print it often, and a mark is made of a hash over the whole text.
  const print = () => {
    printed ??= one instanceof Quoted ? one.text : quoteText(one.label, one.text, seed);
    return printed;
  };
  contents.set(seal, { one, print });
  return seal;
}

export const unsealed = (value: unknown): Said | Quoted | null => contentOf(value)?.one ?? null;

/** In its quotes; null when it is not the text of others. */
export const printedSeal = (value: unknown): string | null => contentOf(value)?.print() ?? null;

const contentOf = (value: unknown) => (value !== null && typeof value === 'object' ? contents.get(value) : undefined);

/** A label may hold a name of others, such as that of a gate: it stays on its line. */
export const quoteText = (label: string, text: string, seed: string): string =>
  quotedData(terminalLine(label, 120), text.replaceAll('\0', '\\u0000'), seed);
