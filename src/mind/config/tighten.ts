/** Combines a project's limits with the user's: if the user set a value, the project may only tighten it. */
import { assertNever } from '../../kernel/assert-never.ts';
import { backoffOf, type LimitsConfig } from '../domain/limits.ts';
import { flatLimits, type LimitKey, limitKey, nestedLimits } from './limit-keys.ts';

/** A value in force and its source. */
type SetValue = { readonly value: unknown; readonly by: 'person' | 'project' };

export function tighten(user: LimitsConfig, project: LimitsConfig): LimitsConfig {
  return nestedLimits(new Map([...tightest(user, project)].map(([key, { value }]) => [key, value])));
}

/** By flat key, only for keys that a file sets. */
export function tightest(user: LimitsConfig, project: LimitsConfig): Map<string, SetValue> {
  const persons = flatLimits(user);
  const projects = flatLimits(project);
  const chosen = new Map<string, SetValue>();
  for (const name of new Set([...persons.keys(), ...projects.keys()])) {
    const key = limitKey(name);
    const said = key === undefined ? null : chooseOne(key, persons.get(name), projects.get(name));
    if (said !== null) chosen.set(name, said);
  }
  return chosen;
}

function chooseOne(key: LimitKey, person: unknown, project: unknown): SetValue | null {
  const own: SetValue | null = person === undefined ? null : { value: person, by: 'person' };
  if (project === undefined) return own;
  const against = person === undefined ? key.notLooser : person;
  if (against !== undefined && !isTighter(key.rule, project, against)) return own;
  return { value: project, by: 'project' };
}

/** The schema of this key parsed both. */
function isTighter(rule: LimitKey['rule'], project: unknown, person: unknown): boolean {
  switch (rule) {
    case 'less':
      return (project as number) < (person as number);
    case 'more':
      return (project as number) > (person as number);
    case 'budget':
      // `null` means that the user wants no budget: any budget is tighter.
      return ((project as number | null) ?? Infinity) < ((person as number | null) ?? Infinity);
    case 'tries': {
      type Backoff = NonNullable<LimitsConfig['backoff']>;
      return backoffOf(project as Backoff).tries < backoffOf(person as Backoff).tries;
    }
    case 'person':
      return false;
    default:
      return assertNever(rule, 'rule of a limit');
  }
}
