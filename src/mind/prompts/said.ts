/**
 * Text of others on its way into a template. It can be quoted, cut and listed there, but not taken out of its quotes: put
 * in as it is, it quotes itself. So no template, not even a project's own, can let it pass for an instruction by oversight.
 */
import { terminalLine } from '../../kernel/terminal-text.ts';
import { quotedData } from './quoted-data.ts';

export class Said {
  readonly label: string;
  readonly text: string;

  constructor(label: string, text: string) {
    this.label = label;
    this.text = text;
  }
}

export const said = (label: string, text: string): Said => new Said(label, text);

const texts = new WeakMap<object, Said>();

/** What a template sees of it: no property but the one that quotes it. The text itself is kept where no template gets. */
export function sealed(one: Said, seed: string): object {
  const seal = Object.create(null, { toString: { value: () => quoteText(one.label, one.text, seed) } });
  texts.set(seal, one);
  return seal;
}

export const unsealed = (value: unknown): Said | null =>
  value !== null && typeof value === 'object' ? (texts.get(value) ?? null) : null;

/** A label may hold a name of others, such as that of a gate: it stays on its line. */
export const quoteText = (label: string, text: string, seed: string): string =>
  quotedData(terminalLine(label, 120), text.replaceAll('\0', '\\u0000'), seed);
