/** Reads what lock files pin: npm, pnpm, yarn, Cargo, Poetry, uv, go.sum, Bundler. */
import type { Json } from '../../../kernel/json.ts';
import { readStrictJson } from '../../answers/strict-json.ts';
import { type Locked, originOf, type PackageOrigin, type ReadProblem } from './dependency-facts.ts';
import { lineFinder } from './manifest-npm.ts';
import { fieldOf, plainString, tomlEntries } from './toml-lines.ts';

type LockEntry = { readonly [key: string]: Json };
const isObject = (value: Json | undefined): value is LockEntry =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);

/** Versions 2 and 3 have `packages`, by place; version 1 has nested `dependencies`. */
export function readNpmLock(text: string): readonly Locked[] | ReadProblem {
  const read = readStrictJson(text);
  if (read.type === 'problem') return { problem: read.message };
  if (!isObject(read.value)) return { problem: 'is no JSON object' };
  const lineOf = lineFinder(text);
  const { packages, dependencies } = read.value;
  const out: Locked[] = [];
  const add = (key: string, name: string, entry: LockEntry, line: number | null) => {
    const source =
      textOf(entry['resolved']) ??
      (/^(?:git|https?|github)/.test(textOf(entry['version']) ?? '') ? textOf(entry['version']) : null);
    const isOwn = entry['link'] === true || entry['inBundle'] === true || entry['bundled'] === true;
    const origin = isOwn ? 'path' : source === null ? 'registry' : lockOrigin(source);
    out.push({
      name,
      key,
      source,
      origin,
      line,
      version: textOf(entry['version']),
      integrity: textOf(entry['integrity']) || null,
      needsIntegrity: origin === 'registry' || origin === 'url',
      hasScript: entry['hasInstallScript'] === true,
    });
  };
  if (isObject(packages)) {
    for (const [key, entry] of Object.entries(packages)) {
      const name = key.slice(key.lastIndexOf('node_modules/') + 'node_modules/'.length);
      // The project itself and its workspaces.
      if (isObject(entry) && key.includes('node_modules/'))
        add(key, textOf(entry['name']) ?? name, entry, lineOf('packages', key));
    }
  } else if (isObject(dependencies)) {
    const walk = (all: LockEntry, above: string, depth: number) => {
      for (const [name, entry] of Object.entries(all)) {
        if (!isObject(entry) || depth > 60) continue;
        add(`${above}${name}`, name, entry, lineOf('dependencies', name));
        if (isObject(entry['dependencies'])) walk(entry['dependencies'], `${above}${name}>`, depth + 1);
      }
    };
    walk(dependencies, '', 0);
  }
  return out;
}

/** A registry serves archives at addresses; only git and plain paths are distinguished. */
function lockOrigin(source: string): PackageOrigin {
  if (/^(?:git\+|git:|git@|ssh:)|^github:|\.git(?:#|$)|codeload\.github\.com/.test(source)) return 'git';
  return /^https?:/.test(source) ? 'registry' : originOf(source) === 'git' ? 'git' : 'path';
}

const PNPM_KEY =
  /^ {2}['"]?\/?(@?[^@'"\s(]{1,214})[@/]([^'"\s(:]{1,300}(?::[^'"\s(]{1,300})?)(?:\([^'"]{0,600})?['"]?:\s{0,4}$/;

/** The block `packages:`; keys are `name@1.0.0`, or `/name/1.0.0` in older ones. */
export function readPnpmLock(text: string): readonly Locked[] {
  const out: Locked[] = [];
  let inside = false;
  let now: Writable | null = null;
  for (const [n, line] of text.split('\n').entries()) {
    if (/^\S/.test(line)) inside = /^packages:/.test(line);
    if (!inside) continue;
    const [, name, version] = PNPM_KEY.exec(line) ?? [];
    if (name !== undefined && version !== undefined) {
      const origin = /^https?:|^git|\.git|^file:/.test(version)
        ? version.startsWith('file:')
          ? 'path'
          : 'git'
        : 'registry';
      now = begun(name, version, `${name}@${version}`, n + 1, origin);
      out.push(now);
    } else if (now !== null && /^ {4}(?:resolution|requiresBuild):/.test(line)) {
      now.hasScript ||= /requiresBuild:\s{0,4}true/.test(line);
      now.integrity ??= /\bintegrity:\s{0,4}([^,}\s]{1,300})/.exec(line)?.[1] ?? null;
      now.source ??= /\b(?:tarball|repo):\s{0,4}([^,}\s]{1,1000})/.exec(line)?.[1] ?? null;
      if (/\btype:\s{0,4}git\b|\brepo:/.test(line)) now.origin = 'git';
      if (/\bdirectory:/.test(line)) now.origin = 'path';
      now.needsIntegrity = now.origin === 'registry';
    }
  }
  return out;
}

/** Version 1 and Berry: blocks that start with what requested the package. */
export function readYarnLock(text: string): readonly Locked[] {
  const isBerry = /^__metadata:/m.test(text);
  const out: Locked[] = [];
  let now: Writable | null = null;
  for (const [n, line] of text.split('\n').entries()) {
    if (/^\S/.test(line) && !/^(?:#|__metadata)/.test(line)) {
      const [, name, range] = /^"?(@?[^@"]{1,214})@([^",]{0,1000})/.exec(line) ?? [];
      now = name === undefined ? null : begun(name, null, name, n + 1, 'registry');
      if (now !== null) out.push(now);
      if (now !== null && /^(?:workspace|link|portal|patch|file):/.test(range ?? '')) now.origin = 'path';
      continue;
    }
    if (now === null) continue;
    // Packages for other machines may lack a hash.
    if (/^ {2}conditions:/.test(line)) now.needsIntegrity = false;
    const [, key, value] =
      /^ {2}"?(version|resolved|resolution|integrity|checksum)"?:? "?([^"\s]{1,2000})"?$/.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    if (key === 'version') {
      now.version = value;
      now.key = `${now.name}@${value}`;
    }
    if (key === 'integrity' || key === 'checksum') now.integrity = value;
    if (key === 'resolved') now.source = value;
    if (key === 'resolution' && !/@npm:/.test(value)) now.source = value.replace(/^@?[^@]{1,214}@/, '');
    if (now.source !== null && now.origin !== 'path') now.origin = lockOrigin(now.source);
    now.needsIntegrity = !isBerry ? now.origin === 'registry' : /@npm:/.test(value) || now.needsIntegrity;
    if (now.origin !== 'registry') now.needsIntegrity = false;
  }
  return out;
}

