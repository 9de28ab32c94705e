/**
 * People who approve: OS users, and owners of keys of the allowed signers. Decides which of them are the same person,
 * and who is missing.
 */
import type { Agreed } from '../domain/task.ts';
import type { Needed } from '../workflows/approval-policy.ts';

/**
 * A person whose approval counts. `names`: all names that a policy may use for this person. `key`: the fingerprint of
 * the signing key.
 */
export type Approver = { readonly name: string; readonly names: readonly string[]; readonly key: string | null };

/** The name by which policies know a person: `ana` of the actor `operator:ana`. */
export const personOf = (actor: string): string => actor.slice(actor.indexOf(':') + 1);

/** A name with an `@` belongs to a key: it counts only with a signature. */
const isKeyName = (name: string): boolean => name.includes('@');

export function approverOf({ by, signed }: Pick<Agreed, 'by' | 'signed'>): Approver {
  if (signed !== undefined)
    return { name: signed.as, names: [...new Set([signed.as, ...signed.names])], key: signed.key };
  const name = personOf(by);
  return { name, names: isKeyName(name) ? [] : [name], key: null };
}

/** In doubt two approvals come from one person: `ana` and `ana@example.com` do, and so do two names of one key. */
function isSame(one: Approver, other: Approver): boolean {
  if (one.key !== null && one.key === other.key) return true;
  const names = new Set(everyName(one));
  return everyName(other).some((name) => names.has(name));
}

const everyName = ({ name, names }: Approver): string[] =>
  [name, ...names].flatMap((each) => (isKeyName(each) ? [each, each.slice(0, each.indexOf('@'))] : [each]));

/** Each group is one person, even if only a third approval shows that two are the same. */
export function peopleIn(approvers: readonly Approver[]): Approver[][] {
  let people: Approver[][] = [];
  for (const one of approvers) {
    const same = people.filter((person) => person.some((other) => isSame(one, other)));
    people = [...people.filter((person) => !same.includes(person)), [...same.flat(), one]];
  }
  return people;
}

/** The names of a policy by person: two names that count as the same person stand together. */
export const peopleNamed = (names: readonly string[]): string[][] =>
  peopleIn(names.map((name) => ({ name, names: [name], key: null }))).map((person) => person.map(({ name }) => name));

/** Demands that these approvals do not meet, each with the number of missing people; empty if approved. */
export function missing(
  { demands }: Pick<Needed, 'demands'>,
  approvers: readonly Approver[],
): { readonly demand: Needed['demands'][number]; readonly more: number }[] {
  const people = peopleIn(approvers);
  return demands.flatMap((demand) => {
    const agreed = people.filter((person) => person.some((one) => counts(demand, one))).length;
    return agreed >= demand.min ? [] : [{ demand, more: demand.min - agreed }];
  });
}

/** Whether an approval of this person counts for any demand. */
export const mayApprove = ({ demands }: Pick<Needed, 'demands'>, approver: Approver): boolean =>
  demands.some((demand) => counts(demand, approver));

const counts = ({ people }: Needed['demands'][number], { names }: Approver): boolean =>
  people === null || names.some((name) => people.includes(name));

/** Whether this approval adds nothing because the same person approved before. */
export function isRepeated(needed: Pick<Needed, 'demands'>, before: readonly Approver[], one: Approver): boolean {
  const open = (all: readonly Approver[]) => missing(needed, all).reduce((sum, { more }) => sum + more, 0);
  return before.some((other) => isSame(one, other)) && open([...before, one]) >= open(before);
}

/** The people whose approval is still needed; empty if there are none. */
export function missingText(needed: Pick<Needed, 'demands'>, approvers: readonly Approver[]): string {
  return missing(needed, approvers)
    .map(({ demand, more }) => {
      const left = (demand.people ?? []).filter((name) => !approvers.some(({ names }) => names.includes(name)));
      const who = demand.groups.length > 0 ? ` of ${demand.groups.join(' or ')} (${left.join(', ')})` : '';
      return more === 1 ? `one more person${who} has to approve` : `${more} more people${who} have to approve`;
    })
    .join(', and ');
}
