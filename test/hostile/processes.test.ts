/** Attacks by running workers: none gets out of the sandbox or outlives it. */
import { playCases } from './harness/table.ts';

await playCases('PR-');
