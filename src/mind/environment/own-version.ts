/** A project's own version and description are in its manifest and lock file, but do not change what is installed. */

const JSON_FILE = /(?:^|\/)(?:package|package-lock|npm-shrinkwrap)\.json$/;
const TOML_MANIFEST = /(?:^|\/)(?:pyproject|Cargo)\.toml$/;
const TOML_LOCK = /(?:^|\/)(?:Cargo|uv)\.lock$/;
/** Tables of a manifest that describe the project itself. */
const OWN_TABLE = /^(?:project|package|workspace\.package|tool\.poetry)$/;
const OWN_LINE = /^[ \t]*(?:version|description)[ \t]*=[ \t]*(?:"[^"\\\n]*"|'[^'\n]*')[ \t]*(?:#[^\n]*)?$/;

/** Whether it may hold them; any other key file counts byte for byte. */
export const mayHoldOwnVersion = (path: string): boolean =>
  JSON_FILE.test(path) || TOML_MANIFEST.test(path) || TOML_LOCK.test(path);

/** The text without the project's own version and description. Versions of dependencies stay. */
export function withoutOwnVersion(path: string, text: string): string {
  if (JSON_FILE.test(path)) return npmText(text);
  if (TOML_LOCK.test(path)) return lockText(text);
  return TOML_MANIFEST.test(path) ? manifestText(text) : text;
}

function npmText(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  if (!isRecord(value)) return text;
  const { packages } = value;
  const own = isRecord(packages) ? { packages: ownPackages(packages) } : {};
  return JSON.stringify({ ...bare(value), ...own });
}

/** A lock file lists the project's own packages by directory: only installed ones are in `node_modules`. */
function ownPackages(packages: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const parts = Object.entries(packages).map(([at, one]): [string, unknown] =>
    isRecord(one) && !at.split('/').includes('node_modules') ? [at, bare(one)] : [at, one],
  );
  return Object.fromEntries(parts);
}

function bare({ version: _, description: __, ...rest }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return rest;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text with multi-line strings is kept whole: a line in one of them may look like a key. */
const hasLongStrings = (text: string): boolean => /"""|'''/.test(text);

function manifestText(text: string): string {
  if (hasLongStrings(text)) return text;
  let isOwn = false;
  const kept = text.split('\n').filter((line) => {
    const table = /^\s*\[{1,2}([^\]]+)\]{1,2}/.exec(line)?.[1];
    if (table !== undefined) isOwn = OWN_TABLE.test(table.replace(/["'\s]/g, ''));
    return !(isOwn && OWN_LINE.test(line.replace(/\r$/, '')));
  });
  return kept.join('\n');
}

/** Cargo writes a project's own package without a source, uv as an editable or virtual one. */
function lockText(text: string): string {
  if (hasLongStrings(text)) return text;
  const blocks = text.split(/^(?=\[\[package\]\])/m);
  return blocks
    .map((block) => {
      const source = /^source[ \t]*=[ \t]*(.+)$/m.exec(block)?.[1];
      const isOwn = source === undefined || /^\{[ \t]*(?:editable|virtual)\b/.test(source);
      return block.startsWith('[[package]]') && isOwn ? block.replace(/^version[ \t]*=[^\n]*\n/m, '') : block;
    })
    .join('');
}
