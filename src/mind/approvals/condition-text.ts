/** Conditions of an approval policy as people write them: `file_count < 3`, `breaking_api_changes`, `changes_auth_code`. */
import { nearest } from '../../kernel/nearest.ts';
import { COMPARISONS, type Condition, MARKS, MEASURES } from '../workflows/approval-policy.ts';

/** Classes whose conditions have words of their own. */
const PHRASES: Readonly<Record<string, string>> = {
  auth: 'changes_auth_code',
  payment: 'changes_payment_code',
  keys: 'changes_key_management',
  production: 'production_config_changes',
};
const CLASS_OF = new Map(Object.entries(PHRASES).map(([name, phrase]) => [phrase, name]));
const PREFIX = 'changes_';

export function conditionText(condition: Condition): string {
  if ('mark' in condition) return condition.mark;
  if ('measure' in condition) return `${condition.measure} ${condition.is} ${condition.than}`;
  return Object.hasOwn(PHRASES, condition.changes)
    ? (PHRASES[condition.changes] as string)
    : `${PREFIX}${condition.changes}`;
}

/** A class of this name could not be asked about: its condition means another class. */
export const isShadowed = (name: string): boolean => CLASS_OF.has(`${PREFIX}${name}`);

/** The condition, or what is wrong with it. `classes`: those that there are. */
export function parseCondition(text: string, classes: readonly string[]): Condition | string {
  const compared = /^\s*([a-z_]+)\s*(<=|>=|==|<|>)\s*(-?\d+(?:\.\d+)?)\s*%?\s*$/.exec(text);
  if (compared !== null) {
    const [, name = '', sign = '', number = ''] = compared;
    const measure = MEASURES.find((one) => one === name);
    const is = COMPARISONS.find((one) => one === sign);
    if (measure === undefined || is === undefined) return `there is no number ${name}${guess(name, MEASURES)}`;
    return { measure, is, than: Number(number) };
  }
  const word = text.trim();
  const mark = MARKS.find((one) => one === word);
  if (mark !== undefined) return { mark };
  const named = CLASS_OF.get(word) ?? (word.startsWith(PREFIX) ? word.slice(PREFIX.length) : null);
  if (named !== null && classes.includes(named)) return { changes: named };
  if (named !== null)
    return `there is no class of paths ${named}${guess(named, classes)}: write its patterns under \`paths\``;
  const known = [...MARKS, ...CLASS_OF.keys(), ...classes.map((name) => `${PREFIX}${name}`), ...MEASURES];
  return `${JSON.stringify(word.slice(0, 80))} is no condition${guess(word, known)}`;
}

function guess(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === null ? ` (known: ${known.join(', ')})` : `, did you mean ${meant}?`;
}
