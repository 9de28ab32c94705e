/** Fields that role, workflow and strategy files share; each message says what would be right. */
import * as v from 'valibot';
import { parseDuration } from '../../kernel/duration.ts';
import { nearest } from '../../kernel/nearest.ts';
import { pathProblem, text, word } from './fields.ts';
import { globProblem } from './globs.ts';
import { DIFF_SENTINEL, isVariable, VARIABLES } from './variables.ts';

/** The most items of one list. A longer list was made by a program, and each item is matched against every path. */
const MAX_ITEMS = 200;

export const list = <S extends v.GenericSchema>(item: S) =>
  v.pipe(v.array(item, 'must be a list'), v.maxLength(MAX_ITEMS, `has more than ${MAX_ITEMS} entries`));

/** Role names are parts of lanes, file names and command lines; like all our ids they are lower case. */
const ROLE_NAME = /^[a-z][a-z0-9_-]{0,63}$/;
export const isRoleName = (name: string): boolean => ROLE_NAME.test(name);
export const roleName = v.pipe(
  v.string('must be text'),
  v.regex(ROLE_NAME, 'must be lower-case letters, digits, - or _ and begin with a letter (at most 64)'),
);

/** One of a few words; for a misspelt one the message suggests the nearest. */
export function oneOf<const T extends readonly string[]>(words: T, what: string) {
  return v.picklist(words, ({ received, input }) => {
    const meant = typeof input === 'string' ? nearest(input, words) : null;
    return `${received} is no ${what}${meant === null ? '' : `, did you mean ${meant}?`} (known: ${words.join(', ')})`;
  });
}

export const whole = (least: number, most: number) => {
  const message = `must be a whole number from ${least} to ${most}`;
  return v.pipe(v.number(message), v.integer(message), v.minValue(least, message), v.maxValue(most, message));
};

export const sentence = (most: number) => v.pipe(text(most), v.regex(/\S/, 'is empty: write a sentence'));

/** Not converted to milliseconds here: a value may pass through several files before it is used. */
export const durationText = v.pipe(
  v.union([v.string(), v.number()], 'must be a duration such as 90s or 5m (a bare number means seconds)'),
  v.check(
    (value) => parseDuration(value) !== null,
    'must be a duration such as 90s or 5m (a bare number means seconds)',
  ),
);

/** Paths inside the repository; `./README.md` means the one at the top, `README.md` one at any depth. */
export const pathPattern = checked((pattern) =>
  isVariableLike(pattern)
    ? `${JSON.stringify(pattern)}: variables are only for the lists of \`context\`; write paths or patterns`
    : patternProblem(pattern),
);

/** The same, or a variable. */
export const contextPattern = checked((pattern) =>
  isVariableLike(pattern) ? variableProblem(pattern) : patternProblem(pattern),
);

/** The same, or the words that some use for the diff. */
export const includePattern = checked((pattern) => {
  if (pattern === DIFF_SENTINEL) return null;
  return isVariableLike(pattern) ? variableProblem(pattern) : patternProblem(pattern);
});

function checked(problemOf: (pattern: string) => string | null) {
  return v.pipe(
    word,
    v.maxLength(1_000, 'is longer than 1000 characters'),
    v.rawCheck(({ dataset, addIssue }) => {
      const problem = dataset.typed ? problemOf(dataset.value) : null;
      if (problem !== null) addIssue({ message: problem });
    }),
  );
}

/** A whole word after a `$`; `app/routes/$id.tsx` is a path. */
const isVariableLike = (pattern: string): boolean => /^\$\{?\w*\}?$/.test(pattern);

function variableProblem(pattern: string): string | null {
  if (isVariable(pattern)) return null;
  const meant = nearest(pattern, VARIABLES);
  return `there is no variable ${JSON.stringify(pattern)}${meant === null ? '' : `, did you mean ${meant}?`} (known: ${VARIABLES.join(', ')})`;
}

function patternProblem(pattern: string): string | null {
  const path = pattern.replace(/^\.\/(?=.)/, '');
  const problem = globProblem(path);
  return pathProblem(path) ?? (problem === null ? null : `${JSON.stringify(pattern)} ${problem}`);
}
