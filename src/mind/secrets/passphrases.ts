/** Passwords with blanks in them: a few words, after a name that says so. */

import type { SecretSpan } from './secret-span.ts';

/** `passphrase = "…"`, `"passphrase": "…"`, `--passphrase "…"`, `-passin 'pass:…'`. */
const QUOTED =
  /(?:\\?["'`])?(?:[ \t]{0,24}(?:=>|:=|=|:)[ \t]{0,24}|[ \t]{1,8})\\?(["'`])((?:(?!\1)[\w !#$%&*+,.?@'-]){10,120})\\?\1/y;
const IN_OPTION = /:([\w -]{10,120})["'`]/y;
/** Alone on its line, in a settings file. */
const PLAIN = /[ \t]{0,24}[=:][ \t]{1,24}((?:[a-z]{2,14} ){3,9}[a-z]{2,14})[ \t]*(?:\r?\n|$)/y;
const LINE_START = /(?:^|\n)[ \t]*$/;

const WORDS = /^\S{1,20}(?: \S{1,20}){2,9}$/;
/** What else may follow such a name: an instruction, a label, a message. */
const ABOUT =
  /(?:^|[ .])(?:enter|your?|please|pass(?:word|phrase|code)?s?|keys?|secrets?|must|should|can(?:not|'t)?|do(?:n't|es)?|not|no|invalid|incorrect|wrong|bad|missing|required?|optional|leave|empty|choose|type|repeat|confirm|again|here|used?|using|set|unlock|encrypt\w*|decrypt\w*|protect\w*|sign|click|forgot\w*|reset|change|current|minimum|least|char(?:acter)?s?|errors?|fail(?:ed|s)?|strings?|values?|fields?|options?|files?|default|login|users?|accounts?|with|test|example)(?:[ .,!?']|$)/i;
/** Words of a sentence; a phrase with a number, after a suitable name, may contain them too. */
const GRAMMAR = /(?:^| )(?:if|this|that|is|are|was|to|be|it|has|have|when|some|any)(?:[ .,!?']|$)/i;
/** In unquoted text, a sentence has one of these. */
const SENTENCE = /(?:^| )(?:the|an?|of|or|and|in|on|by|from|as|at|for)(?: |$)/;
const IS_PHRASE_NAME = /passphrase$/i;
const LEAST_MEAN = 4;
const LEAST_WORDS = 4;

/** The name is from `from` to `at`. */
export function passphraseAfter(text: string, from: number, at: number): SecretSpan | null {
  const isPhrase = IS_PHRASE_NAME.test(text.slice(from, at));
  const before = text.slice(Math.max(0, from - 24), from);
  if (/-pass(?:in|out)?[ \t]["'`]$/.test(before)) return found(IN_OPTION, 1, text, at, () => true);
  const quoted = found(QUOTED, 2, text, at, (value) => isChosen(value, isPhrase));
  if (quoted !== null || !isPhrase || !LINE_START.test(before)) return quoted;
  return found(PLAIN, 1, text, at, (value) => isChosen(value, true) && !SENTENCE.test(value));
}

function found(
  pattern: RegExp,
  group: number,
  text: string,
  at: number,
  isOne: (value: string) => boolean,
): SecretSpan | null {
  pattern.lastIndex = at;
  const value = pattern.exec(text)?.[group];
  if (value === undefined || !WORDS.test(value) || !isOne(value)) return null;
  const to = text.lastIndexOf(value, pattern.lastIndex) + value.length;
  return { from: to - value.length, to, rule: 'password' };
}

function isChosen(value: string, isPhrase: boolean): boolean {
  if (ABOUT.test(value)) return false;
  const hasNumber = /\d/.test(value);
  if (GRAMMAR.test(value) && !(isPhrase && hasNumber && /^[a-z\d ]+$/.test(value))) return false;
  if (hasNumber) return true;
  const words = value.split(' ');
  if (!words.every((word) => /^[a-z]+$/.test(word))) return false;
  return value.length >= LEAST_MEAN * words.length + words.length - 1 && words.length >= (isPhrase ? 3 : LEAST_WORDS);
}
