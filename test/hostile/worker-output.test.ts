/** Output of workers: no claim in it is trusted. */
import { playCases } from './harness/table.ts';

await playCases('WO-');
