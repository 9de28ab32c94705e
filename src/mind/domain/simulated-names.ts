/**
 * Simulated tasks are counted separately. Their breakers, parked quotas, slots and locks have other names, so that a
 * simulated task never holds up real work.
 */
import type { Spec } from './values.ts';

const SUFFIX = ' (played)';

/** The name under which a task counts for a CLI or a lane. */
export const countedAs = (name: string, spec: Spec): string => (spec.simulated === true ? `${name}${SUFFIX}` : name);

export const isPlayed = (name: string): boolean => name.endsWith(SUFFIX);

/** A name as counted for real and for simulated tasks. */
export const bothNames = (name: string): readonly [string, string] => [name, `${name}${SUFFIX}`];
