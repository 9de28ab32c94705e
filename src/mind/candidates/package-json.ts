/**
 * Judges a change of package.json: dependencies and descriptions are free (the lock file has its own rule); anything
 * that can decide what a gate runs is not.
 */
import type { Json } from '../../kernel/json.ts';
import { readStrictJson } from '../answers/strict-json.ts';

/**
 * Sections that are free to change. A list of harmless ones: tools invent sections faster than a list of the others
 * could follow.
 */
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

/** Returns the problem of the change, or null. A null text means that the file is missing or cannot be read. */
export function packageJsonProblem(
  before: { readonly there: boolean; readonly text: string | null },
  after: { readonly there: boolean; readonly text: string | null },
): string | null {
  const [old, now] = [sections(before), sections(after)];
  if (typeof now === 'string') return `is not a package.json that can be checked (${now}): write plain JSON`;
  if (typeof old === 'string') return `cannot be compared, because the one it replaces ${old}: leave it as it is`;
  const names = [...new Set([...old.keys(), ...now.keys()])].filter(
    (name) => !FREE.has(name) && old.get(name) !== now.get(name) && !(name === 'scripts' && onlyAdds(old, now)),
  );
  if (names.length === 0) return null;
  const listed = names.slice(0, 5).map((name) => `\`${name.slice(0, 40)}\``);
  if (names.length > listed.length) listed.push(`${names.length - listed.length} more`);
  return `decides what the gates run in ${listed.join(', ')}: restore that (dependencies may change)`;
}

/** The sections that are not free, a value on each line; null if the text is no package.json. */
export function guardedPackageJson(text: string): string | null {
  const read = readStrictJson(text);
  if (read.type === 'problem' || !isRecord(read.value)) return null;
  return JSON.stringify(Object.fromEntries(Object.entries(read.value).filter(([name]) => !FREE.has(name))), null, 1);
}

/** Scripts that run without being named, and tools that run every matching script. */
const HOOK = /^(?:pre|post|test)|^(?:install|prepare|dependencies|version|uninstall)$/;
const BY_PATTERN = /\*|--if-present|\b(?:run-s|run-p|npm-run-all|concurrently|wireit|turbo|nx|lerna)\b/;

/** No gate of the base runs a script under a new name, unless tools run it unasked, or by a pattern. */
function onlyAdds(old: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): boolean {
  const [before, after] = [old.get('scripts'), now.get('scripts')].map(
    (text) => new Map(Object.entries(JSON.parse(text ?? '{}') as Record<string, unknown>)),
  ) as [Map<string, unknown>, Map<string, unknown>];
  const kept = [...before].every(([name, command]) => typeof command === 'string' && after.get(name) === command);
  const isNamed = ![...before.values()].some((command) => BY_PATTERN.test(String(command)));
  const added = [...after].filter(([name]) => !before.has(name));
  const isOfAnother = (name: string) => [...before.keys()].some((one) => name.startsWith(`${one}:`));
  const isFree = added.every(
    ([name, command]) => typeof command === 'string' && !HOOK.test(name) && !isOfAnother(name),
  );
  return before.size > 0 && kept && isNamed && isFree;
}

/** The text of each section in file order: some tools take the first rule that matches. */
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
