/**
 * Finds added lines that ask whether they are being tested: code that behaves only for its tests. A hint for reviewers,
 * not a verdict: some programs have honest reasons.
 */
export type TestAware = { readonly path: string; readonly line: number; readonly sign: string };

/**
 * Expressions that only serve to find out who is looking. Bounded, so that a long line costs no more than its length.
 */
const SIGNS: readonly RegExp[] = [
  /\b(?:JEST_WORKER_ID|VITEST(?:_\w{1,40})?|MOCHA_\w{1,40}|PYTEST_\w{1,40}|PHPUNIT_\w{1,40}|TOX_ENV_NAME)\b/,
  /\b(?:GITHUB_ACTIONS|GITLAB_CI|CIRCLECI|JENKINS_URL|BUILDKITE|NODE_TEST_CONTEXT|RUST_TEST_\w{1,40})\b/,
  /\b(?:process\.env|import\.meta\.env|os\.environ|ENV|getenv|Getenv|LookupEnv|env::var(?:_os)?)\b[^\w\n]{1,6}(?:get\W{1,4})?(?:CI|(?:IS_|IN_|RUNNING_)?TEST(?:S|ING|_ENV|_MODE|_RUN)?)\b/,
  /\{[^}\n]{0,80}\bCI\b[^}\n]{0,80}\}\s{0,4}=\s{0,4}process\.env\b/,
  /\bnpm_lifecycle_event\b/,
  /\bstack\b.{0,40}(?:\.test\b|\.spec\b|__tests__|\b(?:jest|mocha|vitest|pytest|unittest|node:test)\b)/,
  /\bNODE_ENV\b.{0,20}\btest\b/,
  /\b(?:argv|execArgv|Args|ARGV|PROGRAM_NAME|env::args)\b.{0,80}(?:\b(?:jest|mocha|vitest|ava|tap|pytest|unittest|rspec|phpunit)|\.test|--test|[_.]spec|test_)/,
  /(?:\b(?:jest|mocha|vitest|pytest|unittest|rspec|phpunit)|\\?\.(?:test|spec)\b|--test\b|\btest_).{0,40}\b(?:argv|execArgv|Args|ARGV|env::args|stack|f_code|co_filename|filename)\b/,
  /\b(?:argv|execArgv|Args|ARGV)\b.{0,60}(?:includes|indexOf|match|search|endsWith|startsWith|endswith|startswith|Contains|HasSuffix|HasPrefix)\(\s{0,4}['"`/][^'"`/\n]{0,20}\btest(?:s|ing)?\b/,
  /\bimport\.meta\.vitest\b|\b__(?:vitest|jest|mocha|karma|playwright|cypress|coverage)\w{0,30}/,
  /['"](?:jest|vi|describe|it|expect|mocha|jasmine)['"]\s{1,4}in\s{1,4}(?:globalThis|global|window|self)\b/,
  /\b(?:env|ENV|environment|MODE|mode|stage)\b[^\n=!]{0,20}[!=]={1,2}\s{0,4}['"]test(?:ing)?['"]/,
  /\btypeof\s{1,4}(?:jest|vi|describe|it|expect|mocha|jasmine)\b/,
  /\bglobalThis\b.{0,6}\b(?:jest|vi|describe|it|expect|mocha|jasmine)\b/,
  /\bmodules\b.{0,20}\b(?:pytest|unittest)\b|\b(?:pytest|unittest)\b.{0,20}\bmodules\b/,
  /\btesting\.Testing\(\)|\bflag\.Lookup\(\s{0,4}"test\./,
  /\bcfg!\(\s{0,4}(?:not\(\s{0,4})?test\s{0,4}\)|#\[cfg\(\s{0,4}not\(\s{0,4}test\s{0,4}\)/,
  // Cargo sets these for the programs that it runs itself, and so for tests; users start the program without it.
  /\benv::var(?:_os)?\(\s{0,4}"CARGO_(?:MANIFEST_\w{1,20}|PKG_\w{1,40}|CRATE_NAME|PRIMARY_PACKAGE|TARGET_TMPDIR|BIN_EXE_\w{1,60})"/,
  /\bdefined\?\s{0,4}\(?\s{0,4}(?:RSpec|Minitest)\b/,
  /\bgetStackTrace\b.{0,80}\bjunit\b|\bforName\(.{0,10}junit\b/,
];
const MAX_LINE = 2_000;

/** Asks for its caller, a few lines away from the name of a runner or of test files. */
const CALLERS =
  /\.stack\b|\binspect\.(?:stack|currentframe|getouterframes)\b|\bsys\._getframe\b|\bextract_stack\b|\bruntime\.Callers?\(|\bdebug\.Stack\(|\bgetStackTrace\b|\bStackWalker\b|\bBacktrace\b|\bexecArgv\b|\bmodule\.parent\b|\brequire\.main\b/;
const TEST_NAMES =
  /['"`/][^'"`\n]{0,40}(?:\b(?:jest|mocha|vitest|pytest|unittest|node:test|__tests__|junit)\b|\\?\.(?:test|spec)\b|[_.]test(?=\.)|\btest_|\/tests?\b)/;
const NEAR = 8;

/**
 * A line without any of these words matches none of the patterns above, so most lines cost one match instead of twenty.
 */
const HINT =
  /JEST_|VITEST|MOCHA_|PYTEST_|PHPUNIT_|TOX_ENV|GITHUB_A|GITLAB_|CIRCLECI|JENKINS_|BUILDKITE|NODE_|RUST_TEST|npm_life|[eE]nv|ENV|[sS]tack|rgv|Args|ARGV|PROGRAM_NAME|f_code|filename|vitest|typeof|globalThis|modules|testing\.|Lookup|cfg|defined\?|__[vjmkpc]|in (?:global|window|self)|[mM]ode|MODE|stage|forName|inspect|_getframe|Caller|Backtrace|module\.parent|require\.main/;

/** `before` is null for a new file. Lines that the file had already are skipped, wherever they stand now. */
export function testAwareLines(path: string, before: string | null, after: string): TestAware[] {
  const old = new Set(before?.split('\n'));
  let caller = Number.NEGATIVE_INFINITY;
  return after.split('\n').flatMap((text, i) => {
    if (old.has(text)) return [];
    const line = text.slice(0, MAX_LINE);
    if (i - caller > NEAR && !HINT.test(line)) return [];
    if (CALLERS.test(line)) caller = i;
    const near = i - caller <= NEAR ? [TEST_NAMES] : [];
    const sign = [...SIGNS, ...near].map((one) => one.exec(line)?.[0]).find((hit) => hit !== undefined);
    return sign === undefined ? [] : [{ path, line: i + 1, sign: sign.slice(0, 80) }];
  });
}
