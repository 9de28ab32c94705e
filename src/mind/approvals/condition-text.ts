/** Conditions of an approval policy as people write them: `file_count < 3`, `breaking_api_changes`, `changes_auth_code`. */
import { nearest } from '../../kernel/nearest.ts';
import { COMPARISONS, type Condition, MARKS, MEASURES, type Measure } from '../workflows/approval-policy.ts';

/** Classes whose conditions have their own wording. */
const PHRASES: Readonly<Record<string, string>> = {
  auth: 'changes_auth_code',
  payment: 'changes_payment_code',
  keys: 'changes_key_management',
  production: 'production_config_changes',
};
const CLASS_OF = new Map(Object.entries(PHRASES).map(([name, phrase]) => [phrase, name]));
const PREFIX = 'changes_';
const PERCENT: ReadonlySet<Measure> = new Set<Measure>(['test_coverage', 'coverage_delta']);

export function conditionText(condition: Condition): string {
  if ('mark' in condition) return condition.mark;
  if ('measure' in condition) return `${condition.measure} ${condition.is} ${condition.than}`;
  return Object.hasOwn(PHRASES, condition.changes)
    ? (PHRASES[condition.changes] as string)
    : `${PREFIX}${condition.changes}`;
}

/** A condition cannot name a class of this name, because it means another one. */
export const isShadowed = (name: string): boolean => CLASS_OF.has(`${PREFIX}${name}`);

/** What a measure can be, from its least value to its greatest. */
const RANGES: Readonly<Record<Measure, readonly [number, number]>> = {
  file_count: [0, Number.POSITIVE_INFINITY],
  lines_changed: [0, Number.POSITIVE_INFINITY],
  lines_added: [0, Number.POSITIVE_INFINITY],
  lines_removed: [0, Number.POSITIVE_INFINITY],
  new_dependencies: [0, Number.POSITIVE_INFINITY],
  test_coverage: [0, 100],
  coverage_delta: [-100, 100],
  score: [0, 1],
};

/** Says why the measure never compares so, as with a score above 90; null: it may. */
export function rangeProblem(condition: Condition): string | null {
  if (!('measure' in condition)) return null;
  const { measure, is, than } = condition;
  const [least, greatest] = RANGES[measure];
  const isWithin = than >= least && than <= greatest;
  const isNever = (is === '<' && than === least) || (is === '>' && than === greatest);
  if (isWithin && !isNever) return null;
  const range = greatest === Number.POSITIVE_INFINITY ? `never below ${least}` : `from ${least} to ${greatest}`;
  return `${conditionText(condition)} makes no sense: ${measure} is ${range}`;
}

/** Returns the condition, or what is wrong with it. `classes`: the existing ones. */
export function parseCondition(text: string, classes: readonly string[]): Condition | string {
  const [, name, ...compared] = /^\s*([a-z_]+)\s*([<>=!]+)\s*(.*?)\s*$/i.exec(text) ?? [];
  return name === undefined ? parseWord(text, classes) : parseComparison(name, compared);
}

function parseComparison(name: string, [sign = '', number = '']: readonly string[]): Condition | string {
  const measure = MEASURES.find((one) => one === name);
  if (measure === undefined) return `there is no number ${name}${guess(name, MEASURES)}`;
  const is = COMPARISONS.find((one) => one === sign);
  if (is === undefined) return `${name} cannot be compared by ${sign}: write ${COMPARISONS.join(', ')}`;
  const [, than, percent] = /^(-?\d+(?:\.\d+)?)\s*(%?)$/.exec(number) ?? [];
  if (than === undefined) return `${JSON.stringify(number)} is no number to compare ${name} with`;
  if (percent !== '' && !PERCENT.has(measure)) return `${name} is no percentage: leave out the %`;
  return { measure, is, than: Number(than) };
}

function parseWord(text: string, classes: readonly string[]): Condition | string {
  const word = text.trim();
  const mark = MARKS.find((one) => one === word);
  if (mark !== undefined) return { mark };
  const named = CLASS_OF.get(word) ?? (word.startsWith(PREFIX) ? word.slice(PREFIX.length) : null);
  if (named !== null && classes.includes(named)) return { changes: named };
  if (named !== null)
    return `there is no class of paths ${named}${guess(named, classes)}: write its patterns under \`paths\``;
  if (MEASURES.some((one) => one === word)) return `${word} is a number: compare it, such as ${word} > 0`;
  const known = [...MARKS, ...CLASS_OF.keys(), ...classes.map((name) => `${PREFIX}${name}`), ...MEASURES];
  return `${JSON.stringify(word.slice(0, 80))} is no condition${guess(word, known)}`;
}

function guess(name: string, known: readonly string[]): string {
  const meant = nearest(name, known) ?? known.find((one) => one.split('_').includes(name)) ?? null;
  return meant === null ? ` (known: ${known.join(', ')})` : `, did you mean ${meant}?`;
}
