/** Finds product code that asks who is looking (CI, a test runner, a gate), or that rewrites what tests use. */
import { testAwareLines } from '../candidates/test-aware.ts';
import { isCode } from '../code/languages.ts';
import { withoutComments } from '../code/mask.ts';
import type { FileFacts } from './file-facts.ts';
import { type FindingRule, type Hit, quoted } from './rule.ts';
import { REVERT } from './task-words.ts';

/** Files that may ask: they set up tests, builds and tools, and are no part of the product. */
const TOOLING =
  /(?:^|\/)(?:\.[\w-]+|scripts?|tools?|tooling|bench(?:es|marks?)?|examples?|docs?|ci|build|config|configs|website|playground|noxfile\.py|conftest\.py|setup\.py|build\.rs|tasks\.py|gulpfile[^/]*|gruntfile[^/]*|karma[^/]*|xtask)(?:\/|$)|\.config\.[cm]?[jt]s$|(?:^|[._-])(?:setup|testing|mock|mocks|testutils?|test-utils?)(?:[._-]|\/|$)|\/(?:testing|testutils?|test-(?:utils?|helpers?))(?:[./]|$)/i;
const ASKED =
  /\b(?:CI|continuous integration|env(?:ironment)?s?(?: var\w*)?|NODE_ENV|test runners?|test mode|test environment|under test|jest|vitest|mocha|pytest|unittest|GITHUB_ACTIONS|buildkite|jenkins|circleci|gitlab|travis|cfg\(test\)|test[- ]binar\w*|test detection|in tests?|during tests?|when testing)\b/i;

/** Redefines assertions or runners. */
const REWRITES =
  /(?<![\w.$])(?:unittest(?:\.\w{1,20})?|TestCase|pytest|assert(?:\.strict)?|expect|chai(?:\.\w{1,20})?|globalThis\.(?:expect|assert|test|it|describe))\.\w{1,40}\s{0,3}=(?![=>])|\b(?:setattr|delattr|patch\.object)\(\s{0,3}(?:unittest|pytest|TestCase)\b|\b(?:Object\.(?:assign|definePropert(?:y|ies))|Reflect\.(?:set|defineProperty))\(\s{0,3}(?:assert|expect|chai)\b|\bexpect\.extend\(|\b__builtins__\b.{0,40}=|\bbuiltins\.\w{1,40}\s{0,3}=(?!=)|\bsys\.modules\[.{1,40}\]\s{0,3}=(?!=)|\bAssertionError\.\w{1,20}\s{0,3}=(?!=)|\bclass AssertionError\b/;

const RUNNERS =
  /\b(?:from|import|require\()\s{0,3}\(?['"](?:vitest|node:test|@jest\/globals|mocha|chai|ava)['"]|^\s{0,40}(?:import|from)\s{1,3}(?:unittest|pytest|_pytest|nose)\b|^\s{0,9}(?:import\s{1,3})?(?:\w{1,20}\s{1,3})?"testing"\s{0,9}$/;

/** A line without any of these words matches neither of the two above. */
const MAY_REWRITE =
  /unittest|TestCase|pytest|assert|expect|chai|globalThis|setattr|delattr|patch\.object|Object\.|Reflect\.|builtins|sys\.modules|AssertionError|vitest|node:test|@jest|mocha|['"]ava['"]|nose|"testing"/;

export const looksAtItself: FindingRule = ({ files, words }) => {
  const asked = words.asks(ASKED) || words.asks(REVERT);
  return files.flatMap((file) => (isLooked(file) ? [...signs(file, asked), ...rewrites(file, asked)] : []));
};

function rewrites(file: FileFacts, asked: boolean): Hit[] {
  return file.added
    .filter((line) => MAY_REWRITE.test(line.text))
    .filter((line) => REWRITES.test(file.codeOf(line).slice(0, 2_000)) || (RUNNERS.test(line.text) && bare(file, line)))
    .map(({ line, text }) => ({
      rule: 'test-aware-code',
      severity: asked ? 'medium' : 'high',
      path: file.path,
      line,
      message: `Product code uses or changes what tests are made of (${quoted(text)}): take it out`,
      blocks: !asked,
    }));
}

const isLooked = ({ path, isTest, isDoc }: FileFacts): boolean =>
  !isTest && !isDoc && isCode(path) && !TOOLING.test(path);

/** Neither in a comment nor inside a longer string. */
const bare = (file: FileFacts, line: FileFacts['added'][number]): boolean =>
  /\b(?:import|from|require)\b|^\s*(?:\w+\s+)?"/.test(file.codeOf(line).slice(0, 2_000));

function signs({ path, file, language }: FileFacts, asked: boolean): Hit[] {
  if (file.after === null) return [];
  const after = withoutComments(language, file.after);
  const before = file.before === null ? null : withoutComments(language, file.before);
  return testAwareLines(path, before, after).map(({ line, sign }) => ({
    rule: 'test-aware-code',
    severity: asked ? 'medium' : 'high',
    path,
    line,
    message: `Product code asks whether it is being tested (${quoted(sign)}): it must behave the same for tests and users`,
    blocks: !asked,
  }));
}
