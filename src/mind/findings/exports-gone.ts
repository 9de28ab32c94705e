/** Finds exported names and signatures that disappear although the task asks for no removal. */

import { signatureOf } from '../code/declared.ts';
import { declaredIn } from '../code/outline.ts';
import { scriptOf } from '../code/script-blocks.ts';
import { AFTER, BEFORE, type DiffSide, type FileFacts } from './file-facts.ts';
import { type FindingRule, type Hit, quoted } from './rule.ts';
import { REMOVAL, REVERT, REWORK } from './task-words.ts';

/** Paths that are no part of a package's public interface. */
const INNER =
  /(?:^|\/)(?:scripts?|tools?|bench(?:es|marks?)?|examples?|docs?|website|internal|private|build)\/|\.config\.\w+$/;
const MAX_NAMED = 3;
const ASKED =
  /\b(?:signature|breaking|api|interface|parameters?|arguments?|return types?|async|optional|generics?|types?|export\w*|private|internal|hidden|unexport\w*|major|upgrade path|version \d+\.\d+|v\d+\.\d+)\b/i;

/** Matches tasks about names that others may no longer use; not "make the type stricter". */
const WITHDRAWN =
  /\b(?:breaking|api|interface|export\w*|private|internal|hid(?:e|es|den|ing)|unexport\w*|major|upgrade path|version \d+\.\d+|v\d+\.\d+)\b/i;

/** Files that re-export what a package offers: a name removed there cannot be reached from outside. */
const ENTRY = /(?:^|\/)index\.[cm]?[jt]sx?$|(?:^|\/)__init__\.py$|(?:^|\/)src\/lib\.rs$/;

const STAR = /^export\s+\*\s+from\b|^from\s+\.[\w.]{0,100}\s+import\s+\*|^pub\s+use\s+[\w:]{1,200}::\*/m;

export const exportsGone: FindingRule = ({ files, words, task, offered: whole }) => {
  if (words.asks(REMOVAL) || words.asks(REVERT)) return [];
  const isReworked = words.asks(REWORK);
  const isAsked = words.asks(ASKED);
  const isWithdrawn = words.asks(WITHDRAWN);
  const looked = files.filter((file) => file.language !== 'other' && !file.isTest && !INNER.test(file.path));
  if (looked.every(({ removed }) => removed.length === 0)) return [];
  const known = new Map<string, ReturnType<typeof readExports>>();
  const exported = (file: FileFacts, side: DiffSide) => {
    const key = `${side}${file.path}`;
    const read = known.get(key) ?? readExports(file, side);
    known.set(key, read);
    return read;
  };
  const arrived = new Set(looked.flatMap((file) => [...exported(file, AFTER).keys(), ...offered(file, AFTER)]));
  const entries = looked.filter((file) => ENTRY.test(file.path));
  const named = new Set(entries.flatMap((file) => [...exported(file, AFTER).keys(), ...offered(file, AFTER)]));
  return looked.flatMap((file): Hit[] => {
    if (file.file.before === null || file.removed.length === 0) return [];
    const isSame = offered(file, AFTER).every((name) => offered(file, BEFORE).includes(name));
    // "Split" may describe the code: an entry that only loses names was not reworked.
    if (isReworked && !isSame) return [];
    const [before, after] = isReworked ? [NONE, NONE] : [exported(file, BEFORE), exported(file, AFTER)];
    const gone = [...before.keys()].filter((name) => !after.has(name) && !arrived.has(name));
    // An export from another file is not visible outside, unless the entry re-exports all of that file.
    const passed = STAR.test(file.file.after ?? '') ? arrived : named;
    const shut = offered(file, BEFORE).filter((name) => !passed.has(name) && !gone.includes(name));
    const changed = isAsked
      ? []
      : isReworked
        ? reordered(exported(file, BEFORE), exported(file, AFTER))
        : [...after].filter(([name, { signature }]) => narrower(before.get(name)?.signature, signature));
    // A name that the task mentions, or that another one replaced, is not gone by accident.
    const said = new Set(task.match(/[\w$]+/g));
    const isLost = (name: string) => !isAsked && !said.has(name.split('.').at(-1) ?? name);
    // An entry named it, and its source now keeps it private: a mention in the task does not permit that, unless
    // another name that the task mentions replaced it ("Call Emitter EventEmitter from now on").
    const isRenamed = offered(file, AFTER).some((name) => said.has(name) && !offered(file, BEFORE).includes(name));
    const isNowhere = (name: string) =>
      !isReworked &&
      !isRenamed &&
      !isWithdrawn &&
      !arrived.has(name) &&
      looked.some((one) => exported(one, BEFORE).has(name));
    const isApi = isGoApi(file, whole);
    const lost = [...shut, ...gone.filter((name) => isApi || isMember(name, after, whole))].filter(
      (name) => isLost(name) || (shut.includes(name) && isNowhere(name)),
    );
    const rest = [...gone, ...shut].filter((name) => !lost.includes(name));
    return [
      ...(lost.length > 0 ? [goneHit(file, lost, true)] : []),
      ...(rest.length > 0 ? [goneHit(file, rest, false)] : []),
      ...changed.slice(0, MAX_NAMED).map(([name, { line }]): Hit => {
        const message = `The signature of exported ${quoted(name)} accepts or returns less than before: callers may break`;
        const [owner = ''] = name.split('.');
        const blocks = (isApi || whole.has(owner)) && isLost(name) && !said.has(owner);
        const severity = blocks ? 'high' : 'medium';
        return { rule: 'signature-changed', severity, path: file.path, line, message, blocks };
      }),
    ];
  });
};

