/**
 * What changed in a package.json: dependencies and descriptions are a task's business (the lock file has a rule of its own),
 * everything that can decide what a gate runs is not.
 */
import type { Json } from '../../kernel/json.ts';
import { readStrictJson } from '../answers/strict-json.ts';

/** Free to change. A list of the harmless: tools invent sections faster than a list of the others could follow. */
const FREE = new Set([
  ...['name', 'version', 'description', 'keywords', 'homepage', 'bugs', 'license', 'licenses', 'author', 'private'],
  ...['contributors', 'maintainers', 'funding', 'repository', 'files', 'man', 'bin', 'directories', 'displayName'],
  ...['main', 'module', 'browser', 'exports', 'types', 'typings', 'typesVersions', 'sideEffects', 'icon', 'categories'],
  ...['dependencies', 'devDependencies', 'peerDependencies', 'peerDependenciesMeta', 'optionalDependencies'],
  ...['bundleDependencies', 'bundledDependencies', 'engines', 'os', 'cpu', 'libc'],
]);

const isPackageName = /(?:^|\/)package\.json$/;
/** Takes a folded path. */
export const isPackageJson = (path: string): boolean => isPackageName.test(path);

/** What is wrong with the change, or null. Null for a text means: there is no such file, or it can not be read. */
export function packageJsonProblem(
  before: { readonly there: boolean; readonly text: string | null },
  after: { readonly there: boolean; readonly text: string | null },
): string | null {
  const [old, now] = [sections(before), sections(after)];
  if (typeof now === 'string') return `is not a package.json that can be checked (${now}): write plain JSON`;
  if (typeof old === 'string') return `can not be compared, because the one it replaces ${old}: leave it as it is`;
  const names = [...new Set([...old.keys(), ...now.keys()])].filter(
    (name) => !FREE.has(name) && old.get(name) !== now.get(name),
  );
  if (names.length === 0) return null;
  const listed = names.slice(0, 5).map((name) => `\`${name.slice(0, 40)}\``);
  if (names.length > listed.length) listed.push(`${names.length - listed.length} more`);
  return `decides what the gates run in ${listed.join(', ')}: put that back as it was (dependencies may change)`;
}

/** The text of each section, in the order it was written in: some tools take the first rule that fits. */
function sections({ there, text }: { there: boolean; text: string | null }): Map<string, string> | string {
  if (!there) return new Map();
  if (text === null) return 'is no regular file of readable text';
  const read = readStrictJson(text);
  if (read.type === 'problem') return read.message;
  if (!isRecord(read.value)) return 'is no JSON object';
  return new Map(Object.entries(read.value).map(([name, value]) => [name, JSON.stringify(value)]));
}

const isRecord = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
