/** Breaks text at words, for narrow terminals. */
import { textWidth } from './text-width.ts';

/**
 * Continuation lines start with `indent` blanks. Blanks inside a line stay, and with them columns. A word longer than a
 * line stays whole: the terminal breaks it.
 */
export function wrapWords(text: string, width: number, indent = 0): string {
  const margin = ' '.repeat(indent < width / 2 ? indent : 0);
  return text
    .split('\n')
    .map((line) => wrapLine(line, width, margin))
    .join('\n');
}

/** Puts the body after `head`, indented below itself. If it does not fit there, it gets lines of its own. */
export function wrapBeside(head: string, body: string, width: number): string {
  const column = textWidth(head) + 1;
  const [first = '', ...others] = body.split('\n');
  const longest = Math.max(...first.split(/\s+/).map(textWidth));
  const fits = column + textWidth(first) <= width || (column < width / 2 && column + longest <= width);
  const margin = fits ? column : OWN_LINES;
  const rows = wrapWords(first, width - margin).split('\n');
  const beside = `${fits ? ' ' : `\n${' '.repeat(margin)}`}${rows.join(`\n${' '.repeat(margin)}`)}`;
  return [beside, ...others.map((line) => wrapWords(line, width))].join('\n');
}

const OWN_LINES = 4;

function wrapLine(line: string, width: number, margin: string): string {
  if (textWidth(line) <= width) return line;
  const rows: string[] = [];
  let row = '';
  // A word with the blanks before it: at the start they are the line's own indentation.
  for (const word of line.match(/\s*\S+/g) ?? []) {
    const longer = `${row}${word}`;
    if (row !== '' && textWidth(longer) > width) {
      rows.push(row);
      row = `${margin}${word.trimStart()}`;
    } else row = longer;
  }
  return [...rows, row].join('\n');
}
