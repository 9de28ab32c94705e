/** The doc comment of a declaration: above it, or in Python the text it starts with. */
import type { Declared } from './declared.ts';
import type { Language } from './languages.ts';

const MAX_LINES = 40;
const MAX_BACK = 200;

/** Its lines, moved to the left margin; empty if there is none. */
export function docOf(language: Language, text: string, one: Declared): string {
  return language === 'python' ? docString(text, one.end) : commentAbove(language, text, one.at);
}

function commentAbove(language: Language, text: string, at: number): string {
  const found: string[] = [];
  let end = text.lastIndexOf('\n', at - 1);
  let inBlock = false;
  for (let i = 0; i < MAX_BACK && end > 0; i += 1) {
    const start = text.lastIndexOf('\n', end - 1) + 1;
    const line = text.slice(start, Math.min(end, start + 500)).trim();
    end = start - 1;
    if (inBlock) {
      found.push(line.startsWith('*') ? ` ${line}` : line);
      if (line.startsWith('/*')) {
        return line.startsWith('/**') ? bounded(found.reverse()) : '';
      }
    } else if (line.endsWith('*/') && found.length === 0) {
      if (line.startsWith('/*')) return line.startsWith('/**') ? line : '';
      inBlock = true;
      found.push(line.startsWith('*') ? ` ${line}` : line);
    } else if (isDocLine(language, line)) found.push(line);
    // Attributes and decorators may stand between.
    else if (found.length > 0 || !/^(?:#!?\[|@|\)|\]\)?)/.test(line)) break;
  }
  return inBlock ? '' : bounded(found.reverse());
}

function isDocLine(language: Language, line: string): boolean {
  if (language === 'rust') return line.startsWith('///');
  return language === 'go' && line.startsWith('//') && !/^\/\/(?:go:|nolint|\+build)/.test(line);
}

function docString(text: string, end: number): string {
  // After the colon, and after the result type.
  const head = text.slice(end, end + 400);
  const open = /^[^\n]{0,300}:[ \t]*(?:#[^\n]{0,99})?\r?\n\s{0,99}[rRuU]?("""|''')/.exec(head);
  const mark = open?.[1];
  if (open === null || mark === undefined) return '';
  const from = end + open[0].length;
  const near = text.slice(from, from + 4_000);
  const to = near.indexOf(mark);
  const lines = (to < 0 ? near : near.slice(0, to)).split('\n').map((line) => line.trim());
  while (lines.at(-1) === '') lines.pop();
  return bounded([`${mark}${lines[0] ?? ''}`, ...lines.slice(1)]) + (lines.length > 1 ? `\n${mark}` : mark);
}

const bounded = (lines: readonly string[]): string =>
  (lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), '…'] : lines).join('\n');