const NONE: ReturnType<typeof readExports> = new Map();

function goneHit({ path }: FileFacts, names: readonly string[], blocks: boolean): Hit {
  const shown = names.slice(0, MAX_NAMED).map((name) => quoted(name));
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  const message = `Exported ${shown.join(', ')}${more} gone, and the task does not ask for it: ${blocks ? 'restore it' : 'others may use it'}`;
  return { rule: 'export-removed', severity: blocks ? 'high' : 'medium', path, line: null, message, blocks };
}

/** Whether it belongs to a class or type that still exists and that the package offers. */
const isMember = (name: string, after: ReadonlyMap<string, unknown>, whole: ReadonlySet<string>): boolean => {
  const [owner = '', member] = name.split('.');
  return member !== undefined && !member.startsWith('_') && after.has(owner) && whole.has(owner);
};

/**
 * Directories of Go packages that others may import, each with a slash at its end (the top: `/`). A module that keeps some
 * packages `internal` means the others for everybody; of one that does not, only the top is known to be.
 */
export function goPackages(paths: readonly string[]): string[] {
  const sources = paths.filter((path) => path.endsWith('.go') && !path.endsWith('_test.go') && !NO_API.test(path));
  const all = [...new Set(sources.map(directoryOf))];
  return paths.some((path) => /(?:^|\/)internal\/.+\.go$/.test(path))
    ? all
    : all.filter((directory) => directory === '/');
}

const NO_API = /(?:^|\/)(?:internal|cmd|vendor|testdata|examples?|_\w+)\//;
const directoryOf = (path: string): string => `${path.slice(0, Math.max(0, path.lastIndexOf('/')))}/`;

/** A program offers nothing to others. */
const isGoApi = ({ path, language, isTest, file }: FileFacts, whole: ReadonlySet<string>): boolean =>
  language === 'go' && !isTest && whole.has(directoryOf(path)) && !/^package main\b/m.test(file.before ?? '');

/** Whether a path may be an entry of a package, near the top of the tree. */
export const isEntry = (path: string): boolean => ENTRY.test(path) && path.split('/').length <= 4 && !INNER.test(path);

/** Names that an entry of a package re-exports from its other files. */
function offered({ path, file }: FileFacts, side: DiffSide): string[] {
  return offeredIn(path, side === BEFORE ? file.before : file.after);
}

/** The same for one text; null if there is none. */
export function offeredIn(path: string, text: string | null): string[] {
  if (text === null || !ENTRY.test(path)) return [];
  if (path.endsWith('.py')) return offeredByPython(text);
  if (path.endsWith('.rs'))
    return [...text.matchAll(/^pub\s+use\s+[\w:]{1,200}?(?:::\{([^{}]{0,4000})\}|::(\w+(?:\s+as\s+\w+)?));/gm)].flatMap(
      ([, many, one]) => namesIn(many ?? one ?? ''),
    );
  return [...text.matchAll(/^export\s+(?:type\s+)?\{([^}]{0,4000})\}\s*from\b/gm)].flatMap(([, list = '']) =>
    namesIn(list.replace(/\btype\s+/g, '')),
  );
}

