/** What workers do while they run: nothing of it gets out of the sandbox or outlives it. */
import { playCases } from './harness/table.ts';

await playCases('PR-');
