/**
 * Protected files that a task names by what they are for, and not by their path: pipelines ("run the tests on Node 22 in
 * CI"), checks that become stricter ("enable the linter bodyclose"), and tests in which a name is another one now ("rename
 * size to length everywhere").
 */
import { isNeverGranted } from '../candidates/check.ts';
import { folded } from '../candidates/fold.ts';
import { PROTECTED } from '../candidates/protected-paths.ts';
import { testMatcher } from '../candidates/test-paths.ts';
import { type ChangedFile, lineDiff } from '../changes/changed-file.ts';
import { nameOf } from '../code/paths.ts';
import { matcher } from '../fields/globs.ts';
import { LOOSENS, settingsNamed } from './named-settings.ts';
import { scriptsNamed } from './named-tools.ts';
import { isSameTest, movedFiles } from './same-test.ts';
import { REMOVAL, TaskWords } from './task-words.ts';
import { losesOnlyAsked } from './test-loss.ts';

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

const PIPELINE_VERBS =
  'run|test|build|check|lint|add|set up|enable|use|cache|upload|publish|deploy|speed up|extend|update|change|drop|bump|pin|split|simplify|improve|make|let';
const ABOUT_PIPELINE = new RegExp(
  `^(?:please\\s+|also\\s+)?(?:${PIPELINE_VERBS})\\s(?:.{0,120}\\b(?:(?:in|on|to|for|the|our)\\s+CI\\b|CI (?:workflow|pipeline|jobs?|matrix|config\\w*|builds?|runs?)\\b|GitHub (?:Actions?|workflows?)\\b|GitLab CI\\b)|CI\\b)|\\bCI (?:should|must|needs? to|has to)\\b`,
  'i',
);
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

/** The same tests from another place, or in another layout: words about code, files or tests. */
const MOVES =
  /\b(?:mov(?:e|ing)|renam\w*|reorgani[sz]\w*|restructur\w*|migrat\w*|convert\w*|(?:re)?format(?:ting)?)\s.{0,60}?(?:\b(?:tests?|specs?|suites?|files?|code(?:base)?|modules?|folders?|director(?:y|ies)|packages?|projects?|repo(?:sitory)?|sources?|imports?|everything|black|biome)\b|[\w-]\/|\w\.[a-z]{1,4}\b)|\b(?:prettier|formatter|code style|(?:single|double) quotes|semicolons?|es ?modules?|esm)\b/i;

export function grantedByKind(task: string, files: readonly ChangedFile[]): readonly Because[] {
  const because = becauseOf(new TaskWords(task), files);
  return files.flatMap((file): Because[] => {
    const words = isNeverGranted(folded(file.path)) ? null : because(file);
    return words === null ? [] : [{ what: file.path, words }];
  });
}

function becauseOf(said: TaskWords, files: readonly ChangedFile[]): (file: ChangedFile) => string | null {
  const orders = said.clauses.map(({ text, forbidsFrom }) => text.slice(0, forbidsFrom));
  const pipeline = orders.find((text) => ABOUT_PIPELINE.test(text) && !SEEN_IN_PIPELINE.test(text));
  const stricter = orders.find((text) => STRICTER.test(text));
  const renamings = orders.flatMap((text) =>
    [...text.matchAll(RENAME)].map(([, from = '', to = '']) => ({ words: text, from, to })),
  );
  const moves = renamings[0]?.words ?? orders.find((text) => MOVES.test(text));
  const tests = orders.flatMap((words) => [...words.matchAll(THE_TEST)].map(([, name = '']) => ({ words, name })));
  const added = files.filter(({ before }) => before === null);
  const same = { renamings, moved: movedFiles(files) };
  const arrived = added.filter(({ path }) => isTest(path));
  const removal = orders.find((text) => REMOVAL.test(text));
  const words = new TaskWords(orders.join('\n\n'));
  const ofTest = (file: ChangedFile): string | null => {
    const { path, before, after } = file;
    if (before === null) return null;
    const named = tests.find(({ name }) => before.includes(name));
    if (named !== undefined) return named.words;
    if (removal !== undefined && losesOnlyAsked(file, files, words)) return removal;
    const places = arrived.filter((one) => isFoundAsBefore(path, one.path));
    const now =
      after === null ? places.map((one) => ({ path: one.path, text: one.after ?? '' })) : [{ path, text: after }];
    return moves !== undefined && now.some((one) => isSameTest({ path, text: before }, one, same)) ? moves : null;
  };
  return (file) => {
    const { path } = file;
    if (pipeline !== undefined && isPipeline(path)) return pipeline;
    if (isTest(path)) return ofTest(file);
    if (!isCheckConfig(path) && !isPipeline(path) && !path.endsWith('package.json')) return null;
    if (stricter !== undefined && SETTINGS.test(path) && isStricter(file)) return stricter;
    const scripts = scriptsNamed(file, said);
    return toolNamed(file, orders) ?? (scripts === undefined ? settingsNamed(file, orders) : scripts);
  };
}

/** The runner looks for tests below certain folders, and by certain names. */
const isFoundAsBefore = (old: string, now: string): boolean =>
  old.split('/')[0] === now.split('/')[0] && kindOfName(old) === kindOfName(now);
const kindOfName = (path: string): string | undefined =>
  /^test_|[._-](?:test|tests|spec|e2e)\..*$|(?:Test|Tests|Spec|IT)\.\w+$|\.\w+$/.exec(nameOf(path))?.[0];

const COMES = 'add|use|set ?up|switch\\w*|migrat\\w*|mov\\w*|introduc\\w*|adopt\\w*|configur\\w*|replac\\w*';
const GOES = 'remov\\w*|drop|delet\\w*|switch\\w*|migrat\\w*|mov\\w*|replac\\w*|get rid of';

/** The configuration of a tool that comes or goes: "switch from eslint to Biome". */
function toolNamed({ path, before, after }: ChangedFile, orders: readonly string[]): string | null {
  const tool =
    /^\.?([a-z]{3,30}?)(?:rc(?:\.\w{1,10})?|\.(?:config|conf)\.\w{1,10}|\.(?:toml|ya?ml|jsonc?|cfg|ini))$/.exec(
      nameOf(path).toLowerCase(),
    )?.[1];
  if (tool === undefined || (before !== null && after !== null)) return null;
  const verbs = before === null ? COMES : GOES;
  const named = new RegExp(`\\b(?:${verbs})\\b.{0,60}\\b${tool}\\b`, 'i');
  return orders.find((text) => named.test(text)) ?? null;
}

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
