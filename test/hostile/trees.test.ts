/** Attacks by a worker's tree: nothing in it is followed, run outside of a sandbox, or landed unchecked. */
import { playCases } from './harness/table.ts';

await playCases('WT-');
