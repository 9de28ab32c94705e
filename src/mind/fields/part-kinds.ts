/** Kinds of parts that a packet shows of a project, most needed first, unless a strategy or role says otherwise. */
export const PART_KINDS = [
  'always_include',
  'target_file',
  'git_diff',
  'changed_files',
  'interfaces',
  'imports',
  'tests',
  'knowledge',
  'paths',
  'related',
  'files',
  'map',
  'tree',
] as const;
export type PartKind = (typeof PART_KINDS)[number];
