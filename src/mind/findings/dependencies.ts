/** Packages, replacements and registries that a change brings in and the task does not name. */
import { AFTER, BEFORE, type FileFacts } from './file-facts.ts';
import { grantedByWords } from './granted-by-words.ts';
import { type Asked, askedIn, readerOf } from './manifests.ts';
import { type Hit, quoted, type Rule, type RuleContext } from './rule.ts';

/** Data of tests is installed by nobody. */
const SAMPLE = /(?:^|\/)(?:fixtures?|__fixtures__|testdata|examples?|samples?|templates?|docs?|website)\//;

export const dependencies: Rule = (context) =>
  context.files
    .filter(({ path, file }) => file.after !== null && readerOf(path) !== null && !SAMPLE.test(path))
    .flatMap((file) => unnamed(file, context));

function unnamed(file: FileFacts, { files, task, isGranted }: RuleContext): Hit[] {
  const before = askedIn(file.path, file.text(BEFORE) ?? '');
  const had = new Set(before.map(keyOf));
  const known = new Set(before.map(({ name }) => name));
  const fresh = askedIn(file.path, file.text(AFTER) ?? '').filter((one) => !had.has(keyOf(one)));
  if (fresh.length === 0) return [];
  // What another manifest of the change gives up, or has already, has only moved.
  const elsewhere = new Set(
    files
      .flatMap((other) =>
        other === file || readerOf(other.path) === null ? [] : askedIn(other.path, other.text(BEFORE) ?? ''),
      )
      .map(keyOf),
  );
  const own = new Set(workspaceNames(files));
  const names = fresh.map(({ name }) => name);
  const named = new Set(grantedByWords(task, { paths: [], dependencies: names }).dependencies);
  return [...new Map(fresh.map((one) => [keyOf(one), one])).values()].flatMap((one): Hit[] => {
    if (elsewhere.has(keyOf(one)) || own.has(one.name)) return [];
    const isNamed = named.has(one.name) && (one.source === '' || one.kind === 'dependency');
    if (isNamed && (one.source === '' || task.includes(one.source))) return [];
    const blocks = !isGranted(file.path);
    const rule =
      one.kind === 'registry' ? 'registry-added' : one.kind === 'replace' ? 'dependency-replaced' : 'dependency-added';
    return [
      {
        rule,
        severity: blocks ? 'high' : 'medium',
        path: file.path,
        line: one.line,
        message: messageOf(one, known.has(one.name)),
        blocks,
      },
    ];
  });
}

/** A version may change: that is the lock file's business. Another source may not. */
const keyOf = ({ kind, name, source }: Asked): string => `${kind} ${name} ${source}`;

function messageOf({ kind, name, source }: Asked, wasThere: boolean): string {
  if (kind === 'registry')
    return `Packages come from ${quoted(name)} now, which the task does not ask for: take the registry out`;
  const from = source === '' ? '' : ` from ${quoted(source)}`;
  if (kind === 'replace')
    return `Package ${quoted(name)} is replaced${from}, which the task does not ask for: take the replacement out`;
  return wasThere
    ? `Package ${quoted(name)} comes${from === '' ? ' from somewhere else' : from} now, which the task does not ask for: restore its source`
    : `Package ${quoted(name)}${from} is new, and the task does not name it: do without it, or have the task name it`;
}

function workspaceNames(files: readonly FileFacts[]): string[] {
  return files.flatMap((file) => {
    const name = /^\s{0,20}"?name"?\s{0,5}[:=]\s{0,5}"([^"]{1,214})"/m.exec(file.text(AFTER) ?? '')?.[1];
    return readerOf(file.path) !== null && name !== undefined ? [name] : [];
  });
}
