/** All limits of a packed context. */

/** The largest file that is read, including protected ones; larger files are only named. */
export const MAX_FILE_BYTES = 1 << 20;
/** All protected files of one packet together. */
export const MAX_PROTECTED_BYTES = 2 << 20;
/** The diff of the task's change so far, all files together. */
export const MAX_DIFF_BYTES = 1 << 20;
/** Files that one pattern or variable may add before the budget is considered. */
export const MAX_FILES_PER_KIND = 400;
/** A smaller excerpt is useless. */
export const MIN_EXCERPT_TOKENS = 120;
/** The minimum for files that the task does not name, however long the named ones are (see `enough_tokens`). */
export const MIN_FOUND_TOKENS = 3_000;
/** Reserved for the note on what was left out. */
export const NOTICE_TOKENS = 250;
/** How many left-out files a worker is told by name; the rest is a number. */
export const MAX_NAMES_LEFT = 20;
/** Entries of `Packed.left`; a pattern may match thousands of images. */
export const MAX_LEFT = 500;
/** Outline lines of one file in the map. */
export const MAX_OUTLINE_LINES = 12;
/** Past changes that show which files change together: older ones add nothing (bench/recall). */
export const MAX_HISTORY = 1_000;
