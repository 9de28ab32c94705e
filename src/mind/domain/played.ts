/**
 * Simulated tasks keep their own books. Breakers, parked quotas, slots and locks are counted under a name of their own,
 * so that a played task never holds up real work.
 */
import type { Spec } from './values.ts';

const SUFFIX = ' (played)';

/** The name under which a task counts for a CLI or a lane. */
export const countedAs = (name: string, spec: Spec): string => (spec.simulated === true ? `${name}${SUFFIX}` : name);

export const isPlayed = (name: string): boolean => name.endsWith(SUFFIX);

/** A name as real and as simulated tasks count it. */
export const bothNames = (name: string): readonly [string, string] => [name, `${name}${SUFFIX}`];
