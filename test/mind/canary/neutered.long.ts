/** All tricks by which a candidate neuters a gate, without a sandbox. */
import { neuteredCases } from './neutered-cases.ts';

neuteredCases(1);
