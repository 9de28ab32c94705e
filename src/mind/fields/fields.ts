/** Field types that files of people share; each message says what would be right. */
import * as v from 'valibot';
import { parseDuration } from '../../kernel/duration.ts';
import { isId } from '../../kernel/ids.ts';
import { globProblem } from './globs.ts';
import { pathTo } from './path-to.ts';

export const name = v.pipe(v.string(), v.check(isId, 'must be lower-case letters, digits, - or _ (at most 64)'));

/** Milliseconds inside; people write `90s`, `5m` or a number of seconds. */
export const duration = v.pipe(
  v.union([v.string(), v.number()]),
  v.check(
    (text) => parseDuration(text) !== null,
    'must be a duration such as 200ms, 90s or 5m (a bare number means seconds, at most ten years)',
  ),
  v.transform((text) => parseDuration(text) as number),
);

/** Neither an argument nor a variable can hold a zero byte. */
export const text = (most: number) =>
  v.pipe(
    v.string(),
    v.maxLength(most, `is longer than ${most} characters`),
    v.check((value) => !value.includes('\0'), 'holds a zero byte'),
  );

export const word = v.pipe(text(4_000), v.minLength(1, 'is empty'));

export const argv = v.pipe(v.array(word), v.minLength(1, 'is empty: name a program'), v.maxLength(200));
export const variable = v.pipe(v.string(), v.regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'is no name of a variable'));

/** A string runs with `sh -c` inside the sandbox; a list runs as it is. */
export const command = v.union([word, argv], 'must be a command line, or a list of words');
export const variables = v.record(variable, text(100_000));

/** A path inside the repository, as git writes it; `test/` for a directory. */
const inside = v.pipe(
  word,
  v.rawCheck(({ dataset, addIssue }) => {
    const problem = dataset.typed ? pathProblem(dataset.value) : null;
    if (problem !== null) addIssue({ message: problem });
  }),
);

/** The same for one file. */
export const insideFile = v.pipe(
  inside,
  v.check((path) => !path.endsWith('/'), 'must name a file, not a directory'),
);

/** A pattern of paths inside the repository. */
export const pattern = v.pipe(
  inside,
  v.rawCheck(({ dataset, addIssue }) => {
    const problem = dataset.typed ? globProblem(dataset.value) : null;
    if (problem !== null) addIssue({ message: `${JSON.stringify(dataset.value)} ${problem}` });
  }),
);

/** Why a path is not inside the repository; quotes it, because a list of paths may be long. */
export function pathProblem(path: string): string | null {
  const quoted = JSON.stringify(path.slice(0, 200));
  if (path.startsWith('/') || path.startsWith('~')) return `${quoted} must be relative to the repository`;
  const parts = path.replace(/\/$/, '').split('/');
  if (parts.includes('..')) return `${quoted} must not leave the repository (\`..\`)`;
  if (parts.includes('.') || parts.includes(''))
    return `${quoted} must be written as git does, without \`.\` or \`//\``;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  if (/[\u0000-\u001f\u007f\\]/.test(path)) return `${quoted} holds a backslash or a control character`;
  return null;
}

/** If one file had two of one name, the second would silently replace the first. */
export function onceEach<T extends { readonly name: string }>(what: string) {
  return v.rawCheck<T[]>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const seen = new Set<string>();
    for (const [index, one] of dataset.value.entries()) {
      if (seen.has(one.name))
        addIssue({
          message: `there are two ${what}s named ${one.name}: rename or remove one`,
          path: pathTo(dataset.value, [index, 'name']),
        });
      seen.add(one.name);
    }
  });
}
