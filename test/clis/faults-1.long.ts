/** In two files of about the same length, so that two run at a time: most of it is waiting. */
import { faultsOf } from './faults.ts';

for (const cli of ['claude', 'codex', 'copilot'] as const) faultsOf(cli);
