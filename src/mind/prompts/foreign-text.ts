/**
 * Foreign text on its way into a template. A template can cut, list and print it, but not take it out of its quotes:
 * inserted as it is, it quotes itself; text that contains quotes is printed whole or not at all. So no template, not
 * even a project's own, can accidentally pass it off as an instruction.
 */
import { terminalLine } from '../../kernel/terminal-text.ts';
import { quotedData } from './quoted-data.ts';

/** Not quoted yet: filters change the text that will stand between the quotes. */
export class ForeignText {
  readonly label: string;
  readonly text: string;

  constructor(label: string, text: string) {
    this.label = label;
    this.text = text;
  }
}

/** Contains quotes: with one character less, what follows might be taken for a part of them, or the other way round. */
export class Quoted {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export const said = (label: string, text: string): ForeignText => new ForeignText(label, text);

const contents = new WeakMap<object, { readonly one: ForeignText | Quoted; readonly print: () => string }>();

/** Opaque to templates: the text is kept out of their reach, and only printing uses it. */
export function sealed(one: ForeignText | Quoted, seed: string): object {
  const seal = Object.freeze(Object.create(null) as object);
  let printed: string | null = null;
  // A loop may print it often, and a mark needs a hash over the whole text.
  const print = () => {
    printed ??= one instanceof Quoted ? one.text : quoteText(one.label, one.text, seed);
    return printed;
  };
  contents.set(seal, { one, print });
  return seal;
}

export const unsealed = (value: unknown): ForeignText | Quoted | null => contentOf(value)?.one ?? null;

/** The quoted text; null if the value is not foreign text. */
export const printedSeal = (value: unknown): string | null => contentOf(value)?.print() ?? null;

const contentOf = (value: unknown) => (value !== null && typeof value === 'object' ? contents.get(value) : undefined);

/** A label may contain a foreign name, such as a gate's: it stays on its line. */
export const quoteText = (label: string, text: string, seed: string): string =>
  quotedData(terminalLine(label, 120), text.replaceAll('\0', '\\u0000'), seed);
