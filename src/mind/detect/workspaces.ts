/** The packages of a monorepo, from the patterns that its manager reads. */

import { type PackageManifest, packageOf } from './package-json.ts';
import { dirName } from './paths.ts';
import { isPlainPath, type RepositoryFacts } from './repository-facts.ts';

export type PackageWorkspace = { readonly dir: string; readonly manifest: PackageManifest };

/** Returns null for a single package. A workspace is a found package that matches a pattern. */
export function workspacesOf(
  { texts }: Pick<RepositoryFacts, 'texts'>,
  top: PackageManifest,
): readonly PackageWorkspace[] | null {
  const patterns = patternsOf(texts.get('pnpm-workspace.yaml')) ?? top.workspaces;
  if (patterns === null) return null;
  const refused = patterns.filter((one) => one.startsWith('!')).map((one) => one.slice(1));
  const wanted = patterns.filter((one) => !one.startsWith('!'));
  return [...texts]
    .flatMap(([path, text]) => {
      const dir = dirName(path);
      if (dir === '' || path !== `${dir}/package.json` || !isPlainPath(dir)) return [];
      if (!wanted.some((one) => covers(one, dir)) || refused.some((one) => covers(one, dir))) return [];
      const manifest = packageOf(text);
      return manifest === null ? [] : [{ dir, manifest }];
    })
    .sort((a, b) => (a.dir < b.dir ? -1 : 1));
}

/** The list below `packages:`; other YAML is not used there. */
function patternsOf(text: string | undefined): string[] | null {
  if (text === undefined) return null;
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^packages:/.test(line));
  if (start === -1) return null;
  const patterns: string[] = [];
  for (const line of lines.slice(start + 1)) {
    const item = /^ *- *["']?([^"'#]+?)["']? *(?:#.*)?$/.exec(line)?.[1];
    if (item !== undefined) patterns.push(item);
    else if (/^\S/.test(line)) break;
  }
  return patterns;
}

/** Part by part: `*` matches within one name, `**` any number of names. */
function covers(pattern: string, dir: string): boolean {
  const parts = pattern
    .slice(0, 500)
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  // Two in a row mean the same as one, and take longer.
  return matches(
    parts.filter((part, n) => part !== '**' || parts[n - 1] !== '**'),
    dir.split('/'),
  );
}

function matches(parts: readonly string[], names: readonly string[]): boolean {
  const [part, ...rest] = parts;
  if (part === undefined) return names.length === 0;
  if (part === '**') return names.some((_, n) => matches(rest, names.slice(n))) || matches(rest, []);
  const [name, ...others] = names;
  return name !== undefined && fits(part, name) && matches(rest, others);
}

/** Without a regular expression of theirs: the pieces between the stars, one after the other. */
function fits(part: string, name: string): boolean {
  const pieces = part.split('*');
  if (pieces.length === 1) return part === name;
  const [first = '', last = ''] = [pieces[0], pieces.at(-1)];
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, at);
    if (found === -1 || found + piece.length > name.length - last.length) return false;
    at = found + piece.length;
  }
  return true;
}