function offeredByPython(text: string): string[] {
  const all = /^__all__\s*=\s*[[(]([^\])]{0,8000})[\])]/m.exec(text)?.[1];
  if (all !== undefined) return [...all.matchAll(/["'](\w{1,80})["']/g)].map(([, name = '']) => name);
  return [...text.matchAll(/^from\s+\.[\w.]{0,100}\s+import\s+(?:\(([^)]{0,4000})\)|([^(\n]{1,1000}))/gm)].flatMap(
    ([, many, one]) => namesIn((many ?? one ?? '').replace(/#[^\n]*/g, '')),
  );
}

const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map((one) => /(?:\bas\s+)?([\w$]{1,80})\s*$/.exec(one.trim())?.[1] ?? '')
    .filter((name) => name !== '' && !name.startsWith('_'));

function readExports(
  file: FileFacts,
  side: DiffSide,
): Map<string, { readonly line: number; readonly signature: string }> {
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
  for (const { name, line } of attributesIn(file.language, file.codeLines(side)))
    if (!found.has(name)) found.set(name, { line, signature: '' });
  if (file.language === 'typescript')
    for (const { name, line } of typeMembers(file.codeLines(side)))
      if (!found.has(name)) found.set(name, { line, signature: '' });
  return found;
}

/** What objects of exported classes offer besides methods. */
function attributesIn(
  language: FileFacts['language'],
  code: readonly string[],
): { readonly name: string; readonly line: number }[] {
  const isPython = language === 'python';
  if (!isPython && language !== 'javascript' && language !== 'typescript') return [];
  const opens = isPython ? /^class ([A-Za-z]\w{0,80})/ : /^export (?:default )?(?:abstract )?class ([\w$]{1,80})/;
  const sets = isPython
    ? /^\s{1,40}self\.([a-z]\w{0,80})\s{0,3}(?::[^=\n]{1,80})?=(?!=)/
    : /^\s{1,40}this\.([a-zA-Z]\w{0,80})\s{0,3}=(?!=)/;
  const found: { name: string; line: number }[] = [];
  let owner: string | null = null;
  for (const [i, line] of code.entries()) {
    const text = line.slice(0, 300);
    if (/^\S/.test(text) && !/^[)}\]@]/.test(text)) owner = opens.exec(text)?.[1] ?? null;
    const name = owner === null ? undefined : sets.exec(text)?.[1];
    if (name !== undefined) found.push({ name: `${owner}.${name}`, line: i + 1 });
  }
  return found;
}

/** Members of exported object types; they are parts of a signature like parameters. */
function typeMembers(lines: readonly string[]): { readonly name: string; readonly line: number }[] {
  const members: { name: string; line: number }[] = [];
  let owner: string | null = null;
  for (const [i, line] of lines.entries()) {
    const opened =
      /^export\s+(?:type\s+([\w$]{1,80})[^={\n]{0,200}=\s*\{\s*$|interface\s+([\w$]{1,80})[^{\n]{0,200}\{\s*$)/.exec(
        line,
      );
    if (opened !== null) owner = opened[1] ?? opened[2] ?? null;
    else if (/^\}/.test(line)) owner = null;
    const member =
      owner === null ? undefined : /^(?:\t|\s{2,4})(?:readonly\s+)?([\w$]{1,80})\??\s*[:(<]/.exec(line)?.[1];
    if (member !== undefined) members.push({ name: `${owner}.${member}`, line: i + 1 });
  }
  return members;
}

/** Whether callers of the old signature may break: a parameter is gone, renamed, or new without a default. */
function narrower(before: string | undefined, after: string): boolean {
  if (before === undefined || before === '' || before === after) return false;
  const [old, now] = [parameters(before), parameters(after)];
  if (old === null || now === null) return false;
  if (old.some((one, i) => now[i]?.name !== one.name)) return true;
  return now.slice(old.length).some(({ optional }) => !optional);
}

/** In any rework: the same parameters in another order mix up callers' values. */
function reordered(before: ReturnType<typeof readExports>, after: ReturnType<typeof readExports>) {
  return [...after].filter(([name, { signature }]) => {
    const [old, now] = [before.get(name)?.signature ?? '', signature].map(
      (one) => parameters(one)?.map((each) => each.name) ?? [],
    ) as [string[], string[]];
    return old.length > 1 && old.join() !== now.join() && [...old].sort().join() === [...now].sort().join();
  });
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
