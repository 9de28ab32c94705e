/** The facts of a change that approval policies may use; null if not measured. */
import * as v from 'valibot';
import { count, line } from './values.ts';

/** Measured by Supervisor from both sides of all changed files. */
export const changeFacts = v.object({
  file_count: v.nullable(count),
  lines_added: v.nullable(count),
  lines_removed: v.nullable(count),
  new_dependencies: v.nullable(count),
  lock_file: v.nullable(v.boolean()),
  breaking: v.nullable(v.boolean()),
  /** Classes of the changed paths. */
  classes: v.nullable(v.array(line)),
});
export type ChangeFacts = v.InferOutput<typeof changeFacts>;
