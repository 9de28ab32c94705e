/** Finds the known package that a new name could be mistaken for. */

const LEAST_LENGTH = 5;
const MAX_LENGTH = 100;
/** Each new name is compared with each known one, so both are limited. */
const MAX_KNOWN = 2_000;

/** A known name that differs in one place (a letter added, removed, replaced, or two swapped) or only in its signs. */
export function similarName(name: string, known: ReadonlySet<string>): string | null {
  if (name.length < LEAST_LENGTH || name.length > MAX_LENGTH) return null;
  let compared = 0;
  for (const one of known) {
    compared += 1;
    if (compared > MAX_KNOWN) return null;
    if (one !== name && Math.abs(one.length - name.length) <= 2 && areSimilar(one, name)) return one;
  }
  return null;
}

/** Compares `github.com/a/b` part by part. Short parts often differ in one letter for good reasons. */
function areSimilar(a: string, b: string): boolean {
  if (plain(a) === plain(b)) return true;
  const [partsA, partsB] = [a.split('/'), b.split('/')];
  if (partsA.length !== partsB.length) return false;
  const places = [...partsA.keys()].filter((n) => partsA[n] !== partsB[n]);
  const [partA, partB] = [partsA[places[0] ?? 0] ?? '', partsB[places[0] ?? 0] ?? ''];
  if (places.length !== 1 || partA.length < LEAST_LENGTH || partB.length < LEAST_LENGTH) return false;
  return differInOnePlace(partA, partB) && !differInNumber(partA, partB);
}

const plain = (name: string): string => name.toLowerCase().replace(/[-_.]/g, '');
/** `python3` and `python2`, `d3-array` and `d4-array`: versions of one thing. */
const differInNumber = (a: string, b: string): boolean => a.replace(/\d+/g, '') === b.replace(/\d+/g, '');

function differInOnePlace(a: string, b: string): boolean {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const [restA, restB] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  if (restA.length <= 1 && restB.length <= 1) return true;
  return restA.length === 2 && restB === `${restA[1]}${restA[0]}`;
}
