/** The other half. */
import { faultsOf } from './faults.ts';

for (const cli of ['gemini', 'opencode'] as const) faultsOf(cli);
