/** Errors that new code catches and forgets. */
import { isCode } from '../code/languages.ts';
import { AFTER, type FileFacts } from './file-facts.ts';
import { type Hit, quoted, type Rule } from './rule.ts';

const SWALLOWS: Readonly<Record<string, RegExp>> = {
  script:
    /\bcatch\s{0,3}(?:\([^)\n]{0,80}\)\s{0,3})?\{\s{0,200}\}|\.catch\(\s{0,9}(?:\(?\s{0,3}\w{0,30}\s{0,3}\)?\s{0,3}=>\s{0,3}(?:\{\s{0,80}\}|undefined|null|void 0|false)|function\s{0,3}\w{0,30}\([^)\n]{0,40}\)\s{0,3}\{\s{0,80}\}|noop)\s{0,9}\)/g,
  python:
    /\bexcept\b[^:\n]{0,120}:\s{0,80}(?:\n\s{0,80})?(?:pass|\.\.\.|continue|return(?: None)?)[ \t]{0,9}(?=\n|$|;)|\bsuppress\((?:Base)?Exception\)/g,
  go: /^[ \t]{0,40}_\s{0,3}=\s{0,3}err\b|\bif err != nil \{\s{0,80}\}|^[ \t]{0,40}(?:\w{1,40},\s{0,3})?_\s{0,3}(?:=|:=)\s{0,3}\w[\w.]{0,60}\.(?:Close|Write\w*|Flush|Sync|Commit|Exec|Remove\w*)\(/gm,
  rust: /\blet _\s{0,3}=\s{0,3}[^;\n]{1,160}\)\s{0,3};|\bErr\(_\)\s{0,3}=>\s{0,3}(?:\{\s{0,40}\}|\(\))|\.ok\(\)\s{0,3};/g,
  java: /\bcatch\s{0,3}\([^)\n]{0,120}\)\s{0,3}\{\s{0,200}\}/g,
};

export const swallowed: Rule = ({ files }) =>
  files.flatMap((file) => {
    const name = file.language === 'javascript' || file.language === 'typescript' ? 'script' : file.language;
    const pattern = SWALLOWS[name];
    if (pattern === undefined || file.isTest || !isCode(file.path) || file.file.after === null) return [];
    return found(file, pattern);
  });

function found(file: FileFacts, pattern: RegExp): Hit[] {
  const added = new Set(file.added.map(({ line }) => line));
  if (added.size === 0) return [];
  const lines = file.text(AFTER)?.split('\n') ?? [];
  const hits: Hit[] = [];
  let [line, at] = [1, 0];
  const code = file.code(AFTER);
  for (const { index, 0: text } of code.matchAll(pattern)) {
    for (let next = code.indexOf('\n', at); next >= 0 && next < index; next = code.indexOf('\n', at)) {
      line += 1;
      at = next + 1;
    }
    const first = /^\n/.test(text) ? line + 1 : line;
    const last = first + (text.match(/\n/g)?.length ?? 0);
    if (![...Array(last - first + 1).keys()].some((i) => added.has(first + i))) continue;
    const message = `An error is caught and forgotten (${quoted(lines[first - 1] ?? '')}): handle it, or pass it on`;
    hits.push({ rule: 'error-swallowed', severity: 'medium', path: file.path, line: first, message, blocks: false });
  }
  return hits;
}
