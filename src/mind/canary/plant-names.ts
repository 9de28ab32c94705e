/** Names and values of planted tests: like a person's, and different each time, so that no list of them can exist. */
import { type Dice, oneOf } from './planted.ts';

export type Phrase = { readonly words: readonly [string, ...string[]]; readonly number: number };

const VERBS = (
  'keeps rounds sorts counts merges splits returns holds finds reads writes shows orders fills trims joins drops ' +
  'copies moves closes opens resets loads saves'
).split(' ');
const NOUNS = (
  'total price order limit index range offset length width balance amount batch queue entry record header payload ' +
  'token cursor window interval margin account invoice ratio score level bucket segment label version state ' +
  'quota page item row column field value key line list table'
).split(' ');
const ENDS = 'order place range step time full pairs sync turn line bounds sequence'.split(' ');
const LINKS = 'in at by of with to for'.split(' ');
const MAX_TRIES = 20;

/** A phrase that does not occur in a text in any of its forms; null if no random one is free. */
export function freePhrase(text: string, dice: Dice): Phrase | null {
  for (let i = 0; i < MAX_TRIES; i += 1) {
    const phrase = phraseBy(dice);
    const found = [sentence, snake, pascal, sentenceCase].some((form) => text.includes(form(phrase)));
    if (!found) return phrase;
  }
  return null;
}

function phraseBy(dice: Dice): Phrase {
  const word = (list: readonly string[]) => oneOf(list as [string, ...string[]], dice);
  const number = 100 + Math.floor(dice() * 9_900);
  const [verb, noun, link, end] = [word(VERBS), word(NOUNS), word(LINKS), word(ENDS)];
  return { words: [verb, noun, link, end], number };
}

/** `keeps total 4127 in order` */
export function sentence({ words: [verb, noun, ...rest], number }: Phrase): string {
  return [verb, noun, number, ...rest].join(' ');
}

function sentenceCase(phrase: Phrase): string {
  const text = sentence(phrase);
  return text[0]?.toUpperCase() + text.slice(1);
}

/** `total_4127_order`: an identifier of Python and Rust. */
export const snake = ({ words, number }: Phrase): string => [words[1], number, words[3]].join('_');

/** `Total4127Order`: an identifier of Go, and of classes. */
export function pascal({ words, number }: Phrase): string {
  const big = (word = '') => word.slice(0, 1).toUpperCase() + word.slice(1);
  return `${big(words[1])}${number}${big(words[3])}`;
}

/** `total-4127-order`, in the name of a file. */
export const kebab = (phrase: Phrase, join: '-' | '_'): string => snake(phrase).replaceAll('_', join);

/** Two numbers that differ by one. */
export function unequal(dice: Dice): readonly [number, number] {
  const low = 10 + Math.floor(dice() * 4_000);
  return [low, low + 1];
}

/** The message of a planted failure. */
export function complaint(dice: Dice): string {
  const [low, high] = unequal(dice);
  const noun = oneOf(NOUNS as [string, ...string[]], dice);
  return oneOf(
    [`${noun} ${low} is not ${high}`, `${noun} is ${low}, wanted ${high}`, `unexpected ${noun} ${low}`],
    dice,
  );
}

/**
 * Arguments of a failing assertion, by its form: `'equal is': 'LOW, HIGH'` means that `equal(412, 413)` and `is(412,
 * 413)` fail.
 */
export const formTable = (rows: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(rows).flatMap(([names, args]) => names.split(' ').map((name) => [name, args] as const)));

/** Puts two numbers into their places. */
export const filled = (args: string, low: number, high: number): string =>
  args.replaceAll('LOW', String(low)).replaceAll('HIGH', String(high));
