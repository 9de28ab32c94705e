/** A gate's result on rewritten tests when it ran the base's versions of them. */
import { evidenceParts } from './evidence.ts';

export const OLD_TESTS_RED = 'AS IN THE BASE THEY ARE RED';

/** Takes the gate's evidence. Only the text above the output is the gate's own. */
export const oldTestsAreRed = (evidence: string): boolean => evidenceParts(evidence).head.includes(OLD_TESTS_RED);
