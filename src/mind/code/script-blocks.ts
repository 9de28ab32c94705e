/** The script parts of a Vue, Svelte or Astro file: all else is blanked, lines keep their places. */
import { endingOf } from './languages.ts';

const MIXED: ReadonlySet<string> = new Set(['vue', 'svelte', 'astro']);

export function scriptOf(path: string, text: string): string {
  if (!MIXED.has(endingOf(path))) return text;
  let out = '';
  let at = 0;
  const keep = (from: number, to: number): void => {
    out += text.slice(at, from).replace(/[^\n]+/g, '') + text.slice(from, to);
    at = to;
  };
  const front = /^---\r?\n/.exec(text);
  if (front !== null) {
    const end = text.indexOf('\n---', front[0].length - 1);
    if (end > 0) keep(front[0].length, end + 1);
  }
  for (const open of text.matchAll(/<script\b/g)) {
    if (open.index < at) continue;
    const from = text.indexOf('>', open.index) + 1;
    const to = from === 0 ? -1 : text.indexOf('</script', from);
    if (to < 0) break;
    keep(from, to);
  }
  return out + text.slice(at).replace(/[^\n]+/g, '');
}
