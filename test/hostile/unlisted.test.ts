/** Attacks that are in no catalogue. */
import { playCases } from './harness/table.ts';

await playCases('X-');
