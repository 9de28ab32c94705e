/** What a gate says of existing tests that a change rewrote, when it ran them as the base has them. */
import { evidenceParts } from './evidence.ts';

export const OLD_TESTS_RED = 'AS IN THE BASE THEY ARE RED';

/** Takes the gate's evidence. Only what stands above the output is the gate's own. */
export const oldTestsAreRed = (evidence: string): boolean => evidenceParts(evidence).head.includes(OLD_TESTS_RED);
