/**
 * Finds added lines that ask whether they are being tested: code that behaves for its tests and not otherwise. A hint for
 * reviewers, not a verdict: some programs have honest reasons.
 */
export type TestAware = { readonly path: string; readonly line: number; readonly sign: string };

/** What nobody asks for without wanting to know who is looking. Bounded, so that a long line costs no more than its length. */
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
  /\bimport\.meta\.vitest\b/,
  /\btypeof\s{1,4}(?:jest|vi|describe|it|expect|mocha|jasmine)\b/,
  /\bglobalThis\b.{0,6}\b(?:jest|vi|describe|it|expect|mocha|jasmine)\b/,
  /\bmodules\b.{0,20}\b(?:pytest|unittest)\b|\b(?:pytest|unittest)\b.{0,20}\bmodules\b/,
  /\btesting\.Testing\(\)|\bflag\.Lookup\(\s{0,4}"test\./,
  /\bcfg!\(\s{0,4}(?:not\(\s{0,4})?test\s{0,4}\)|#\[cfg\(\s{0,4}not\(\s{0,4}test\s{0,4}\)/,
  /\bdefined\?\s{0,4}\(?\s{0,4}(?:RSpec|Minitest)\b/,
  /\bgetStackTrace\b.{0,80}\bjunit\b|\bforName\(.{0,10}junit\b/,
];
const MAX_LINE = 2_000;

/** Asks who calls it, a few lines away from the name of a runner or of test files. */
const CALLERS =
  /\.stack\b|\binspect\.(?:stack|currentframe|getouterframes)\b|\bsys\._getframe\b|\bextract_stack\b|\bruntime\.Callers?\(|\bdebug\.Stack\(|\bgetStackTrace\b|\bStackWalker\b|\bBacktrace\b|\bexecArgv\b|\bmodule\.parent\b|\brequire\.main\b/;
const TEST_NAMES =
  /['"`/][^'"`\n]{0,40}(?:\b(?:jest|mocha|vitest|pytest|unittest|node:test|__tests__|junit)\b|\\?\.(?:test|spec)\b|[_.]test(?=\.)|\btest_|\/tests?\b)/;
const NEAR = 8;

/** `before` is null for a new file. Lines the file had already are not looked at, wherever they stand now. */
export function testAwareLines(path: string, before: string | null, after: string): TestAware[] {
  const old = new Set(before?.split('\n'));
  let caller = Number.NEGATIVE_INFINITY;
  return after.split('\n').flatMap((text, i) => {
    if (old.has(text)) return [];
    const line = text.slice(0, MAX_LINE);
    if (CALLERS.test(line)) caller = i;
    const near = i - caller <= NEAR ? [TEST_NAMES] : [];
    const sign = [...SIGNS, ...near].map((one) => one.exec(line)?.[0]).find((hit) => hit !== undefined);
    return sign === undefined ? [] : [{ path, line: i + 1, sign: sign.slice(0, 80) }];
  });
}
