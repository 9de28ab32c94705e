/** Breaks text at words, for narrow terminals. */
import { textWidth } from './text-width.ts';

/** Continuation lines begin with `indent` blanks; blanks inside a line stay, so columns do. A word longer than a line stays whole: the terminal breaks it. */
export function wrapWords(text: string, width: number, indent = 0): string {
  const margin = ' '.repeat(indent < width / 2 ? indent : 0);
  return text
    .split('\n')
    .map((line) => wrapLine(line, width, margin))
    .join('\n');
}

function wrapLine(line: string, width: number, margin: string): string {
  if (textWidth(line) <= width) return line;
  const rows: string[] = [];
  let row = '';
  // A word with the blanks before it: at the beginning they are the line's own indentation.
  for (const word of line.match(/\s*\S+/g) ?? []) {
    const longer = `${row}${word}`;
    if (row !== '' && textWidth(longer) > width) {
      rows.push(row);
      row = `${margin}${word.trimStart()}`;
    } else row = longer;
  }
  return [...rows, row].join('\n');
}
