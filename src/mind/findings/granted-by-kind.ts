/**
 * Protected files that a task names by what they are for, and not by their path: pipelines ("run the tests on Node 22 in
 * CI"), checks that become stricter ("enable the linter bodyclose"), and tests in which a name is another one now ("rename
 * size to length everywhere").
 */
import { PROTECTED } from '../candidates/protected-paths.ts';
import { testMatcher } from '../candidates/test-paths.ts';
import { type ChangedFile, lineDiff } from '../changes/changed-file.ts';
import { matcher } from '../fields/globs.ts';
import { clausesOf } from './task-words.ts';

type Because = { readonly what: string; readonly words: string };

const pathsOf = (kind: string) =>
  matcher(
    PROTECTED.filter((one) => one.kind === kind).flatMap(({ patterns }) => patterns),
    { ignoreCase: true },
  );
const isPipeline = matcher(
  ['.github/workflows/', '.gitlab-ci*', '.gitlab/', '.circleci/', '.travis.y*ml', 'azure-pipelines*', 'Jenkinsfile*'],
  { ignoreCase: true },
);
const isCheckConfig = pathsOf('gate_config');
const isTest = testMatcher([]);
/** Files that only hold settings. */
const SETTINGS = /\.(?:toml|ya?ml|json|jsonc|cfg|ini)$|(?:^|\/)\.[\w-]+rc$/;

const ABOUT_PIPELINE =
  /^(?:please\s+|also\s+)?(?:run|test|build|check|lint|add|set up|enable|use|cache|upload|publish|deploy|speed up|extend|update|change|drop|bump|pin|split|simplify|improve|make|let)\b.{0,120}\b(?:(?:in|on|to|for|the|our)\s+CI\b|CI (?:workflow|pipeline|jobs?|matrix|config\w*|builds?|runs?)\b|GitHub (?:Actions?|workflows?)\b|GitLab CI\b)|^(?:speed up|extend|update|change|simplify|improve|cache|split)\s+CI\b/i;
/** CI is where something happens, and not what is to be changed. */
const SEEN_IN_PIPELINE =
  /\b(?:fail|hang|pass|break|broke|flak|crash|red\b|green\b|time[sd]? ?out|work|happen|seen|differ)\w*\b.{0,40}\bCI\b|\bCI\b.{0,20}\b(?:fail|hang|pass|break|broke|flak|crash|is red|green|time[sd]? ?out)/i;
const STRICTER =
  /\b(?:enabl\w*|turn(?:ing)? on|activat\w*|switch(?:ing)? on|forbid\w*|enforc\w*|requir\w*|rais\w*|increas\w*|tighten\w*|stricter|add)\b.{0,80}\b(?:lint\w*|rules?|eslint|biome|ruff|clippy|golangci\S*|pylint|mypy|stylelint|checkstyle|coverage|thresholds?|type[- ]?check\w*|warnings?)\b|\b(?:linter|lint rule|ruff|clippy|eslint|mypy|coverage)\b.{0,60}\b(?:stricter|on|up to|to \d)/i;
const RENAME =
  /\brenam\w*\s+(?:the\s+)?(?:(?:function|method|class|type|field|property|option|constant|variable|parameter)\s+)?[`'"]?([\w$.#:]{2,120})(?:\(\))?[`'"]?\s+(?:to|into|as)\s+[`'"]?([\w$.#:]{1,120}[\w$])/gi;

/** "Adapt TestParsePairsRefuses": a test by the name of its function. */
const THE_TEST =
  /\b(?:adapt|adjust|updat|chang|rewrit|extend|correct|fix)(?:e|ing)?\s+(?:the\s+)?(?:test\s+)?`?(Test[A-Z]\w{2,100}|test_\w{3,100})\b/gi;

export function grantedByKind(task: string, files: readonly ChangedFile[]): readonly Because[] {
  const orders = clausesOf(task).map(({ text, forbidsFrom }) => text.slice(0, forbidsFrom));
  const pipeline = orders.find((text) => ABOUT_PIPELINE.test(text) && !SEEN_IN_PIPELINE.test(text));
  const stricter = orders.find((text) => STRICTER.test(text));
  const renames = orders.flatMap((text) =>
    [...text.matchAll(RENAME)].map(([words, from = '', to = '']) => ({ words, from, to })),
  );
  const tests = orders.flatMap((words) => [...words.matchAll(THE_TEST)].map(([, name = '']) => ({ words, name })));
  return files.flatMap((file): Because[] => {
    const { path } = file;
    if (pipeline !== undefined && isPipeline(path)) return [{ what: path, words: pipeline }];
    if (stricter !== undefined && SETTINGS.test(path) && isCheckConfig(path) && isStricter(file))
      return [{ what: path, words: stricter }];
    const test = isTest(path) ? tests.find(({ name }) => file.before?.includes(name) === true) : undefined;
    if (test !== undefined) return [{ what: path, words: test.words }];
    const renamed = isTest(path) ? renames.find(({ from, to }) => isRenamed(file, from, to)) : undefined;
    return renamed === undefined ? [] : [{ what: path, words: renamed.words }];
  });
}

/** Switches something off, or says what runs. */
const LOOSENS =
  /\b(?:off|addopts|testpaths|python_\w+|deselect\w*|include|files|pattern\w*|paths?|commands?|scripts?|run|ignor\w*|disabl\w*|allow\w*|exclud\w*|skip\w*|omit\w*|false|no|none|continue\w*|warn\w*)\b|:\s*["']?0\b|=\s*0\b/i;

/** Only settings that are new and switch nothing off, and numbers that are larger than before. */
function isStricter(file: ChangedFile): boolean {
  const { added, removed } = lineDiff(file);
  if (file.before === null || added.length === 0) return false;
  const grown = new Set<number>();
  const kept = removed.every(({ text }) => {
    const next = added.find((one) => !grown.has(one.line) && isLarger(text, one.text));
    if (next !== undefined) grown.add(next.line);
    return next !== undefined;
  });
  return kept && added.every(({ line, text }) => grown.has(line) || !LOOSENS.test(text));
}

const NUMBER = /\d+(?:\.\d+)?/g;

function isLarger(before: string, after: string): boolean {
  if (before.replace(NUMBER, '#') !== after.replace(NUMBER, '#'))
    return before.replace(/,?\s*$/, '') === after.replace(/,?\s*$/, '');
  const [old, now] = [before, after].map((text) => (text.match(NUMBER) ?? []).map(Number)) as [number[], number[]];
  return now.every((value, i) => value >= (old[i] ?? 0));
}

/** With both names read as one, the two texts are the same. */
function isRenamed({ before, after }: ChangedFile, from: string, to: string): boolean {
  const [old, now] = [lastPart(from), lastPart(to)];
  if (before === null || after === null || old === now || old === '' || now === '') return false;
  const word = new RegExp(`(?<![\\w$])(?:${escaped(old)}|${escaped(now)})(?![\\w$])`, 'g');
  return before.replace(word, '\0') === after.replace(word, '\0');
}

const lastPart = (name: string): string =>
  name
    .split(/[.#:]+/)
    .filter((part) => part !== '')
    .at(-1) ?? '';
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
