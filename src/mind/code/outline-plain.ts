/** Outlines of files that are not code: headings of Markdown, top-level keys of YAML, JSON and TOML. */

import type { Outlined } from './declared.ts';
import { endingOf } from './languages.ts';

const MAX_LINES = 500;

export function plainOutline(path: string, text: string): readonly Outlined[] {
  switch (endingOf(path)) {
    case 'md':
    case 'mdx':
    case 'markdown':
      return lines(text, 'heading', /^(#{1,6})[ \t]+(\S.{0,200})/);
    case 'yaml':
    case 'yml':
      return lines(text, 'key', /^()(["']?[\w./$-]{1,100}["']?)[ \t]*:(?=\s|$)/);
    case 'toml':
      return lines(text, 'key', /^()(\[{1,2}[^\]\n]{1,100}\]{1,2})/);
    case 'json':
    case 'jsonc':
      return topKeys(text);
    default:
      return [];
  }
}

/** Formatted JSON: keys of the outermost object are indented like the first one. */
function topKeys(text: string): Outlined[] {
  const indent = /^\s{0,9}\{\s*?\n([ \t]{1,8})"/.exec(text.slice(0, 400))?.[1];
  if (indent === undefined) return [];
  return lines(
    text,
    'key',
    indent === '\t' ? /^()\t"([^"\\]{1,100})"[ \t]*:/ : new RegExp(`^() {${indent.length}}"([^"\\\\]{1,100})"[ \\t]*:`),
  );
}

function lines(text: string, kind: 'heading' | 'key', pattern: RegExp): Outlined[] {
  const found: Outlined[] = [];
  let fence: string | null = null;
  for (let at = 0, line = 1; at < text.length && found.length < MAX_LINES; line += 1) {
    const next = text.indexOf('\n', at);
    const end = next < 0 ? text.length : next;
    const row = text.slice(at, Math.min(end, at + 400)).trimEnd();
    const mark = kind === 'heading' ? /^ {0,3}(`{3}|~{3})/.exec(row)?.[1] : undefined;
    if (mark !== undefined) fence = fence === null ? mark : fence === mark ? null : fence;
    const match = fence === null ? pattern.exec(row) : null;
    if (match !== null) {
      const [, hashes = '', name = ''] = match;
      const depth = Math.max(0, hashes.length - 1);
      found.push({
        name,
        kind,
        line,
        exported: true,
        signature: kind === 'heading' ? `${hashes} ${name}` : name,
        depth,
      });
    }
    at = end + 1;
  }
  return found;
}
