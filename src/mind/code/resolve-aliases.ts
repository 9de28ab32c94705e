/** `paths` and `baseUrl` of tsconfig and jsconfig files, with the repository's files that they extend. */
import { asObject, asTexts, looseJson } from './loose-json.ts';
import { directoryOf, joined, nameOf, upwards } from './paths.ts';

type Alias = {
  readonly prefix: string;
  readonly suffix: string;
  readonly exact: boolean;
  readonly targets: readonly string[];
};
/** Targets are paths of the repository. */
type Aliases = { readonly paths: readonly Alias[]; readonly baseUrl: string | null };
const NONE: Aliases = { paths: [], baseUrl: null };
/** Chains are short; a longer one is a trick. */
const MAX_CHAIN = 20;

/** Where a specifier may lie, best first, seen from a directory. */
type AliasesOf = (directory: string, specifier: string) => Iterable<string>;

export function readAliases(configs: ReadonlyMap<string, string>): AliasesOf {
  const read = new Map<string, Aliases>();
  const byDirectory = new Map<string, string[]>();
  for (const path of configs.keys()) {
    if (!/^[tj]sconfig\b/.test(nameOf(path))) continue;
    const directory = directoryOf(path);
    byDirectory.set(directory, [...(byDirectory.get(directory) ?? []), path]);
  }
  // tsconfig.json before its variants: `.json` sorts before `.app.json` only by length.
  for (const paths of byDirectory.values()) paths.sort((a, b) => a.length - b.length || (a < b ? 1 : -1));

  const aliasesIn = (path: string, chain: number): Aliases => {
    const known = read.get(path);
    if (known !== undefined) return known;
    read.set(path, NONE);
    const aliases = parse(
      path,
      configs.get(path) ?? '',
      (other) => (chain < MAX_CHAIN ? aliasesIn(other, chain + 1) : NONE),
      configs,
    );
    read.set(path, aliases);
    return aliases;
  };

  return function* (directory, specifier) {
    for (const at of upwards(directory)) {
      for (const config of byDirectory.get(at) ?? []) {
        const { paths, baseUrl } = aliasesIn(config, 0);
        for (const alias of paths) yield* targetsOf(alias, specifier);
        const path = baseUrl === null ? null : joined(baseUrl, specifier);
        if (path !== null) yield path;
      }
    }
  };
}

function* targetsOf({ prefix, suffix, exact, targets }: Alias, specifier: string): Iterable<string> {
  const fits = exact
    ? specifier === prefix
    : specifier.length >= prefix.length + suffix.length && specifier.startsWith(prefix) && specifier.endsWith(suffix);
  if (!fits) return;
  const star = exact ? '' : specifier.slice(prefix.length, specifier.length - suffix.length);
  for (const target of targets) {
    const path = joined(
      '',
      target.replace('*', () => star),
    );
    if (path !== null) yield path;
  }
}

function parse(
  path: string,
  text: string,
  inherited: (path: string) => Aliases,
  configs: ReadonlyMap<string, string>,
): Aliases {
  const config = looseJson(text);
  if (config === null) return NONE;
  const directory = directoryOf(path);
  let from = NONE;
  for (const base of asTexts(config['extends'])) {
    if (!base.startsWith('.')) continue;
    const other = [base, `${base}.json`, `${base}/tsconfig.json`]
      .map((name) => joined(directory, name))
      .find((name) => name !== null && configs.has(name));
    if (other === undefined || other === null) continue;
    const { paths, baseUrl } = inherited(other);
    from = { paths: paths.length > 0 ? paths : from.paths, baseUrl: baseUrl ?? from.baseUrl };
  }
  const options = asObject(config['compilerOptions']) ?? {};
  const { baseUrl: written } = options;
  const baseUrl = typeof written === 'string' ? joined(directory, here(written)) : from.baseUrl;
  const told = asObject(options['paths']);
  if (told === null) return { paths: from.paths, baseUrl };
  const paths = Object.entries(told).map(([pattern, targets]): Alias => {
    const star = pattern.indexOf('*');
    return {
      prefix: star < 0 ? pattern : pattern.slice(0, star),
      suffix: star < 0 ? '' : pattern.slice(star + 1),
      exact: star < 0,
      targets: asTexts(targets).flatMap((target) => joined(baseUrl ?? directory, here(target)) ?? []),
    };
  });
  // The longest prefix wins, as in TypeScript.
  paths.sort((a, b) => Number(b.exact) - Number(a.exact) || b.prefix.length - a.prefix.length);
  return { paths, baseUrl };
}

// Replaces the placeholder of TypeScript's config files.
const here = (path: string): string => path.replace(/^\$\{configDir\}/, '.');
