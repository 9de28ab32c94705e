/** Every number that bounds a packed context, in one place. */

/** Of a file; larger ones are named and not read, protected ones too. */
export const MAX_FILE_BYTES = 1 << 20;
/** Of all protected files of one packet together. */
export const MAX_PROTECTED_BYTES = 2 << 20;
/** Of what the task changed so far, all files together. */
export const MAX_DIFF_BYTES = 1 << 20;
/** Files that one pattern or variable may bring in before the budget is looked at. */
export const MAX_FILES_PER_KIND = 400;
/** Less of a file than this tells nobody anything. */
export const MIN_EXCERPT_TOKENS = 120;
/** What files that the task does not name may take at least, however long the named ones are (see `enough_tokens`). */
export const MIN_FOUND_TOKENS = 3_000;
/** Set aside for saying what was left out. */
export const NOTICE_TOKENS = 250;
/** Names of files left out that a worker is told; the rest is a number. */
export const MAX_NAMES_LEFT = 20;
/** Entries of `Packed.left`; a pattern may match thousands of pictures. */
export const MAX_LEFT = 500;
/** Lines of outline that one file gets in the map. */
export const MAX_OUTLINE_LINES = 12;
/** Changes of the past that are looked at for which files change together: older ones tell nothing more (bench/recall). */
export const MAX_HISTORY = 1_000;
