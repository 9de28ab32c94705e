/** What workers print: nothing of it is believed. */
import { playCases } from './harness/table.ts';

await playCases('WO-');
