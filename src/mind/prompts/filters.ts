/**
 * What filters may do with foreign text. A filter that changes text works inside its quotes, and is refused if the
 * quotes are there already, since it could cut off their end. A filter that returns a part or the size of something
 * never accepts such text.
 */
import { bullets } from '../../kernel/bullets.ts';
import { ForeignText, printedSeal, Quoted, quoteText, sealed, unsealed } from './foreign-text.ts';
import { formatDiff, truncateLines } from './text-filters.ts';

type FilterContext = { readonly globals: object; readonly memoryLimit: { use(count: number): void } };
export type Filter = (this: { readonly context: FilterContext }, value: unknown, ...rest: unknown[]) => unknown;
type SeedOf = (context: FilterContext) => string;

export const OWN_FILTERS = ['bullets', 'format_diff', 'join', 'quote', 'truncate_lines'] as const;

export function ownFilters(seedOf: SeedOf): Readonly<Record<(typeof OWN_FILTERS)[number], Filter>> {
  const shaping = (name: string, shape: (text: string, argument: unknown) => string): Filter =>
    shaped(
      name,
      function (value, argument) {
        const text = plainText(value, name);
        this.context.memoryLimit.use(text.length);
        return shape(text, argument);
      },
      seedOf,
    );
  return {
    truncate_lines: shaping('truncate_lines', (text, max) => truncateLines(text, wholeNumber(max, 'truncate_lines'))),
    format_diff: shaping('format_diff', formatDiff),
    bullets(value) {
      const items = listOf(value, 'bullets');
      const others = items.map((item) => notQuoted(item, 'bullets'));
      const text = bullets(items.map((item, index) => others[index]?.text ?? plainText(item, 'bullets')));
      this.context.memoryLimit.use(text.length);
      const other = others.find((item) => item !== null);
      return other == null ? text : sealed(new ForeignText(other.label, text), seedOf(this.context));
    },
    join(value, between = ' ') {
      const items = listOf(value, 'join');
      const seed = seedOf(this.context);
      const text = items.map((item) => printedSeal(item) ?? plainText(item, 'join')).join(plainText(between, 'join'));
      this.context.memoryLimit.use(text.length);
      return items.every((item) => unsealed(item) === null) ? text : sealed(new Quoted(text), seed);
    },
    quote(value, label) {
      const other = unsealed(value);
      const text = other?.text ?? plainText(value, 'quote');
      this.context.memoryLimit.use(text.length);
      if (label !== undefined && typeof label !== 'string') throw new Error("quote takes a label: quote: 'task'");
      const seed = seedOf(this.context);
      const name = label ?? (other instanceof ForeignText ? other.label : 'data');
      return sealed(new Quoted(quoteText(name, text, seed)), seed);
    },
  };
}

/** One of Liquid's own filters, with the same rules. */
export function heldFilter(name: string, plain: Filter, seedOf: SeedOf): Filter {
  // It returns one of two values unchanged.
  if (name === 'default') return plain;
  if (SHAPING.includes(name)) return shaped(name, plain, seedOf);
  return function (value, ...rest) {
    if (unsealed(value) !== null) throw new Error(`${name} takes a list, and this is foreign text`);
    return plain.call(this, value, ...rest);
  };
}

const SHAPING: readonly string[] = ['capitalize', 'downcase', 'strip', 'upcase'];

function shaped(name: string, plain: Filter, seedOf: SeedOf): Filter {
  return function (value, ...rest) {
    if (rest.some((argument) => unsealed(argument) !== null))
      throw new Error(`${name} takes no foreign text as an argument`);
    const known = unsealed(value);
    // Blanks around quotes do not belong to them.
    if (known instanceof Quoted && name === 'strip' && rest.length === 0)
      return sealed(new Quoted(known.text.trim()), seedOf(this.context));
    const other = notQuoted(value, name);
    if (other === null) return plain.call(this, value, ...rest);
    return sealed(new ForeignText(other.label, String(plain.call(this, other.text, ...rest))), seedOf(this.context));
  };
}

function notQuoted(value: unknown, filter: string): ForeignText | null {
  const known = unsealed(value);
  if (known instanceof Quoted)
    throw new Error(
      `${filter} could cut off the end of a quote: put it before quote and join, and print what was packed, captured or quoted as it is`,
    );
  return known;
}

function listOf(value: unknown, filter: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${filter} takes a list`);
  return value;
}

function plainText(value: unknown, filter: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Error(`${filter} takes text, and this is none`);
}

function wholeNumber(value: unknown, filter: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw new Error(`${filter} takes a number of lines: ${filter}: 40`);
}
