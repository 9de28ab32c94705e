/** A project's limits against those a person set: where the person said something, the project may only ask for less. */
import { assertNever } from '../../kernel/assert-never.ts';
import { backoffOf, type LimitsConfig } from '../domain/limits.ts';
import { flatLimits, type LimitKey, limitKey, nestedLimits } from './limit-keys.ts';

/** One value in force, and whose it is. */
type Said = { readonly value: unknown; readonly by: 'person' | 'project' };

export function tighten(user: LimitsConfig, project: LimitsConfig): LimitsConfig {
  return nestedLimits(new Map([...tightest(user, project)].map(([key, { value }]) => [key, value])));
}

/** By flat key. A key that nobody said is not in it. */
export function tightest(user: LimitsConfig, project: LimitsConfig): Map<string, Said> {
  const persons = flatLimits(user);
  const projects = flatLimits(project);
  const chosen = new Map<string, Said>();
  for (const name of new Set([...persons.keys(), ...projects.keys()])) {
    const key = limitKey(name);
    const said = key === undefined ? null : chooseOne(key, persons.get(name), projects.get(name));
    if (said !== null) chosen.set(name, said);
  }
  return chosen;
}

function chooseOne(key: LimitKey, person: unknown, project: unknown): Said | null {
  const own: Said | null = person === undefined ? null : { value: person, by: 'person' };
  if (project === undefined) return own;
  const against = person === undefined ? key.notLooser : person;
  if (against !== undefined && !isTighter(key.rule, project, against)) return own;
  return { value: project, by: 'project' };
}

/** Both were parsed by the schema of this key. */
function isTighter(rule: LimitKey['rule'], project: unknown, person: unknown): boolean {
  switch (rule) {
    case 'less':
      return (project as number) < (person as number);
    case 'more':
      return (project as number) > (person as number);
    case 'budget':
      // `null` is a person's word for no budget: any budget is tighter.
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
