/** Parses YAML of people strictly: one document, no repeated keys, no tags, no bombs; every error has its place. */
import { type Document, isAlias, isMap, isNode, isScalar, LineCounter, parseAllDocuments, visit } from 'yaml';

/** A problem of a file, and its place. */
export type FileProblem = {
  readonly type: 'problem';
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** The line with the problem, for a caret. */
  readonly excerpt: string;
};

/** The keys and indexes that lead to a value. */
export type FieldPath = readonly (string | number)[];

type ReadYaml = {
  readonly type: 'yaml';
  readonly value: unknown;
  /** The place of the value at a path, or of its key. */
  locate(path: FieldPath, at: 'key' | 'value'): { line: number; column: number; excerpt: string };
};

const MAX_ALIASES = 100;
const MAX_DEPTH = 64;

export function readYaml(text: string, file: string): ReadYaml | FileProblem {
  const lines = new LineCounter();
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col, excerpt: text.split('\n')[line - 1]?.replace(/\r$/, '') ?? '' };
  };
  const problem = (offset: number, message: string): FileProblem => ({
    type: 'problem',
    file,
    ...place(offset),
    message,
  });

  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    // Checked below instead: the library compares each key with each, which takes 4 s for 5,000 keys (measured
    // 2026-11).
    uniqueKeys: false,
    version: '1.2',
    merge: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const document = documents[0] as Document.Parsed | undefined;
  if (document === undefined || document.contents === null)
    return problem(0, 'is empty: write at least one key, or remove the file');
  if (documents.length > 1)
    return problem(documents[1]?.range?.[0] ?? 0, 'holds more than one document: keep one, without `---` in between');
  const bad = document.errors[0] ?? document.warnings[0];
  if (bad !== undefined) {
    const message = bad.message.split('\n')[0] ?? bad.message;
    return problem(bad.pos[0], /call stack/.test(message) ? `is nested deeper than ${MAX_DEPTH} levels` : message);
  }
  const odd = oddity(document);
  if (odd !== null) return problem(odd.offset, odd.message);
  return {
    type: 'yaml',
    value: document.toJS({ maxAliasCount: MAX_ALIASES }),
    locate: (path, at) => place(offsetOf(document, path, at)),
  };
}

/** YAML features that a config file does not need. */
function oddity(document: Document.Parsed): { offset: number; message: string } | null {
  let found: { offset: number; message: string } | null = null;
  let aliases = 0;
  const report = (node: unknown, message: string) => {
    found ??= { offset: isNode(node) ? (node.range?.[0] ?? 0) : 0, message };
    return visit.BREAK;
  };
  visit(document, {
    Node(_key, node, path) {
      if (path.length > MAX_DEPTH * 2) return report(node, `is nested deeper than ${MAX_DEPTH} levels`);
      if (isAlias(node)) {
        aliases += 1;
        if (aliases > MAX_ALIASES || path.filter((up) => isNode(up) && 'anchor' in up && up.anchor).length > 0) {
          return report(node, 'aliases inside anchored values, or more than 100 of them, are refused as too complex');
        }
      }
      return undefined;
    },
    Map(_key, map) {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        const name = isScalar(key) ? String(key.value) : null;
        if (name !== null && seen.has(name)) return report(key, `keys must be unique: \`${name}\` is there twice`);
        if (name !== null) seen.add(name);
      }
      return undefined;
    },
    Pair(_key, pair) {
      const key = isScalar(pair.key) ? pair.key.value : pair.key;
      if (key === '<<') return report(pair.key, 'merge keys (`<<`) are not supported: write the fields out');
      if (key === '__proto__' || key === 'constructor' || key === 'prototype')
        return report(pair.key, `\`${key}\` is not a key`);
      if (typeof key !== 'string' && typeof key !== 'number') return report(pair.key, 'keys must be plain text');
      return undefined;
    },
  });
  return found;
}

function offsetOf(document: Document.Parsed, path: FieldPath, at: 'key' | 'value'): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range?.[0] ?? 0;
  for (const [depth, part] of path.entries()) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(part));
      if (pair === undefined) return offset;
      const key = isNode(pair.key) ? pair.key.range?.[0] : undefined;
      const value = isNode(pair.value) ? pair.value.range?.[0] : undefined;
      const wanted = depth === path.length - 1 && at === 'key' ? key : (value ?? key);
      offset = wanted ?? offset;
      node = pair.value;
    } else {
      node =
        isNode(node) && 'get' in node
          ? (node as unknown as { get(key: unknown, keep: true): unknown }).get(part, true)
          : undefined;
      if (isNode(node)) offset = node.range?.[0] ?? offset;
    }
  }
  return offset;
}

/** Why a text is no YAML, with its line; null if it parses. Several documents and tags are allowed here. */
export function yamlProblem(text: string): string | null {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const bad = documents.flatMap(({ errors }) => errors)[0];
  if (bad === undefined) return null;
  return `line ${lines.linePos(bad.pos[0]).line}: ${bad.message.split('\n')[0] ?? bad.message}`;
}
