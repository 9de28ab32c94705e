/**
 * Renders packed parts as text of a packet: sections in a fixed order, each part between marks and labelled as data.
 */
import { terminalText } from '../../kernel/terminal-text.ts';
import { PART_KINDS, type PartKind } from '../fields/part-kinds.ts';
import { quotedData } from '../prompts/quoted-data.ts';
import { MAX_NAMES_LEFT } from './limits.ts';
import { type ContextPart, isForRoom, type LeftOut } from './packed.ts';

const HEADINGS: Readonly<Record<PartKind, string>> = {
  always_include: 'Files that this role always sees',
  target_file: 'Files the task is about',
  git_diff: 'What the task changed so far',
  changed_files: 'Changed files as they are now',
  interfaces: 'Interfaces',
  imports: 'Connected by imports',
  tests: 'Tests of these files',
  knowledge: 'What the project says about itself',
  paths: 'Likely files, best first',
  related: 'Files that look related',
  files: 'More files for this role',
  map: 'Outlines of more files',
  tree: 'Tree',
};

/** A path on one line; characters that act or are unusual are shown as codes. */
export const shownPath = (path: string): string =>
  terminalText(path).replaceAll(/[\n\t]/g, (c) => (c === '\n' ? '\\n' : '\\t'));

export function wrapPart(part: ContextPart, seed: string): string {
  return quotedData(labelOf(part), part.text.replaceAll('\0', '\\u0000'), seed);
}

function labelOf({ kind, path, lines }: ContextPart): string {
  if (kind === 'tree') return 'tree of the project';
  if (kind === 'map') return 'outlines';
  if (kind === 'paths') return 'likely files';
  const name = path === null ? '' : shownPath(path);
  if (kind === 'git_diff') return `diff ${name}${lines === null ? '' : ' (beginning)'}`;
  if (lines === null) return `file ${name}`;
  return /^\d/.test(lines) ? `file ${name} (lines ${lines})` : `file ${name} (${lines})`;
}

export function renderParts(parts: readonly ContextPart[], left: readonly LeftOut[], seed: string): string {
  const sections: string[] = [];
  for (const kind of PART_KINDS) {
    const ours = parts.filter((part) => part.kind === kind);
    if (ours.length > 0)
      // Below the heading of the context, which the template has.
      sections.push(`### ${HEADINGS[kind]}`, ...ours.map((part) => wrapPart(part, seed)));
  }
  const notice = noticeOf(left, seed);
  if (notice !== null) sections.push(notice);
  return sections.length === 0 ? '' : `${sections.join('\n\n')}\n`;
}

/** File names come from the repository, so they are data too. Files that are secret or unreadable are not named. */
function noticeOf(left: readonly LeftOut[], seed: string): string | null {
  const names = [...new Set(left.filter(({ reason }) => isForRoom(reason)).map(({ path }) => path))];
  if (names.length === 0) return null;
  const told = names.slice(0, MAX_NAMES_LEFT).map(shownPath);
  const more = names.length - told.length;
  return [
    `[…] ${names.length} ${names.length === 1 ? 'file was' : 'files were'} left out of this context. Open what you need:`,
    quotedData('names of files', [...told, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'), seed),
  ].join('\n\n');
}

/** `[…]` between shown lines says how much is missing, so that an excerpt is not taken for the whole. */
export function excerptText(text: string, ranges: readonly { readonly from: number; readonly to: number }[]): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const out: string[] = [];
  let next = 1;
  const gap = (to: number) => {
    const missing = to - next;
    if (missing > 0) out.push(`[…] ${missing} ${missing === 1 ? 'line' : 'lines'} left out`);
  };
  for (const { from, to } of ranges) {
    gap(from);
    out.push(...lines.slice(from - 1, to));
    next = Math.min(to, lines.length) + 1;
  }
  gap(lines.length + 1);
  return out.join('\n');
}

export const linesText = (ranges: readonly { readonly from: number; readonly to: number }[]): string =>
  ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
