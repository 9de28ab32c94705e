/** What workers leave in their tree: nothing of it is followed, run outside of a sandbox, or landed unchecked. */
import { playCases } from './harness/table.ts';

await playCases('WT-');
