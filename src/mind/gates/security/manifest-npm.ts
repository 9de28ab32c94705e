/** Reads what a package.json installs, and what it runs during installation. */
import type { Json } from '../../../kernel/json.ts';
import { readStrictJson } from '../../answers/strict-json.ts';
import {
  type DependencyManifest,
  originOf,
  type ReadProblem,
  type RequestedDependency,
  type Setting,
} from './dependency-facts.ts';

const KINDS = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
/** npm, pnpm and yarn run these unasked. */
const RUN_ON_INSTALL = [
  ...['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare', 'prepublish', 'dependencies'],
  ...['pnpm:devPreinstall', 'prepack', 'postpack'],
];
/** Sections, and sections of `pnpm`, that install other packages or scripts than the names say. */
const OVERRIDES = ['overrides', 'resolutions', 'patchedDependencies', 'packageExtensions', 'bundleDependencies'];
const MAY_RUN = [
  'trustedDependencies',
  'onlyBuiltDependencies',
  'neverBuiltDependencies',
  'dependenciesMeta',
  'allowBuilds',
];

export function readPackageJson(text: string): DependencyManifest | ReadProblem {
  const read = readStrictJson(text);
  if (read.type === 'problem') return { problem: read.message };
  const root = read.value;
  if (!isObject(root)) return { problem: 'is no JSON object' };
  const lineOf = lineFinder(text);
  const wanted = KINDS.flatMap((kind) =>
    entriesOf(root[kind]).map(([name, value]): RequestedDependency => {
      const said = typeof value === 'string' ? value : JSON.stringify(value);
      const alias = /^npm:(@?[^@]{1,214})(?:@(.{0,100}))?$/.exec(said);
      // The package that is really installed.
      const real = alias === null ? { name, version: said } : { name: alias[1] ?? name, version: alias[2] ?? null };
      return { ...real, origin: originOf(said), said, line: lineOf(kind, name) };
    }),
  );
  return { wanted, settings: settingsOf(root, lineOf) };
}

function settingsOf(root: JsonObject, lineOf: LineFinder): Setting[] {
  const pnpm = isObject(root['pnpm']) ? root['pnpm'] : {};
  const setting = (rule: Setting['rule'], section: string, key: string, value: Json | undefined): Setting[] =>
    value === undefined
      ? []
      : [
          {
            rule,
            key: section === 'package' ? key : `${section}.${key}`,
            said: JSON.stringify(value),
            line: lineOf(section, key),
          },
        ];
  const scripts = isObject(root['scripts']) ? root['scripts'] : {};
  const publish = isObject(root['publishConfig']) ? root['publishConfig'] : {};
  return [
    ...RUN_ON_INSTALL.flatMap((name) => setting('install-script', 'scripts', name, scripts[name])),
    ...OVERRIDES.flatMap((section) =>
      [root[section], pnpm[section]].flatMap((value) =>
        entriesOf(value).flatMap(([key, inner]) => setting('dependency-override', section, key, inner)),
      ),
    ),
    ...MAY_RUN.flatMap((name) =>
      [root[name], pnpm[name]].flatMap((value) => setting('install-script', 'package', name, value)),
    ),
    ...Object.entries(publish).flatMap(([key, value]) =>
      /registry/i.test(key) ? setting('registry', 'publishConfig', key, value) : [],
    ),
    ...setting('registry', 'package', 'registry', root['registry']),
    ...setting('package-manager', 'package', 'packageManager', root['packageManager']),
  ];
}

type JsonObject = { readonly [key: string]: Json };
const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function entriesOf(value: Json | undefined): [string, Json][] {
  if (Array.isArray(value)) return value.map((item, n) => [typeof item === 'string' ? item : String(n), item]);
  return isObject(value) ? Object.entries(value) : [];
}

type LineFinder = (section: string, key: string) => number | null;

/** The line of a key in usually formatted JSON: the first such key after that of its section. */
export function lineFinder(text: string): LineFinder {
  const lines = new Map<string, number[]>();
  let line = 0;
  for (const part of text.split('\n')) {
    line += 1;
    for (const [, key] of part
      .slice(0, 10_000)
      .matchAll(/"((?:[^"\\]|\\.){1,300})"\s{0,10}[:,\]]|"((?:[^"\\]|\\.){1,300})"$/g)) {
      if (key === undefined) continue;
      const known = lines.get(key);
      if (known === undefined) lines.set(key, [line]);
      else if (known.length < 20) known.push(line);
    }
  }
  return (section, key) => {
    const from = lines.get(section)?.[0] ?? 0;
    const found = lines.get(key);
    return found?.find((one) => one >= from) ?? found?.[0] ?? null;
  };
}
