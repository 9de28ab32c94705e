/** What the manifests of npm, pip, Go and Cargo ask for: packages, replacements and registries, each with its line. */
import { nameOf } from '../code/paths.ts';

export type ManifestEntry = {
  readonly kind: 'dependency' | 'replace' | 'registry';
  readonly name: string;
  /** Its source if that is not the registry: an address, a path, a branch. */
  readonly source: string;
  readonly line: number;
};

type Reader = (lines: readonly string[]) => ManifestEntry[];

const MAX_LINE = 1_000;

/** Returns null if the path is no known manifest. */
export function readerOf(path: string): Reader | null {
  const name = nameOf(path);
  if (name === 'package.json') return packageJson;
  if (name === 'go.mod') return goMod;
  if (name === 'Cargo.toml') return cargoToml;
  if (name === 'pyproject.toml' || name === 'Pipfile') return pythonToml;
  if (name === 'setup.cfg') return setupCfg;
  if (/(?:^|[._-])(?:requirements|constraints)[^/]*\.(?:txt|in)$|(?:^|\/)requirements\/[^/]+\.(?:txt|in)$/.test(path))
    return requirements;
  if (/^\.(?:npmrc|yarnrc|yarnrc\.yml|pnpmrc|pypirc)$|^(?:pip\.conf|pip\.ini|uv\.toml|bunfig\.toml)$/.test(name))
    return registryConfig;
  return /(?:^|\/)\.cargo\/config(?:\.toml)?$/.test(path) ? cargoToml : null;
}

export function askedIn(path: string, text: string): ManifestEntry[] {
  const reader = readerOf(path);
  return reader === null ? [] : reader(text.split('\n').map((line) => line.slice(0, MAX_LINE)));
}

/** An address, a path or a branch instead of a version. */
function sourceOf(version: string): string {
  return /^(?:git|https?|ssh|file|link|portal|github|gitlab|bitbucket|npm):|^git\+|^[\w-]{1,40}\/[\w.-]{1,100}(?:#|$)|^\.{0,2}\//.test(
    version,
  )
    ? version
    : '';
}

const SECTION = /^\s{0,20}"(\w{1,40})"\s{0,5}:\s{0,5}\{/;
const NPM = /^(?:dependencies|devDependencies|peerDependencies|optionalDependencies)$/;
const NPM_REPLACE = /^(?:overrides|resolutions)$/;

/** Reads line by line to get line numbers; if the text is on one line or nested differently, parses it instead. */
function packageJson(lines: readonly string[]): ManifestEntry[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(lines.join('\n'));
  } catch {
    return [];
  }
  if (typeof parsed !== 'object' || parsed === null) return [];
  const asked: ManifestEntry[] = [];
  const root = parsed as { readonly [key: string]: unknown };
  for (const section of Object.keys(root)) {
    const entries = root[section];
    const isReplace = NPM_REPLACE.test(section);
    if ((!isReplace && !NPM.test(section)) || typeof entries !== 'object' || entries === null) continue;
    const from = lines.findIndex((line) => SECTION.exec(line)?.[1] === section || line.includes(`"${section}"`));
    const places = linesOfKeys(lines, Math.max(0, from));
    for (const [name, version] of Object.entries(entries)) {
      const source = typeof version === 'string' ? sourceOf(version) : '';
      asked.push({
        kind: isReplace ? 'replace' : 'dependency',
        name,
        source,
        line: places.get(name) ?? Math.max(0, from) + 1,
      });
    }
  }
  return asked;
}

function linesOfKeys(lines: readonly string[], from: number): Map<string, number> {
  const places = new Map<string, number>();
  for (let i = from; i < lines.length; i += 1) {
    for (const [, key = ''] of (lines[i] ?? '').matchAll(/"([^"\\]{1,214})"\s{0,5}:/g))
      if (!places.has(key)) places.set(key, i + 1);
    if (i > from && /^\s{0,20}\}/.test(lines[i] ?? '')) break;
  }
  return places;
}