/** `Cargo.lock`, `poetry.lock`, `uv.lock`: one `[[package]]` after the other. */
export function readTomlLock(text: string): readonly Locked[] {
  const byIndex = new Map<number, Writable>();
  const needsHashes = /^checksum = |^hash = |\bhash = "|sha256:/m.test(text);
  for (const { table, index, key, value, line } of tomlEntries(text)) {
    const now = byIndex.get(index) ?? begun('', null, '', line, 'registry');
    if (table === 'package.source') {
      // Poetry writes it as a separate table after its package.
      const last = [...byIndex.values()].at(-1);
      if (last !== undefined && key === 'url') last.source = plainString(value);
      if (last !== undefined && key === 'type') last.origin = poetryOrigin(plainString(value) ?? '');
      continue;
    }
    if (table !== 'package') continue;
    byIndex.set(index, now);
    if (key === 'name') now.name = plainString(value) ?? '';
    if (key === 'version') now.version = plainString(value);
    if (key === 'checksum') now.integrity = plainString(value);
    if (key === 'files' || key === 'wheels' || key === 'sdist')
      now.integrity =
        [now.integrity ?? '', ...[...value.matchAll(/sha\d{3}:[0-9a-f]{32,128}/g)].map(([hash]) => hash)]
          .sort()
          .join(' ')
          .trim() || null;
    if (key === 'source') Object.assign(now, tomlSource(value));
  }
  return [...byIndex.values()].map((one) => ({
    ...one,
    key: `${one.name}@${one.version}`,
    // Packages of the project itself have no source.
    needsIntegrity: needsHashes && one.origin === 'registry' && (one.source !== null || one.integrity !== null),
  }));
}

const poetryOrigin = (type: string): PackageOrigin =>
  type === 'git' ? 'git' : type === 'directory' || type === 'file' ? 'path' : type === 'url' ? 'url' : 'registry';

function tomlSource(value: string): { source: string | null; origin: PackageOrigin } {
  const plain = plainString(value);
  if (plain !== null)
    return {
      source: plain.replace(/^(?:registry|sparse|git)\+/, ''),
      origin: plain.startsWith('git+') ? 'git' : 'registry',
    };
  const git = fieldOf(value, 'git');
  if (git !== null) return { source: git, origin: 'git' };
  const url = fieldOf(value, 'url');
  if (url !== null) return { source: url, origin: 'url' };
  const registry = fieldOf(value, 'registry');
  return { source: registry, origin: registry === null ? 'path' : 'registry' };
}

export function readGoSum(text: string): readonly Locked[] {
  return text.split('\n').flatMap((line, n): Locked[] => {
    const [, name, version, hash] = /^(\S{1,300}) (v\S{1,200}) (h1:\S{1,100})$/.exec(line.trim()) ?? [];
    if (name === undefined || version === undefined || hash === undefined) return [];
    return [{ ...begun(name, version, `${name}@${version}`, n + 1, 'registry'), integrity: hash }];
  });
}

/** Blocks GIT, PATH and GEM with their `remote:`; gems are indented by four blanks. */
export function readGemfileLock(text: string): readonly Locked[] {
  const out: Locked[] = [];
  let [origin, source]: [PackageOrigin, string | null] = ['registry', null];
  for (const [n, line] of text.split('\n').entries()) {
    const block = /^(GIT|PATH|GEM|[A-Z][A-Z ]+)$/.exec(line)?.[1];
    if (block !== undefined)
      [origin, source] = [block === 'GIT' ? 'git' : block === 'PATH' ? 'path' : 'registry', null];
    source = /^ {2}remote: (\S{1,1000})$/.exec(line)?.[1] ?? source;
    const [, name, version] = /^ {4}([\w.-]{1,100}) \(([^)]{1,100})\)$/.exec(line) ?? [];
    if (name !== undefined && version !== undefined)
      out.push({ ...begun(name, version, `${name}@${version}`, n + 1, origin), source });
  }
  return out;
}

type Writable = { -readonly [K in keyof Locked]: Locked[K] };
const begun = (name: string, version: string | null, key: string, line: number, origin: PackageOrigin): Writable => ({
  name,
  version,
  key,
  line,
  origin,
  source: null,
  integrity: null,
  needsIntegrity: false,
  hasScript: false,
});
