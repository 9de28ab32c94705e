/** Our own filters. Each takes text of ours or of others, and gives the same kind back; `quote` alone makes text of ours. */
import { quoteText, Said, sealed, unsealed } from './said.ts';
import { bullets, formatDiff, truncateLines } from './text-filters.ts';

type FilterContext = { readonly globals: object; readonly memoryLimit: { use(count: number): void } };
type Filter = (this: { readonly context: FilterContext }, value: unknown, argument?: unknown) => unknown;

export const OWN_FILTERS = ['bullets', 'format_diff', 'quote', 'truncate_lines'] as const;

export function ownFilters(
  seedOf: (context: FilterContext) => string,
): Readonly<Record<(typeof OWN_FILTERS)[number], Filter>> {
  /** In the kind of quotes that it came in. */
  const shaped = (name: string, shape: (text: string, argument: unknown) => string): Filter =>
    function (value, argument) {
      const other = unsealed(value);
      const text = other?.text ?? plainText(value, name);
      this.context.memoryLimit.use(text.length);
      const result = shape(text, argument);
      return other === null ? result : sealed(new Said(other.label, result), seedOf(this.context));
    };
  return {
    truncate_lines: shaped('truncate_lines', (text, max) => truncateLines(text, wholeNumber(max, 'truncate_lines'))),
    format_diff: shaped('format_diff', formatDiff),
    bullets(value) {
      if (!Array.isArray(value)) throw new Error('bullets takes a list');
      const items: unknown[] = value;
      const text = bullets(items.map((item) => unsealed(item)?.text ?? plainText(item, 'bullets')));
      this.context.memoryLimit.use(text.length);
      const other = items.map(unsealed).find((item) => item !== null);
      return other == null ? text : sealed(new Said(other.label, text), seedOf(this.context));
    },
    quote(value, label) {
      const other = unsealed(value);
      const text = other?.text ?? plainText(value, 'quote');
      this.context.memoryLimit.use(text.length);
      if (label !== undefined && typeof label !== 'string') throw new Error("quote takes a label: quote: 'task'");
      return quoteText(label ?? other?.label ?? 'data', text, seedOf(this.context));
    },
  };
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
