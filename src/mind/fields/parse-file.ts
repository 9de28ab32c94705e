/**
 * Parses a file that people write against its schema: returns a typed value, or the first problem with file, line and
 * column.
 */
import * as v from 'valibot';
import { nearest } from '../../kernel/nearest.ts';
import { issueText } from './issue-text.ts';
import { type FieldPath, type FileProblem, readYaml } from './yaml.ts';

/** The schema of one kind of file. */
export type FileSchema = v.BaseSchema<unknown, unknown, v.BaseIssue<unknown>>;

export type ParsedFile<T> = {
  readonly type: 'parsed';
  readonly value: T;
  /** Reports what the schema alone cannot see: the same kind of problem, at the value of a path. */
  problem(path: FieldPath, message: string): FileProblem;
};

export function parseFile<S extends FileSchema>(
  schema: S,
  text: string,
  file: string,
): ParsedFile<v.InferOutput<S>> | FileProblem {
  const yaml = readYaml(text, file);
  if (yaml.type === 'problem') return yaml;
  if (yaml.value === null || typeof yaml.value !== 'object' || Array.isArray(yaml.value)) {
    return {
      type: 'problem',
      file,
      ...yaml.locate([], 'value'),
      message: 'must hold keys and values at its top, as `key: value`',
    };
  }
  const parsed = v.safeParse(schema, yaml.value);
  if (parsed.success) {
    const problem = (path: FieldPath, message: string): FileProblem => ({
      type: 'problem',
      file,
      ...yaml.locate(path, 'value'),
      message: path.length === 0 ? message : `${path.join('.')}: ${message}`,
    });
    return { type: 'parsed', value: parsed.output, problem };
  }
  const found = parsed.issues.map((issue) => ({ issue, ...placeOf(issue, yaml.locate) }));
  const { issue, path, place } = firstToSee(found);
  const message = isUnknownKey(issue)
    ? unknownKeyMessage(schema, path, yaml.value)
    : `${path.join('.') || 'the file'}: ${issueText(issue)}${asList(issue)}`;
  return { type: 'problem', file, ...place, message };
}

type SchemaIssue = v.BaseIssue<unknown>;
type Locate = Extract<ReturnType<typeof readYaml>, { locate: unknown }>['locate'];
type PlacedIssue = {
  readonly issue: SchemaIssue;
  readonly path: FieldPath;
  readonly place: ReturnType<Locate>;
};

function placeOf(issue: SchemaIssue, locate: Locate): Omit<PlacedIssue, 'issue'> {
  const path = (issue.path ?? []).map((item) => item.key as string | number);
  const aboutKey = isUnknownKey(issue) || issue.path?.at(-1)?.origin === 'key';
  const key = locate(path, 'key');
  const value = locate(path, 'value');
  // A key that is refused whatever is below it: its own line is the one to look at.
  const isBelow = issue.type === 'never' && value.line > key.line;
  return { path, place: aboutKey || isBelow ? key : value };
}

/**
 * A misspelt or refused key also counts as missing and makes its parent invalid: the person has to see the misspelling. An earlier
 * mistake comes first.
 */
function firstToSee(found: readonly PlacedIssue[]): PlacedIssue {
  const [first] = found;
  if (first === undefined) throw new Error('a file without an issue is right');
  const [misspelt] = found.filter(({ issue }) => isUnknownKey(issue) || issue.type === 'never').toSorted(byPlace);
  if (misspelt === undefined || first.issue.received === 'undefined') return misspelt ?? first;
  const holds = first.path.every((part, n) => part === misspelt.path[n]);
  return holds || byPlace(first, misspelt) > 0 ? misspelt : first;
}

const byPlace = ({ place: a }: PlacedIssue, { place: b }: PlacedIssue): number =>
  a.line - b.line || a.column - b.column;

/** A single name instead of a list: what to write. */
const asList = ({ type, input }: SchemaIssue): string =>
  type === 'array' && typeof input === 'string' && input.length <= 60 && !input.includes('\n')
    ? `: write [${input}]`
    : '';

const isUnknownKey = (issue: v.BaseIssue<unknown>): boolean =>
  issue.type === 'strict_object' && issue.expected === 'never';

function unknownKeyMessage(schema: unknown, path: FieldPath, file: unknown): string {
  const key = String(path.at(-1));
  const known = keysAt(schema, path.slice(0, -1), file);
  const meant = nearest(key, known);
  return `unknown key \`${key}\`${meant === null ? '' : `, did you mean \`${meant}\`?`}${known.length > 0 ? ` (known here: ${known.join(', ')})` : ''}`;
}

/** The keys of an object schema at a path; looks through optional, pipe, lazy and array wrappers. */
function keysAt(schema: unknown, path: FieldPath, file: unknown): string[] {
  let value = file;
  let node = unwrapped(schema, value);
  for (const part of path) {
    value = (value as Record<string | number, unknown> | undefined)?.[part];
    if (node.entries !== undefined) node = unwrapped(node.entries[String(part)], value);
    else node = unwrapped(node.item ?? node.value, value);
  }
  const entries = Object.entries(node.entries ?? {});
  return entries.flatMap(([key, one]) => (isRefused(one) ? [] : [key]));
}

/** A key that is declared only to say what to write instead. */
const isRefused = (schema: unknown): boolean =>
  (schema as { wrapped?: { type?: unknown } } | null)?.wrapped?.type === 'never';

type SchemaNode = { entries?: Record<string, unknown>; item?: unknown; value?: unknown };
type Wrapper = SchemaNode & { wrapped?: unknown; getter?: (input: unknown) => unknown };

function unwrapped(schema: unknown, value: unknown): SchemaNode {
  let node = schema as Wrapper | null;
  while (node !== null && typeof node === 'object' && node.entries === undefined && node.item === undefined) {
    if (node.wrapped !== undefined) node = node.wrapped as Wrapper;
    else if (node.getter !== undefined) node = node.getter(value) as Wrapper;
    else break;
  }
  return node ?? {};
}

/** `file:line:column: message`, the line itself, and a caret under the place. */
export function problemText(problem: FileProblem): string {
  const excerpt = problem.excerpt.slice(0, 160);
  const caret = `${' '.repeat(Math.min(problem.column - 1, 160))}^`;
  return `${problem.file}:${problem.line}:${problem.column}: ${problem.message}\n  ${excerpt}\n  ${caret}`;
}
