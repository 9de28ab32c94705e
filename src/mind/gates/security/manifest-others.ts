/**
 * Reads what the manifests of Python, Go, Rust and Ruby install. Line by line and lenient: they are programs or TOML.
 */
import { LineNumbers } from './changed-file.ts';
import {
  type DependencyManifest,
  originOf,
  type PackageOrigin,
  type RequestedDependency,
  type Setting,
} from './dependency-facts.ts';
import { fieldOf, plainString, stringsIn, type TomlEntry, tomlEntries } from './toml-lines.ts';

/** `name[extra]>=1; marker`, `name @ address`, or an address. Null if it is neither. */
function requirement(text: string, line: number): RequestedDependency | null {
  const said = text.trim();
  const address = /^(?:[\w.[\],-]{1,200}\s{0,4}@\s{0,4})?((?:(?:git|hg|svn|bzr)\+|https?:|ftp:|file:)\S{1,1000})/.exec(
    said,
  )?.[1];
  const name = /^([A-Za-z0-9](?:[\w.-]{0,100}[A-Za-z0-9])?)(?=\s{0,20}(?:$|[[<>=!~;@,(#]|\s))/.exec(said)?.[1];
  if (address !== undefined) {
    const egg = /[#&]egg=([\w.-]{1,100})/.exec(address)?.[1];
    const isGit = /^\w{2,3}\+|\.git(?:@|#|$)/.test(address);
    const origin: PackageOrigin = isGit ? 'git' : address.startsWith('file:') ? 'path' : 'url';
    return { name: name ?? egg ?? address, version: null, origin, said, line };
  }
  if (name === undefined) return null;
  const version = /(?:===?|~=|>=|<=|!=|<|>)\s{0,4}[^;#\s,]{1,60}/.exec(said)?.[0] ?? null;
  return { name: name.toLowerCase().replace(/[._]/g, '-'), version, origin: 'registry', said, line };
}

const PIP_REGISTRY = /^(?:-i|-f|--index-url|--extra-index-url|--find-links|--trusted-host|--no-index)\b/;

export function readRequirements(text: string): DependencyManifest {
  const wanted: RequestedDependency[] = [];
  const settings: Setting[] = [];
  for (const [n, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    if (PIP_REGISTRY.test(line)) settings.push({ rule: 'registry', key: line, said: line, line: n + 1 });
    const one = requirement(line.replace(/^(?:-e|--editable)[ =]/, ''), n + 1);
    if (one !== null && !(line.startsWith('-') && one.origin === 'registry')) wanted.push(one);
  }
  return { wanted, settings };
}

const POETRY = /^tool\.poetry\.(?:(?:group\.[\w-]{1,60}\.)?dependencies|dev-dependencies)$/;
const LISTS =
  /^(?:project:dependencies|project\.optional-dependencies:.{1,100}|dependency-groups:.{1,100}|build-system:requires|tool\.uv:(?:dev-dependencies|constraint-dependencies)|tool\.pdm\.dev-dependencies:.{1,100})$/;
const PYTHON_SOURCES = /^(?:tool\.poetry\.source|tool\.uv\.index|tool\.uv\.pip|tool\.pdm\.source|source)$/;

/** `pyproject.toml` and `Pipfile`. */
export function readPyproject(text: string): DependencyManifest {
  const wanted: RequestedDependency[] = [];
  const settings: Setting[] = [];
  for (const entry of tomlEntries(text)) {
    const { table, key, value, line } = entry;
    if (LISTS.test(`${table}:${key}`)) {
      for (const { text: said, line: at } of stringsIn(entry)) {
        const one = requirement(said, at);
        if (one !== null) wanted.push(one);
      }
    } else if ((POETRY.test(table) && key !== 'python') || table === 'packages' || table === 'dev-packages') {
      wanted.push(tableWanted(entry, key));
    } else if (table === 'tool.uv.sources') {
      const origin = sourceOf(value);
      // A dependency of that name is listed elsewhere; this gives its source.
      if (origin !== 'registry') wanted.push({ name: key, version: null, origin, said: value, line });
    } else if (PYTHON_SOURCES.test(table) && /url|index|links/.test(key)) {
      settings.push({ rule: 'registry', key: `${table}.${key}.${value}`, said: value, line });
    } else if (table === 'build-system' && key !== 'requires') {
      settings.push({ rule: 'install-script', key: `${table}.${key}`, said: value, line });
    } else if (table === 'tool.uv' && /^(?:override-dependencies|index-url|extra-index-url|find-links)$/.test(key)) {
      settings.push({ rule: key.startsWith('o') ? 'dependency-override' : 'registry', key, said: value, line });
    }
  }
  return { wanted, settings };
}

const REQUIRES =
  /\b(?:install_requires|setup_requires|tests_require|extras_require|dependency_links)\s{0,10}=\s{0,10}[[{(]/g;

const MAX_LIST = 20_000;

/** `setup.py` is a program: only the strings of its lists are read. */
export function readSetupPy(text: string): DependencyManifest {
  const wanted: RequestedDependency[] = [];
  const settings: Setting[] = [];
  const numbers = new LineNumbers(text);
  for (const { index, 0: head } of [...text.matchAll(REQUIRES)].slice(0, 20)) {
    const from = index + head.length;
    const rest = text.slice(from, from + MAX_LIST);
    const end = rest.search(/[\])}]\s{0,40}(?:,\s{0,400}\w{1,40}\s{0,4}=|\)|$)/);
    const list = end < 0 ? rest : rest.slice(0, end);
    // The keys of `extras_require` are no requirements.
    for (const { 1: said = '', index: at } of list.matchAll(/['"]([^'"\n]{1,300})['"](?!\s{0,4}:)/g)) {
      const one = requirement(said, numbers.at(from + at));
      if (one !== null) wanted.push(one);
    }
  }
  const own = /\bcmdclass\s{0,10}=/.exec(text);
  if (own !== null)
    settings.push({ rule: 'install-script', key: 'cmdclass', said: 'cmdclass', line: numbers.at(own.index) });
  return { wanted, settings };
}

export function readGoMod(text: string): DependencyManifest {
  const wanted: RequestedDependency[] = [];
  const settings: Setting[] = [];
  let block = '';
  for (const [n, raw] of text.split('\n').entries()) {
    const line = raw.replace(/\/\/.*$/, '').trim();
    if (line === ')') block = '';
    const [, opened] = /^(\w{1,20})\s{0,10}\($/.exec(line) ?? [];
    if (opened !== undefined) block = opened;
    const said = block !== '' ? `${block} ${line}` : line;
    const [, name, version] = /^require\s{1,10}(\S{1,300})\s{1,10}(v\S{1,100})$/.exec(said) ?? [];
    if (name !== undefined) wanted.push({ name, version: version ?? null, origin: 'registry', said, line: n + 1 });
    const replaced = /^replace\s{1,10}(\S{1,300}.{0,100}?=>.{1,400})$/.exec(said)?.[1];
    if (replaced !== undefined)
      settings.push({ rule: 'dependency-override', key: replaced, said: replaced, line: n + 1 });
    const tool = /^(?:toolchain|tool)\s{1,10}(\S{1,200})$/.exec(said)?.[1];
    if (tool !== undefined) settings.push({ rule: 'package-manager', key: tool, said: tool, line: n + 1 });
  }
  return { wanted, settings };
}

const CARGO_LIST = /^(?:target\..{1,200}?\.|workspace\.)?(?:dev-|build-)?dependencies$/;
const CARGO_ONE = /^(?:target\..{1,200}?\.|workspace\.)?(?:dev-|build-)?dependencies\.([\w-]{1,100})$/;

/** `Cargo.toml`, and `.cargo/config.toml` with its sources and registries. */
export function readCargoToml(text: string): DependencyManifest {
  const wanted: RequestedDependency[] = [];
  const settings: Setting[] = [];
  const tables = new Map<string, TomlEntry[]>();
  for (const entry of tomlEntries(text)) {
    const { table, key, value, line } = entry;
    if (CARGO_LIST.test(table) && !/\.workspace$/.test(key)) wanted.push(tableWanted(entry, key));
    const one = CARGO_ONE.exec(table)?.[1];
    if (one !== undefined) tables.set(one, [...(tables.get(one) ?? []), entry]);
    if (/^(?:patch\b|replace$)/.test(table))
      settings.push({ rule: 'dependency-override', key: `${table}.${key}`, said: value, line });
    if (/^(?:source|registries|registry)(?:\.|$)/.test(table))
      settings.push({ rule: 'registry', key: `${table}.${key}`, said: value, line });
    if (table === 'package' && key === 'build') settings.push({ rule: 'install-script', key, said: value, line });
  }
  for (const [name, entries] of tables) {
    const value = `{${entries.map((entry) => `${entry.key} = ${entry.value}`).join(',')}}`;
    wanted.push(tableWanted({ ...(entries[0] as TomlEntry), value }, name));
  }
  return { wanted, settings };
}

/** `name = "1.0"` or `name = { version = "1.0", git = "…" }`. */
function tableWanted({ value, line }: TomlEntry, key: string): RequestedDependency {
  const version = plainString(value) ?? fieldOf(value, 'version');
  return { name: fieldOf(value, 'package') ?? key, version, origin: sourceOf(value), said: value, line };
}

function sourceOf(value: string): PackageOrigin {
  if (fieldOf(value, 'git') !== null) return 'git';
  if (fieldOf(value, 'url') !== null || fieldOf(value, 'registry') !== null) return 'url';
  return fieldOf(value, 'path') !== null || /\b(?:workspace|editable)\s{0,4}=\s{0,4}true/.test(value)
    ? 'path'
    : 'registry';
}

/** `Gemfile` and gemspecs. */
export function readGemfile(text: string): DependencyManifest {
  const wanted: RequestedDependency[] = [];
  const settings: Setting[] = [];
  for (const [n, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    const gem =
      /^(?:gem|\w{1,20}\.add_(?:runtime_|development_)?dependency)[\s(]{1,4}['"]([\w.-]{1,100})['"](.{0,500})$/.exec(
        line,
      );
    if (gem?.[1] !== undefined) {
      const rest = gem[2] ?? '';
      const version = /^\s{0,4},\s{0,4}['"]([^'"]{1,60})['"]/.exec(rest)?.[1] ?? null;
      const origin = /\b(?:git|github|gist|bitbucket)\b['"]?\s{0,4}(?::|=>)/.test(rest)
        ? 'git'
        : /\bpath\b['"]?\s{0,4}(?::|=>)/.test(rest)
          ? 'path'
          : /\bsource\b['"]?\s{0,4}(?::|=>)/.test(rest)
            ? 'url'
            : 'registry';
      wanted.push({ name: gem[1], version, origin, said: line, line: n + 1 });
    }
    if (/^source[\s(]{1,4}['"]/.test(line)) settings.push({ rule: 'registry', key: line, said: line, line: n + 1 });
  }
  return { wanted, settings };
}

/** Keys of the files that only say where packages come from. */
const REGISTRY_KEYS =
  /registry|index|_auth|proxy|cafile|\bca\b|strict-ssl|strictSsl|cert|find-links|trusted-host|ignore-scripts|enableScripts|script-shell|node-options|npmRegistry|goproxy|gonosum|gosumdb|goflags|goprivate|channel|mirror|source|url/i;

const STRICTER = /^(?:ignore-scripts|strict-ssl)\s{0,10}=\s{0,10}true$/;

/** `.npmrc`, `.yarnrc`, `pip.conf`, `bunfig.toml`, `.cargo/config`, `go.env` and the like. Values may be secrets. */
export function readRegistryFile(text: string): DependencyManifest {
  const settings = text.split('\n').flatMap((raw, n): Setting[] => {
    const line = raw.trim();
    if (line === '' || /^[#;]/.test(line) || STRICTER.test(line)) return [];
    return REGISTRY_KEYS.test(line) || originOf(line) === 'url'
      ? [{ rule: 'registry', key: line, said: /^[^=:\s]{1,80}/.exec(line)?.[0] ?? '', line: n + 1 }]
      : [];
  });
  return { wanted: [], settings };
}