function goMod(lines: readonly string[]): ManifestEntry[] {
  let block = '';
  return lines.flatMap((raw, i): ManifestEntry[] => {
    const line = raw.replace(/\/\/.*$/, '').trim();
    const opened = /^(require|replace|exclude|retract|tool)\s*\($/.exec(line)?.[1];
    if (opened !== undefined || line === ')') {
      block = opened ?? '';
      return [];
    }
    const [, word = block, rest = ''] = /^(?:(require|replace|tool)\s+)?(.{1,500})$/.exec(line) ?? [];
    const name = /^[\w.~/-]+/.exec(rest)?.[0] ?? '';
    if (name === '') return [];
    if (word === 'replace') return [{ kind: 'replace', name, source: rest.split('=>')[1]?.trim() ?? '', line: i + 1 }];
    // Direct dependencies bring the indirect ones.
    const isIndirect = /\/\/\s*indirect\b/.test(raw);
    return word === 'require' && !isIndirect && name.includes('.')
      ? [{ kind: 'dependency', name, source: '', line: i + 1 }]
      : [];
  });
}

const TOML_SECTION = /^\s{0,9}\[{1,2}\s{0,9}([^\]#\n]{1,200}?)\s{0,9}\]{1,2}/;
const TOML_ENTRY = /^\s{0,9}["']?([\w.@/-]{1,200}?)["']?(?:\.\w{1,30})?\s{0,9}=\s{0,9}(.{0,800})/;

function cargoToml(lines: readonly string[]): ManifestEntry[] {
  let section = '';
  return lines.flatMap((line, i): ManifestEntry[] => {
    const opened = TOML_SECTION.exec(line)?.[1];
    if (opened !== undefined) {
      section = opened;
      const table = /(?:^|\.)(?:dev-|build-)?dependencies\.["']?([\w-]{1,100})["']?$/.exec(section)?.[1];
      return table === undefined ? [] : [{ kind: 'dependency', name: table, source: '', line: i + 1 }];
    }
    const [, name = '', value = ''] = TOML_ENTRY.exec(line) ?? [];
    if (name === '') return [];
    if (/(?:^|\.)(?:dev-|build-)?dependencies$/.test(section)) {
      const source = sourceInTable(value);
      return [{ kind: 'dependency', name, source, line: i + 1 }];
    }
    if (/^(?:patch\b|replace$)/.test(section)) return [{ kind: 'replace', name, source: value, line: i + 1 }];
    if (/^(?:registries|source)\b|^registry$/.test(section))
      return [{ kind: 'registry', name: `${section}.${name}`, source: value, line: i + 1 }];
    return [];
  });
}

function sourceInTable(value: string): string {
  const match = /\b(git|url|path|registry)\s*=\s*["']([^"']{1,300})/.exec(value);
  return match === null ? '' : match[1] === 'path' ? `file:${match[2]}` : (match[2] ?? '');
}

const REQUIREMENT =
  /^\s{0,20}["']?([A-Za-z0-9][\w.-]{0,150})\s{0,5}(?:\[[^\]]{0,200}\])?\s{0,5}(@\s{0,5}\S{1,300}|[=<>!~;,#"' \t].{0,300}|$)/;

function requirement(line: string, at: number): ManifestEntry[] {
  const match = REQUIREMENT.exec(line);
  if (match === null) return [];
  const [, name = '', rest = ''] = match;
  return [
    {
      kind: 'dependency',
      name: name.toLowerCase().replace(/[._-]+/g, '-'),
      source: rest.startsWith('@') ? rest.slice(1).trim() : '',
      line: at,
    },
  ];
}

function requirements(lines: readonly string[]): ManifestEntry[] {
  return lines.flatMap((raw, i): ManifestEntry[] => {
    const line = raw.replace(/(?:^|\s)#.*$/, '').trim();
    const option = /^(?:-i|--index-url|--extra-index-url|--find-links|-f|--trusted-host)[ =]\s{0,9}(\S{1,300})/.exec(
      line,
    );
    if (option !== null) return [{ kind: 'registry', name: option[1] ?? '', source: '', line: i + 1 }];
    const url = /^(?:-e\s{1,9}|--editable[ =])?((?:git\+|https?:)\S{1,300})/.exec(line)?.[1];
    if (url !== undefined) return [{ kind: 'dependency', name: url, source: url, line: i + 1 }];
    return line === '' || line.startsWith('-') ? [] : requirement(line, i + 1);
  });
}

/** `[project] dependencies`, extras, groups, build requirements; tables of Poetry, uv and Pipenv. */
function pythonToml(lines: readonly string[]): ManifestEntry[] {
  let [section, list] = ['', false];
  return lines.flatMap((line, i): ManifestEntry[] => {
    const opened = list ? undefined : TOML_SECTION.exec(line)?.[1];
    if (opened !== undefined) {
      section = opened;
      return [];
    }
    if (list) {
      if (/^\s{0,20}\]/.test(line)) list = false;
      else {
        if (/["']\s{0,5}\]\s{0,9}(?:#.*)?$/.test(line)) list = false;
        return strings(line).flatMap((one) => requirement(one, i + 1));
      }
      return [];
    }
    const [, name = '', value = ''] = TOML_ENTRY.exec(line) ?? [];
    if (name === '') return [];
    const isList =
      (section === 'project' && name === 'dependencies') ||
      (section === 'build-system' && name === 'requires') ||
      /^(?:project\.optional-dependencies|dependency-groups)$/.test(section) ||
      (/^tool\.(?:uv|pdm|hatch)\b/.test(section) && /dependenc/.test(name));
    if (isList && value.startsWith('[')) {
      list = !/\]\s{0,9}(?:#.*)?$/.test(value);
      return strings(value).flatMap((one) => requirement(one, i + 1));
    }
    if (
      /^(?:tool\.poetry\.(?:group\.[\w-]{1,60}\.)?(?:dev-)?dependencies|packages|dev-packages)$/.test(section) &&
      name !== 'python'
    )
      return [
        {
          kind: 'dependency',
          name: name.toLowerCase().replace(/[._-]+/g, '-'),
          source: sourceInTable(value),
          line: i + 1,
        },
      ];
    if (/^(?:tool\.uv\.sources|tool\.uv\.override-dependencies)$/.test(section))
      return [{ kind: 'replace', name, source: value, line: i + 1 }];
    const isRegistry =
      /^(?:source|tool\.poetry\.source|tool\.uv\.index|tool\.pdm\.source)$/.test(section) && name === 'url';
    return isRegistry ? [{ kind: 'registry', name: value.replace(/["']/g, ''), source: '', line: i + 1 }] : [];
  });
}

const strings = (line: string): string[] =>
  [...line.matchAll(/"([^"\n]{1,300})"|'([^'\n]{1,300})'/g)].map((one) => one[1] ?? one[2] ?? '');

function setupCfg(lines: readonly string[]): ManifestEntry[] {
  let [section, inside] = ['', false];
  return lines.flatMap((line, i): ManifestEntry[] => {
    const opened = TOML_SECTION.exec(line)?.[1];
    if (opened !== undefined) [section, inside] = [opened, false];
    else if (/^\S/.test(line))
      inside =
        /^(?:install_requires|setup_requires|tests_require)\s*=/.test(line) || section === 'options.extras_require';
    else if (inside && line.trim() !== '') return requirement(line, i + 1);
    return [];
  });
}

function registryConfig(lines: readonly string[]): ManifestEntry[] {
  return lines.flatMap((line, i): ManifestEntry[] => {
    const match =
      /^\s{0,20}-?\s{0,5}["']?((?:@[\w.-]{1,80}:)?registry|npmRegistryServer|npmScopes|index-url|extra-index-url|find-links|trusted-host|index|url|repository)["']?\s{0,9}[:= ]\s{0,9}["']?(\S{1,300}?)["']?\s{0,9}$/.exec(
        line,
      );
    return match === null ? [] : [{ kind: 'registry', name: match[2] ?? '', source: '', line: i + 1 }];
  });
}
