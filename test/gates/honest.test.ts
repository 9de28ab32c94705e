/** Some honest changes: no canary is alarmed. `honest.long.ts` has all 60. */
import { honestCases } from './honest-cases.ts';

honestCases(8, 7);
