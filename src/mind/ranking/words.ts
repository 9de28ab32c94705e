/** Words in prose and inside identifiers. */

/** Too common in tasks or in code to say which file is meant. */
const STOP = new Set(
  (
    'the and for with from into that this these those when then than where while which what will would should could can may ' +
    'not but are was were has have had its it is be been being by of on in to an as at or if so no do does did done also ' +
    'all any each only more most some such both other same very just like via per out up off over under about after before ' +
    'between because without within instead there their they them you your our we he she his her who how why again once yet ' +
    'now new old make makes made making use uses used using get gets add adds added adding remove removes removed removing ' +
    'fix fixes fixed fixing bug bugs change changes changed changing update updates updated updating improve improved ' +
    'feat chore refactor perf docs style revert allow allows allowed support supports supported ensure ensures instead ' +
    'prevent prevents avoid avoids properly correct correctly incorrect wrong missing issue issues closes close resolves ' +
    'ref refs see co authored signed github com https http www etc thanks follow regression pull request please need needs ' +
    'let const var function return true false null undefined none self import export require class def'
  ).split(' '),
);

export const isStopWord = (word: string): boolean => STOP.has(word);

/** `HTTPServer_maxSize2` is http, server, max, size2. The scanner must split in the same places. */
export const wordsIn = (identifier: string): string[] => identifier.match(WORD)?.map(lower) ?? [];

/** The last capital of a row starts the next word if lower-case letters follow. */
const WORD = /[A-Z]+(?=[A-Z][a-z\u0080-\uffff])|[A-Z]*[a-z0-9\u0080-\uffff]+|[A-Z]+/g;

/** Only ASCII: other letters keep their bytes, so that the scanner need not decode. */
export const lower = (text: string): string =>
  OTHER_SCRIPT.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text.toLowerCase();
const OTHER_SCRIPT = /[\u0080-\uffff]/;

/** Before these a last letter is doubled: planned, planning. */
const DOUBLING: ReadonlySet<string> = new Set(['ing', 'ed', 'er', 'ers']);
const ENDINGS = ['ations', 'ation', 'ings', 'ing', 'ions', 'ion', 'ers', 'er', 'ed', 'es', 's', 'e', 'able'];

/** The part of a word that its forms share; short on purpose, `formsOf` lists the forms. */
export function stemOf(word: string): string {
  if (/[^a-z]/.test(word)) return word;
  if (word.length > 5 && /ie[sd]$/.test(word)) return word.slice(0, -3);
  for (const ending of ENDINGS) {
    const stem = word.slice(0, word.length - ending.length);
    if (stem.length < 4 || !word.endsWith(ending)) continue;
    if (ending === 's' && stem.endsWith('s')) return word;
    if ((DOUBLING.has(ending) || ending === 'ings') && isDoubled(stem)) return stem.slice(0, -1);
    return stem;
  }
  return word.length > 4 && word.endsWith('y') ? word.slice(0, -1) : word;
}

const MAY_DOUBLE: ReadonlySet<string> = new Set('bdgmnpt');
const isDoubled = (stem: string): boolean => MAY_DOUBLE.has(stem.slice(-1)) && stem.at(-1) === stem.at(-2);

/** Every form of a word that counts as that word. Listing them here keeps stemming out of the scanner. */
export function formsOf(word: string): string[] {
  const stem = stemOf(word);
  if (/[^a-z]/.test(word)) return [word];
  if (stem.length < 4) return [...new Set([word, `${word}s`])];
  const doubled = MAY_DOUBLE.has(stem.slice(-1)) ? stem.slice(-1) : '';
  const forms = [word, `${word}s`, stem, `${stem}y`, `${stem}ies`, `${stem}ied`];
  for (const ending of ENDINGS) {
    forms.push(stem + ending);
    if (doubled !== '' && DOUBLING.has(ending)) forms.push(stem + doubled + ending);
  }
  return [...new Set(forms)];
}
