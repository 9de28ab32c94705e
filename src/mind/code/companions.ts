/** Finds the tests for a file by name and place, likeliest first. */
import { isCode, languageOf } from './languages.ts';
import { directoryOf, nameOf } from './paths.ts';

const MAX_FOUND = 20;
/** The place alone decides. */
const SURE = 90;

/** The tests of a list of paths: their indexes, and hashes of the names they test. */
export type TestFiles = { readonly files: readonly number[]; readonly stems: readonly number[] };

type TestedFiles = {
  readonly paths: readonly string[];
  readonly tests: TestFiles;
  readonly has: (path: string) => boolean;
};

export function testsOf(path: string, { paths, tests, has }: TestedFiles): readonly string[] {
  if (isTestFile(path)) return [];
  const whole = ['tests.py', 'test.py', 'tests.rs']
    .map((name) => (directoryOf(path) === '' ? name : `${directoryOf(path)}/${name}`))
    .filter((name) => has(name) && languageOf(name) === languageOf(path));
  const found = stemsOf(path).flatMap((stem) => testsNamed(stem, paths, tests));
  return best(found.map((test) => [test, closeness(test, path, found.length)] as const)).concat(whole);
}

function best(found: readonly (readonly [string, number])[]): string[] {
  const scores = new Map<string, number>();
  for (const [path, score] of found) if (score > 0) scores.set(path, Math.max(score, scores.get(path) ?? 0));
  // If one lies exactly where expected, the others belong to files with the same name.
  const least = Math.max(0, ...scores.values()) >= SURE ? SURE : 1;
  return [...scores]
    .filter(([, score]) => score >= least)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, MAX_FOUND)
    .map(([path]) => path);
}

/** `x.test`, `x_test`, `test_x`, `XTest`: the name of a test without its ending. */
const SUFFIX =
  /(?:[._-](?:test|tests|spec|specs|e2e|cy|unittest|unit|int|integration)|(?<=[a-z0-9])(?:Tests?|TestCase|IT|Spec))$/;
const PREFIX = /^(?:test|tests)[_-]/;
const TEST_PLACE = /(?:^|\/)(?:tests?|__tests__|specs?|e2e|unit_tests|androidTest|integrationTest)\//;
const FIXTURE = /(?:^|\/)(?:__fixtures__|fixtures?|testdata|__mocks__|snapshots)\//;
/** Directory names that say nothing about their files. */
const PLAIN: ReadonlySet<string> = new Set(
  (
    'src lib libs source main java kotlin scala python app packages crates modules tests test __tests__ spec specs unit ' +
    'units integration e2e testing unit_tests androidTest integrationTest functional'
  ).split(' '),
);

const GENERAL = /^(?:index|mod|lib|main|__init__|__main__)$/;

const bareName = (path: string): string => nameOf(path).replace(/\.[^.]*$/, '');

/** Every test has one of these in its path, so one match excludes most files. */
const mayBeTest = (path: string): boolean => /test|spec|e2e|[._-](?:cy|unit|int)|IT(?:\.|$)/i.test(path);
const isMarked = (name: string): boolean => SUFFIX.test(name) || PREFIX.test(name);
const isTestFile = (path: string): boolean =>
  TEST_PLACE.test(path) || isMarked(bareName(path)) || /^tests?$/.test(bareName(path));

function testedStem(path: string): string {
  let name = bareName(path);
  for (let i = 0; i < 3 && SUFFIX.test(name); i += 1) name = name.replace(SUFFIX, '');
  return name.replace(PREFIX, '').toLowerCase();
}

/** Names that a test of this file would have: a package's own file also has its directory's name. */
function stemsOf(path: string): string[] {
  const name = bareName(path).replace(/\.d$/, '');
  const own = [name.toLowerCase(), name.replace(/^_+|_+$/g, '').toLowerCase()];
  if (GENERAL.test(name)) own.push(nameOf(directoryOf(path)).toLowerCase());
  return [...new Set(own)].filter((stem) => stem !== '');
}

function testsNamed(stem: string, paths: readonly string[], { files, stems }: TestFiles): string[] {
  const hash = hashOf(stem);
  const found: string[] = [];
  for (let at = stems.indexOf(hash); at >= 0; at = stems.indexOf(hash, at + 1)) {
    const path = paths[files[at] as number];
    if (path !== undefined && testedStem(path) === stem) found.push(path);
  }
  return found;
}

export function testFilesIn(paths: readonly string[]): TestFiles {
  const [files, stems]: [number[], number[]] = [[], []];
  for (let n = 0; n < paths.length; n++) {
    const path = paths[n] as string;
    if (!mayBeTest(path) || !isCode(path) || FIXTURE.test(path) || !isTestFile(path)) continue;
    // `index` in a directory of tests tests nothing in particular.
    if (!isMarked(bareName(path)) && GENERAL.test(bareName(path))) continue;
    files.push(n);
    stems.push(hashOf(testedStem(path)));
  }
  return { files, stems };
}

/** If two hashes differ, so do the texts. */
function hashOf(text: string): number {
  let hash = text.length;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}

/** How well a test's place fits a file's; 0 means not at all. `rivals`: how many files have that name. */
function closeness(test: string, path: string, rivals: number): number {
  if (family(test) !== family(path)) return 0;
  const [there, here] = [directoryOf(test), directoryOf(path)];
  if (there === here) return 100;
  // Go tests lie beside what they test; elsewhere is another package.
  if (languageOf(path) === 'go') return 0;
  const own = bareName(path);
  const general = GENERAL.test(own) && testedStem(test) === own.toLowerCase();
  if (there.replace(/\/?(?:__tests__|tests?|specs?)$/, '') === here) return 95;
  const [a, b] = [telling(there), telling(here)];
  if (a.join('/') === b.join('/')) return 90;
  // Only the name says that it tests this file, or many files have that name.
  if (general || !isMarked(bareName(test))) return 0;
  let same = 0;
  while (same < a.length && same < b.length && a[a.length - 1 - same] === b[b.length - 1 - same]) same += 1;
  if (same > 0 && same === Math.min(a.length, b.length)) return 50 + Math.min(same, 30);
  // tests/utils_tests/ is for utils/.
  const words = new Set(['test', 'tests', ...identifierWords(b.join(' '))]);
  const said = identifierWords(a.join(' '));
  if (said.length > 0 && said.every((word) => words.has(word))) return 20 + Math.min(said.length, 20);
  return rivals <= 3 && (a.length === 0 || b.length === 0) ? 10 : 0;
}

const telling = (directory: string): string[] => directory.split('/').filter((name) => name !== '' && !PLAIN.has(name));

function family(path: string): string {
  const language = languageOf(path);
  if (language === 'typescript') return 'javascript';
  return language === 'other' ? path.slice(path.lastIndexOf('.')) : language;
}

/** Capitals at the end of a word, a word with at most its first letter capital, or digits. */
const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
/**
 * The same for every script; those without capitals are not split. Slow, and slow to build: used only where necessary.
 */
const anyWord = (): RegExp => /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|[\p{Lo}\p{Lm}\p{M}]+/gu;
const OTHER_SCRIPT = /[\u0080-\uffff]/;

/** `parseHTTPRequest2_fast-path` → parse, http, request, 2, fast, path. Lower-case, in order, with repeats. */
export function identifierWords(text: string): string[] {
  const words = text.match(OTHER_SCRIPT.test(text) ? anyWord() : WORD) ?? [];
  return words.map((word) => word.toLowerCase());
}
