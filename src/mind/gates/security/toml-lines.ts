/** Reads the keys of a TOML file with their places. Lenient: skips what it does not understand. */

export type TomlEntry = {
  /** Its table, as in `[tool.poetry.dependencies]`, without quotes. */
  readonly table: string;
  /** How many tables of that name precede it: `[[package]]` comes once for each package. */
  readonly index: number;
  readonly key: string;
  /** The text of its value, with the lines of a list joined. */
  readonly value: string;
  readonly line: number;
};

const MAX_LIST_LINES = 5_000;

export function tomlEntries(text: string): TomlEntry[] {
  const lines = text.split('\n');
  const out: TomlEntry[] = [];
  const counts = new Map<string, number>();
  let [table, index] = ['', 0];
  for (let n = 0; n < lines.length; n += 1) {
    const line = (lines[n] ?? '').trim();
    if (line === '' || line.startsWith('#')) continue;
    const header = /^\[{1,2}([^\]]{1,300})\]{1,2}\s{0,20}(?:#.*)?$/.exec(line)?.[1];
    if (header !== undefined) {
      table = header.replace(/["'\s]/g, '');
      index = counts.get(table) ?? 0;
      counts.set(table, index + 1);
      continue;
    }
    const [, key, begin] = /^("[^"]{1,200}"|'[^']{1,200}'|[\w.-]{1,200})\s{0,40}=\s{0,40}(.*)$/.exec(line) ?? [];
    if (key === undefined || begin === undefined) continue;
    const first = n;
    const parts = [withoutComment(begin)];
    let depth = openIn(parts[0] ?? '');
    while (depth > 0 && n + 1 < lines.length && n - first < MAX_LIST_LINES) {
      n += 1;
      const part = withoutComment((lines[n] ?? '').trim());
      parts.push(part);
      depth += openIn(part);
    }
    out.push({ table, index, key: key.replace(/["']/g, ''), value: parts.join('\n'), line: first + 1 });
  }
  return out;
}

/** The number of opened minus closed brackets, outside strings. */
function openIn(text: string): number {
  let open = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'|[[\]{}]/g)) {
    if (token === '[' || token === '{') open += 1;
    else if (token === ']' || token === '}') open -= 1;
  }
  return open;
}

function withoutComment(text: string): string {
  if (!text.includes('#')) return text;
  let end = text.length;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'|#/g)) {
    if (token !== '#') continue;
    end = index;
    break;
  }
  return text.slice(0, end).trimEnd();
}

/** The strings in a value, with the line of each. */
export function stringsIn({ value, line }: TomlEntry): { readonly text: string; readonly line: number }[] {
  return value
    .split('\n')
    .flatMap((part, n) =>
      [...part.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g)].map(([, a, b]) => ({ text: a ?? b ?? '', line: line + n })),
    );
}

/** The text of a string or of one field of an inline table; null if there is none. */
export function fieldOf(value: string, key: string): string | null {
  const found = new RegExp(`[{,]\\s{0,20}["']?${key}["']?\\s{0,20}=\\s{0,20}(?:"([^"]{0,500})"|'([^']{0,500})')`).exec(
    value,
  );
  return found?.[1] ?? found?.[2] ?? null;
}

export function plainString(value: string): string | null {
  const found = /^(?:"([^"]{0,2000})"|'([^']{0,2000})')/.exec(value);
  return found?.[1] ?? found?.[2] ?? null;
}
