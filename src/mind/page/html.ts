/** HTML that cannot be broken out of: every value of a template is escaped, unless it is HTML made here. */
import { terminalText } from '../../kernel/terminal-text.ts';

/** Text that may appear in a page unchanged. Only `html` makes one. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type HtmlValue = string | number | Html | readonly Html[];

export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.reduce((all, part, n) => all + part + shown(values[n]), ''));
}

function shown(value: HtmlValue | undefined): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return escaped(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Invisible and reordering characters are shown by their number, as on a terminal. */
const escaped = (text: string): string => terminalText(text).replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? one);
