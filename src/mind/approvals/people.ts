/** People who approve: how they are named, and who is still missing, in words. */
import type { Needed } from '../workflows/approval-policy.ts';
import { missing } from './needed.ts';

/** The name that a policy knows a person by: `ana` of the actor `operator:ana`. */
export const personOf = (actor: string): string => actor.slice(actor.indexOf(':') + 1);

/** Whose approval is still asked for; empty: nobody's. */
export function missingText(needed: Pick<Needed, 'demands'>, people: readonly string[]): string {
  return missing(needed, people)
    .map(({ demand, more }) => {
      const who =
        demand.groups.length > 0 ? ` of ${demand.groups.join(' or ')} (${(demand.people ?? []).join(', ')})` : '';
      return more === 1 ? `one more person${who} has to approve` : `${more} more people${who} have to approve`;
    })
    .join(', and ');
}
