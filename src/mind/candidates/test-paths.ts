/** Which files are tests. Existing ones belong to the base: a worker may add tests but not change these. */
import { type Matcher, matcher } from '../fields/globs.ts';
import type { PathChange } from './change.ts';

/**
 * Used if the config names none. Case-sensitive: they are matched with the base's own paths, which hide nothing, and
 * `*Test.java` must not match `Latest.java`.
 */
const DEFAULT_TEST_PATHS: readonly string[] = [
  ...[
    'test/',
    'tests/',
    'Test/',
    'Tests/',
    '*.Tests/',
    '__tests__/',
    '/spec/',
    '/t/',
    'e2e/',
    '/cypress/',
    'testdata/',
  ],
  ...['/fixtures/', '__snapshots__/', '__fixtures__/', 'integrationTest/', 'androidTest/'],
  ...['*.test.*', '*.tests.*', '*.spec.*', '*.e2e.*', '*.cy.*', '*.snap', '*.feature', '*.bats'],
  ...['*_test.*', '*_tests.*', '*_unittest.*', '*-test.*', 'test_*.*', 'test-*.*'],
  ...named(
    ['*Test', '*Tests', '*TestCase', '*IT'],
    ['java', 'kt', 'scala', 'groovy', 'cs', 'php', 'swift', 'm', 'cpp'],
  ),
  ...named(['*Spec', '*_spec', '*-spec'], ['js', 'ts', 'jsx', 'tsx', 'rb', 'lua', 'kt', 'scala', 'groovy', 'hs', 'cr']),
  ...named(['test', 'tests'], ['py', 'js', 'mjs', 'cjs', 'ts', 'rs', 'sh']),
];

function named(names: readonly string[], endings: readonly string[]): string[] {
  return names.flatMap((name) => endings.map((ending) => `${name}.${ending}`));
}

/** Distinguishes tests from other files; without a list in the config, by the usual places. */
export const testMatcher = (testPaths: readonly string[]): Matcher =>
  matcher(testPaths.length === 0 ? DEFAULT_TEST_PATHS : testPaths);

/**
 * Paths to reset to the base (including removal) so that the base's own tests judge a candidate. New tests are among
 * them: one that ends the process, or Go's `TestMain`, could fake the results of all others.
 */
export function testsToRestore(changed: readonly PathChange[], testPaths: readonly string[]): string[] {
  const isTest = testMatcher(testPaths);
  return changed.map(({ path }) => path).filter(isTest);
}

const OF_A_TEST = /(?:^|[._-])(?:tests?|spec|e2e|cy|it)[._-]|(?:Test|Tests|Spec)\.\w+$/i;
const SCRIPT = /\.(?:[cm]?[jt]sx?|py)$/;

/**
 * New files beside tests that are no tests themselves, and that other changed files name: a helper that a changed test
 * imports, a setup file in the runner's config. Without them nothing would run.
 */
export function namedHelpers(added: readonly string[], named: readonly (string | null)[]): string[] {
  return added.filter((path) => {
    const file = path.split('/').at(-1) ?? '';
    const stem = file.replace(/\..*$/, '');
    if (!SCRIPT.test(file) || OF_A_TEST.test(file) || stem.length < 3) return false;
    const name = new RegExp(`(?<![\\w-])${stem.replaceAll(/[^\w-]/g, '.')}(?![\\w-])`);
    return named.some((text) => text !== null && name.test(text));
  });
}

/**
 * Test files that a run can do without. Rust compiles those below `src` as modules of the product, like the tests inside
 * of its files: without one that a file declares, nothing compiles.
 */
export const removableTests = (paths: readonly string[]): string[] =>
  paths.filter((path) => !/(?:^|\/)src\/.+\.rs$/.test(path));

/** Tests of the base that a candidate changed, replaced or deleted. */
export function changedTests(changed: readonly PathChange[], testPaths: readonly string[]): string[] {
  const isTest = testMatcher(testPaths);
  return changed.filter(({ path, before }) => before !== null && isTest(path)).map(({ path }) => path);
}
