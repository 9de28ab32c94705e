/** Which files are not worth reading: binary, generated, or third-party. With the reason, for people. */
import { endingOf } from './languages.ts';
import { nameOf } from './paths.ts';

const HEAD_BYTES = 8_192;

/** A NUL, or one control character in ten, near the start. Text in another encoding is text. */
export function isBinary(bytes: Uint8Array): boolean {
  const size = Math.min(bytes.length, HEAD_BYTES);
  // Nearly all texts have none, which this shows in a tenth of the time.
  if (!ANY_CONTROL.test(oneByOne.decode(bytes.subarray(0, size)))) return false;
  let control = 0;
  for (let i = 0; i < size; i += 1) {
    const byte = bytes[i] as number;
    if (byte >= 32) continue;
    if (byte === 0) return true;
    // Backspace to carriage return, and escape: terminal output has them.
    if ((byte < 8 || byte > 13) && byte !== 27) control += 1;
  }
  return control * 10 > size;
}

/** Each byte becomes one character. */
const oneByOne = new TextDecoder('latin1');
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const ANY_CONTROL = /[\0-\x07\x0e-\x1a\x1c-\x1f]/;

/** `head`: the first few KiB of its text; if empty, only the path is judged. */
export const isGenerated = (path: string, head: string): boolean => generatedBy(path, head) !== null;

/** Why a file should be left out, or null. */
export function skipReason(path: string, bytes: Uint8Array, head: string): string | null {
  return byPath(path) ?? (isBinary(bytes) ? 'binary' : byHead(path, head));
}

const generatedBy = (path: string, head: string): string | null => byPath(path) ?? byHead(path, head);

const LOCKS: ReadonlySet<string> = new Set(
  (
    'package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock Cargo.lock poetry.lock ' +
    'uv.lock pdm.lock Pipfile.lock composer.lock Gemfile.lock go.sum go.work.sum flake.lock mix.lock pubspec.lock ' +
    'Podfile.lock Package.resolved gradle.lockfile packages.lock.json conda-lock.yml'
  ).split(' '),
);

const FOREIGN: ReadonlySet<string> = new Set(
  (
    'node_modules bower_components jspm_packages vendor vendors third_party third-party thirdparty site-packages ' +
    'Godeps Pods .yarn .venv venv .tox'
  ).split(' '),
);

const BUILT: ReadonlySet<string> = new Set(
  (
    'dist .next .nuxt .output .svelte-kit .parcel-cache .turbo .gradle .terraform __pycache__ .pytest_cache ' +
    'storybook-static htmlcov .nyc_output'
  ).split(' '),
);
/** Sources may lie in directories of those names; other files there come from a build. */
const SOURCE = /(?<!\.d)\.(?:[cm]?tsx?|go|rs|java|py|vue|svelte|rb|php)$/;

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/[.-]min\.(?:js|mjs|cjs|css|html|svg)$|\.(?:bundle|chunk)\.(?:js|css)$/, 'minified'],
  [/\.(?:js|mjs|cjs|css|ts)\.map$/, 'a source map'],
  [/\.snap$|\.snap\.[a-z]+$|\.ambr$/, 'a snapshot of tests'],
  [/\.pb\.(?:go|cc|h|gw\.go|validate\.go)$|_pb2(?:_grpc)?\.pyi?$|_pb\.(?:js|d\.ts|ts)$|_grpc\.pb\.go$/, 'generated'],
  [/^(?:zz_generated|generated_)|[._-]generated\.[a-z.]+$|\.gen\.[a-z]+$|\.g\.dart$|\.freezed\.dart$/, 'generated'],
  [/\.designer\.cs$|\.Designer\.cs$|^bindata\.go$/, 'generated'],
];

/** All patterns at once: most names match none. */
const ANY_NAME = new RegExp(NAMES.map(([{ source }]) => source).join('|'));
const TARGET = /(?:^|\/)target\/(?:debug|release|classes|test-classes)(?:\/|$)/;

type FolderKind = { readonly reason: string | null; readonly isBuilt: boolean; readonly isTarget: boolean };
/** Called for every file of a tree, where those of one directory are adjacent. */
let known: FolderKind & { readonly directory: string } = {
  directory: '',
  reason: null,
  isBuilt: false,
  isTarget: false,
};

function placeOf(directory: string): FolderKind {
  if (directory === known.directory) return known;
  const names = directory.split('/');
  const telling = names.find((name) => FOREIGN.has(name) || name === '__snapshots__');
  const reason = telling === undefined ? null : telling === '__snapshots__' ? 'a snapshot of tests' : "others' code";
  const isBuilt = names.some((name) => BUILT.has(name));
  known = { directory, reason, isBuilt, isTarget: TARGET.test(directory) };
  return known;
}

function byPath(path: string): string | null {
  const name = nameOf(path);
  if (LOCKS.has(name)) return 'a lock file';
  const place = placeOf(path.slice(0, Math.max(0, path.length - name.length - 1)));
  if (place.reason !== null) return place.reason;
  if (place.isBuilt && !SOURCE.test(name)) return 'built from other files';
  if (place.isTarget) return 'built from other files';
  return ANY_NAME.test(name) ? (NAMES.find(([pattern]) => pattern.test(name))?.[1] ?? null) : null;
}
/** What generators write at the top. Only at the start of a comment line, because other texts mention it. */
const MARK =
  /^[ \t]*(?:\/\/+!?|#+|\/\*+!?|\*+|<!--+|--|;+|%+|"{3})[ \t]*(?:code generated\b.{0,200}\bdo not edit\b|<auto-?generated\b|@generated\b|(?:this|the) (?:file|code|class) (?:was|is|has been) (?:auto(?:matically|-)? ?)?generated\b|auto-?generated\b.{0,80}\bdo not (?:edit|modify)\b|generated (?:by|from|with|using)\b.{0,120}\bdo not (?:edit|modify)\b|do not (?:edit|modify)\b.{0,80}\bgenerated\b)/im;
const MARK_WITHIN = 3_000;
const DENSE: ReadonlySet<string> = new Set(['js', 'mjs', 'cjs', 'css']);

function byHead(path: string, head: string): string | null {
  if (head === '') return null;
  if (MARK.test(head.slice(0, MARK_WITHIN))) return 'generated';
  if (!DENSE.has(endingOf(path))) return null;
  // A licence may stand above; written code has line breaks and spaces.
  const start = head.slice(0, HEAD_BYTES).replace(/^\s*\/\*(?:[^*]|\*(?!\/))*\*\//, '');
  const lines = start.replace(/\bdata:[\w+./;,=%-]*/g, '').split('\n');
  const long = lines.find((line) => line.length > 1_000);
  if (long === undefined) return null;
  const spaces = long.length - long.replaceAll(' ', '').length;
  return spaces < long.length * 0.08 ? 'minified' : null;
}
