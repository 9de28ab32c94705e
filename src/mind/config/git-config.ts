/** The `git` section of a config: a task's commit and branch, and how they land. */
import * as v from 'valibot';
import { isBranchName } from '../fields/branch-name.ts';

/** In git's format. */
const author = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(200),
  v.regex(/^[^<>\n]*[^<>\s] <[^<>\s]+>$/, 'must be written as `Name <mail@example.com>`'),
);

const sample = (pattern: string): string => pattern.replaceAll('{task_id}', 't-1').replaceAll('{description}', 'words');

const branchPattern = v.pipe(
  v.string(),
  v.maxLength(100),
  v.check((text) => text.includes('{task_id}'), 'must have {task_id} in it, so that no two tasks share a branch'),
  v.check((text) => !/[{}]/.test(sample(text)), 'knows {task_id} and {description}, and nothing else in braces'),
  v.check((text) => isBranchName(sample(text)), 'does not make a name for a branch: see `git help check-ref-format`'),
);

export const LANDING_MODES = ['fast-forward', 'merge', 'squash'] as const;
export type LandingMode = (typeof LANDING_MODES)[number];

export const gitConfig = v.strictObject({
  author: v.optional(author),
  branch_pattern: v.optional(branchPattern),
  /** `auto`: like most of the newest commits. */
  subject: v.optional(v.picklist(['auto', 'plain', 'conventional'])),
  /** False: a person sees and confirms each change before it is committed. */
  auto_commit: v.optional(v.boolean()),
  /** A commit without a branch would be lost to git's garbage collection. */
  auto_branch: v.optional(v.literal(true, 'can only be true: a commit needs a branch; `branch_pattern` names it')),
  landing: v.optional(v.picklist(LANDING_MODES)),
  /** `land` shows what it is about to do, and asks. */
  dry_run_preview: v.optional(v.boolean()),
});
type GitConfig = v.InferOutput<typeof gitConfig>;
export type GitSettings = Omit<GitConfig, 'auto_branch'>;

/** The nearer config counts, key by key. A user who wants to be asked is asked, whatever the project says. */
export function gitOf(user: GitConfig = {}, project: GitConfig = {}): GitSettings {
  const { auto_branch: _, ...both } = { ...user, ...project };
  return {
    ...both,
    ...(user.auto_commit === false ? { auto_commit: false } : {}),
    ...(user.dry_run_preview === true ? { dry_run_preview: true } : {}),
  };
}
