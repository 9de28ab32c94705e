/** Some tricks by which a candidate neuters a gate, without a sandbox; `neutered.long.ts` has all of them. */
import { neuteredCases } from './neutered-cases.ts';

neuteredCases(4);
