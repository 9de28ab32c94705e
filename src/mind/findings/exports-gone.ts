/** Exported names and signatures that are gone, though the task speaks of no removal. */

import { signatureOf } from '../code/declared.ts';
import { declaredIn } from '../code/outline.ts';
import { scriptOf } from '../code/script-blocks.ts';
import { AFTER, BEFORE, type FileFacts, type Side } from './file-facts.ts';
import { type Hit, quoted, type Rule } from './rule.ts';
import { REMOVAL, REVERT, REWORK } from './task-words.ts';

/** No part of what a package offers. */
const INNER =
  /(?:^|\/)(?:scripts?|tools?|bench(?:es|marks?)?|examples?|docs?|website|internal|private|build)\/|\.config\.\w+$/;
const MAX_NAMED = 3;
const ASKED =
  /\b(?:signature|breaking|api|interface|parameters?|arguments?|return types?|async|optional|generic|types?|export\w*|private|internal|hidden|unexport\w*)\b/i;

export const exportsGone: Rule = ({ files, words }) => {
  if ([REMOVAL, REWORK, REVERT].some((pattern) => words.asks(pattern))) return [];
  const signaturesAsked = words.asks(ASKED);
  const looked = files.filter((file) => file.language !== 'other' && !file.isTest && !INNER.test(file.path));
  const arrived = new Set(looked.flatMap((file) => [...exported(file, AFTER).keys()]));
  return looked.flatMap((file): Hit[] => {
    if (file.file.before === null || file.removed.length === 0) return [];
    const [before, after] = [exported(file, BEFORE), exported(file, AFTER)];
    const gone = [...before.keys()].filter((name) => !after.has(name) && !arrived.has(name));
    const changed = signaturesAsked
      ? []
      : [...after].filter(([name, { signature }]) => narrower(before.get(name)?.signature, signature));
    const hits: Hit[] = [];
    if (gone.length > 0) {
      const message = `Exported ${gone
        .slice(0, MAX_NAMED)
        .map((name) => quoted(name))
        .join(
          ', ',
        )}${gone.length > MAX_NAMED ? ` and ${gone.length - MAX_NAMED} more` : ''} gone, and the task speaks of no removal: others may use it`;
      hits.push({ rule: 'export-removed', severity: 'medium', path: file.path, line: null, message, blocks: false });
    }
    for (const [name, { line }] of changed.slice(0, MAX_NAMED)) {
      const message = `The signature of exported ${quoted(name)} takes or gives less than before: callers may break`;
      hits.push({ rule: 'signature-changed', severity: 'medium', path: file.path, line, message, blocks: false });
    }
    return hits;
  });
};

function exported(file: FileFacts, side: Side): Map<string, { readonly line: number; readonly signature: string }> {
  const text = scriptOf(file.path, file.text(side) ?? '');
  const found = new Map<string, { line: number; signature: string }>();
  let around = '';
  for (const one of declaredIn(file.language, text, file.code(side))) {
    if (one.depth === 0) around = one.name;
    if (!one.exported || one.kind === 'impl') continue;
    const name = one.depth === 0 ? one.name : `${around}.${one.name}`;
    const isCall = one.kind === 'function' || one.kind === 'method';
    if (!found.has(name))
      found.set(name, { line: one.line, signature: isCall ? signatureOf(file.language, text, one) : '' });
  }
  return found;
}

/** Whether callers of the old signature may break: a parameter gone, renamed or new without a default. */
function narrower(before: string | undefined, after: string): boolean {
  if (before === undefined || before === '' || before === after) return false;
  const [old, now] = [parameters(before), parameters(after)];
  if (old === null || now === null) return false;
  if (old.some((one, i) => now[i]?.name !== one.name)) return true;
  return now.slice(old.length).some(({ optional }) => !optional);
}

function parameters(signature: string): { readonly name: string; readonly optional: boolean }[] | null {
  const open = signature.indexOf('(', signature.startsWith('func (') ? signature.indexOf(')') : 0);
  if (open < 0) return null;
  const parts: string[] = [''];
  let depth = 0;
  for (const letter of signature.slice(open + 1)) {
    if ('([{<'.includes(letter)) depth += 1;
    if (')]}>'.includes(letter)) depth -= 1;
    if (depth < 0) break;
    if (letter === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '' && !/^(?:&?(?:mut )?self|\*|\/)$/.test(part))
    .map((part) => ({ name: /[\w$]+/.exec(part)?.[0] ?? part, optional: /[=?]|^\.\.\.|^\*|\.\.\./.test(part) }));
}
