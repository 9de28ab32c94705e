/** Placeholders for files that only the task and its tree determine; for the context patterns of a role. */
export const VARIABLES = [
  '$TARGET',
  '$TARGET_IMPORTS',
  '$CHANGED_FILES',
  '$INTERFACE_DEFINITIONS',
  '$COMPONENT_PUBLIC_API',
  '$IMPLEMENTATION_INTERNALS',
] as const;
export type Variable = (typeof VARIABLES)[number];

export const isVariable = (pattern: string): pattern is Variable => (VARIABLES as readonly string[]).includes(pattern);

/** How some people ask for the task's diff among the patterns; the same as `git_diff: true`. Never run. */
export const DIFF_SENTINEL = 'git diff --cached';
