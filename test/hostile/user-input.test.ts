/** What people write, or take from others: roles, patterns, templates. What is bad is said, and nothing is started. */
import { playCases } from './harness/table.ts';

await playCases('UI-');
