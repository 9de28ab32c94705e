/** A file people write, parsed against its schema: a typed value, or the first problem with file, line and column. */
import * as v from 'valibot';
import { nearest } from '../../kernel/nearest.ts';
import { type FileProblem, readYaml } from './yaml.ts';

/** What describes a kind of file. */
export type FileSchema = v.BaseSchema<unknown, unknown, v.BaseIssue<unknown>>;

export type ParsedFile<T> = {
  readonly type: 'parsed';
  readonly value: T;
  /** For what the schema alone can not see: the same kind of problem, at the value of a path. */
  problem(path: readonly (string | number)[], message: string): FileProblem;
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
    const problem = (path: readonly (string | number)[], message: string): FileProblem => ({
      type: 'problem',
      file,
      ...yaml.locate(path, 'value'),
      message: `${path.join('.')}: ${message}`,
    });
    return { type: 'parsed', value: parsed.output, problem };
  }
  // A misspelt key is also a missing one; the misspelling is what the person has to see.
  const issue = parsed.issues.find(isUnknownKey) ?? parsed.issues[0];
  const path = (issue.path ?? []).map((item) => item.key as string | number);
  const unknownKey = isUnknownKey(issue);
  const aboutKey = unknownKey || issue.path?.at(-1)?.origin === 'key';
  const place = yaml.locate(path, aboutKey ? 'key' : 'value');
  return {
    type: 'problem',
    file,
    ...place,
    message: unknownKey
      ? unknownKeyMessage(schema, path, yaml.value)
      : `${path.join('.') || 'the file'}: ${issue.message}`,
  };
}

const isUnknownKey = (issue: v.BaseIssue<unknown>): boolean =>
  issue.type === 'strict_object' && issue.expected === 'never';

function unknownKeyMessage(schema: unknown, path: readonly (string | number)[], file: unknown): string {
  const key = String(path.at(-1));
  const known = keysAt(schema, path.slice(0, -1), file);
  const meant = nearest(key, known);
  return `unknown key \`${key}\`${meant === null ? '' : `, did you mean \`${meant}\`?`}${known.length > 0 ? ` (known here: ${known.join(', ')})` : ''}`;
}

/** The keys an object schema has at a path; looks through optional, pipe, lazy and array wrappers. */
function keysAt(schema: unknown, path: readonly (string | number)[], file: unknown): string[] {
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
