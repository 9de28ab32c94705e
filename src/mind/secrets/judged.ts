/** How much is asked of a value that looks random, and forms of values that several rules know. */

/** The least number of characters and of bits of surprise for each kind of context. */
export const ASKED = {
  named: { bits: 14, length: 8 },
  near: { bits: 25, length: 12 },
  key: { bits: 22, length: 12 },
  vendor: { bits: 24, length: 12 },
  any: { bits: 36, length: 16 },
  plain: { bits: 38, length: 18 },
} as const;
/** A word without digits is a name more often than not. */
export const LETTERS_ONLY = 1.5;
/** So much of a value tells what it is: a hostile one has the next name in it, and the next. */
export const JUDGED = 256;
/** So far back a name is looked for. */
export const MOST_NAME = 60;
export const IDENTIFIER = /^[A-Za-z_$][A-Za-z_$.]*$/;
/** `KUBE-SEP-SXIVWICOYRO3J4NJ`: a name with a number of its own. */
export const WORDS_BEFORE = /^(?:[A-Z]{3,}-){2}|^(?:[a-z]{2,}-){3}/;
/** What numbers a call or a message of a model, a request, a run (ULID): nobody gets in with it. */
export const ID =
  /^(?:call|chatcmpl|conv|evt|fc|file|item|msg|nonce|req|resp|rs|run|thread|toolu|ws)[_-]|^[0-7][0-9A-HJKMNP-TV-Z]{25}$|^01[0-9a-hjkmnp-tv-z]{24}$/;
/** `SecureRandom.hex # => "…"`: what a line of code gives, not what a name is given. */
export const RESULT = /(?:#|\/\/) ?=> ?["'`]?$/;
/** Before the sum of a module (Go) or of a file. */
export const BEFORE_SUM = /(?:h1|sha\d+|md5)[:-]\/?$/i;
