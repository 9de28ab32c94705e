/**
 * What the operator's own text names and thereby allows: protected paths and dependencies. Only text that a person
 * typed as the task counts; text from a repository, an issue or a model allows nothing.
 */
import { isNeverGranted } from '../candidates/check.ts';
import { folded } from '../candidates/fold.ts';
import { testMatcher } from '../candidates/test-paths.ts';
import { nameOf } from '../code/paths.ts';
import type { Spec } from '../domain/values.ts';
import { namedDependency } from './named-dependency.ts';
import { type Clause, clausesOf } from './task-words.ts';

/** The task's text if the operator wrote it; no other text grants anything. */
export const ownWords = ({ own_words, text, acceptance = [] }: Spec): string =>
  own_words === true ? [text, ...acceptance].join('\n') : '';

type Granted = {
  readonly paths: readonly string[];
  readonly dependencies: readonly string[];
  /** For the record: each grant with the words that name it. */
  readonly because: readonly { readonly what: string; readonly words: string }[];
};

const TEST_WORDS = ['test', 'spec', 'expectation', 'snapshot'];
const MAX_WORDS = 200;
const MAX_ASKED = 5_000;

export function grantedByWords(
  task: string,
  ask: { readonly paths: readonly string[]; readonly dependencies: readonly string[] },
): Granted {
  const clauses = clausesOf(task).map((clause) => ({
    ...clause,
    lower: clause.text.toLowerCase(),
    tests: [THE_TESTS, TESTS_TOO, IN_THE_TESTS]
      .map((some) => some.exec(clause.text)?.index)
      .find((at) => at !== undefined),
  }));
  const because: { what: string; words: string }[] = [];
  const asked = [...new Set(ask.paths)].slice(0, MAX_ASKED);
  const rivals = rivalsOf(asked);
  const lower = task.toLowerCase();
  const paths = asked.filter((path) => {
    // The task does not mention most paths.
    const words = [nameOf(path).toLowerCase(), stemOf(path), 'lock', ...(isTest(path) ? TEST_WORDS : [])];
    if (!words.some((word) => lower.includes(word))) return false;
    if (isNeverGranted(folded(path))) return false;
    return decide(path, clauses, (clause) => pathNamed(clause, path, rivals), because);
  });
  const dependencies = [...new Set(ask.dependencies)]
    .slice(0, MAX_ASKED)
    .filter((name) => decide(name, clauses, ({ text }) => namedDependency(text, name), because));
  return { paths, dependencies, because };
}

type Lowered = Clause & {
  readonly lower: string;
  /** Where the clause means whichever tests the change is about. */
  readonly tests: number | undefined;
};

/** Named somewhere and forbidden nowhere. */
function decide(
  what: string,
  clauses: readonly Lowered[],
  find: (clause: Lowered) => number | null,
  because: { what: string; words: string }[],
): boolean {
  let words: string | null = null;
  for (const clause of clauses) {
    const at = find(clause);
    if (at === null) continue;
    if (at >= clause.forbidsFrom) return false;
    words ??= clause.text;
  }
  if (words !== null)
    because.push({ what, words: words.length <= MAX_WORDS ? words : `${words.slice(0, MAX_WORDS - 1)}…` });
  return words !== null;
}

/** Words further away are about something else. */
const NEAR = 30;

/** Words that mark a stem as a test ("the cart tests") or as another file ("eslint config"). */
const BESIDE_TEST = 'tests?|specs?|suite|snapshots?|fixtures?|file';
const BESIDE_OTHER =
  'lock|lockfile|lock file|dependency|dependencies|config|configuration|settings|setup|script|workflow|pipeline|manifest|file|snapshots?|fixtures?';
/** "Adapt the existing tests", "remove the method and the test for it": any tests that the change is about. */
const WHATEVER = '(?:(?:all|any|the|our|its|their|those|of|existing|affected|related|old|unit|integration)\\s+){0,4}';
const THE_TESTS = new RegExp(
  `\\b(?:updat\\w*|adapt\\w*|adjust\\w*|chang(?:e|es|ing)|rewrit\\w*|extend\\w*|migrat\\w*|port(?:ing)?|correct(?:ing)?)\\s+${WHATEVER}(?:tests|test suite|test files?|test cases|specs|expectations|snapshots)\\b(?!\\s+(?:for|of|in|on|that|which|runner|config\\w*|setup|command|script)\\b)|\\b(?:(?:remov|delet|drop|adapt|updat)\\w*|get(?:ting)? rid|throw away|take out|clean up|retire)\\b.{1,60}\\b(?:and|with)\\s+(?:all\\s+|(?:its|their)\\s+(?:unit\\s+)?tests?\\b|(?:the\\s+)?tests?\\s+(?:for|of)\\s+(?:it|them|that)\\b)|\\b(?:updat|adapt|adjust|chang|fix)\\w*\\s+(?:(?:all|the|its|their|any)\\s+){0,2}(?:callers?|call sites?|usages?|users|imports|references|everything)(?:,\\s+\\w+){0,2},?\\s+(?:and|including)\\s+(?:(?:all|the|its|their|existing)\\s+){0,2}tests?\\b|\\b(?:remov|delet|drop)\\w*\\s+(?:the|its|their|this|that|these|those)\\s+tests?\\s+(?:for|of)\\s+(?:it|them|that|this|those)\\b`,
  'i',
);
/** "Fix the code and the test", "use the helper in the specs". */
const IN_THE_TESTS =
  /\b(?:chang|updat|adapt|adjust|correct|fix)(?:e|ing)?\s+(?:the\s+)?\w+\s+and\s+(?:the|its)\s+tests?\s*$|\b(?:us(?:e|ing)|replac(?:e|ing)|prefer|introduc(?:e|ing)|extract|share)\s.{1,60}\sin\s+(?:the|our|all)\s+(?:\w+\s+)?(?:specs?|tests?)\s*$/i;
/** "Rename a.ts, and update the imports, also in the test": a change that mentions tests as well. */
const TESTS_TOO =
  /\b(?:updat|adapt|adjust|chang|renam|mov|migrat|replac|rewrit|correct)\w*\b.{1,120}?\b(?:also|including|and also|as well as)\s+(?:in\s+)?(?:(?:all|the|its|their|any|existing)\s+){0,2}tests?\b(?!\s+(?:runner|config\w*|setup|command|script))/i;
/** "Change the test accordingly": clear only if the change is about one test. */
const THE_TEST =
  /\b(?:updat\w*|adapt\w*|adjust\w*|chang(?:e|es|ing)|rewrit\w*|correct(?:ing)?)\s+(?:the|its|that|this)\s+(?:existing\s+|old\s+|unit\s+)?test(?:\s+(?:file|case))?(?=\s*$|\s+(?:accordingly|too|as well|also|to match|for (?:it|that|this)|with it)\b)/i;
/** The path is only a condition: "so that a.test.js passes". */
const LOOKED_AT =
  /\b(?:run(?:s|ning)?|pass(?:es|ing)?|green|succeeds?|fail(?:s|ed|ing)?|see|read|look(?:ing)? at|according to|as (?:in|described|documented|shown)|like|reproduc\w*|covered by|reported (?:by|in))\b/i;
const CHANGES =
  /\b(?:add|append|chang\w*|updat\w*|edit\w*|extend\w*|expand\w*|rewrit\w*|adapt\w*|adjust\w*|mov(?:e|ing)|renam\w*|delet\w*|remov\w*|drop|writ(?:e|ing)|put|correct\w*|replac\w*|split|merg\w*|convert\w*|insert\w*|includ\w*|bump\w*|upgrad\w*|regenerat\w*|refresh\w*|creat\w*|modify|modif\w*|port|migrat\w*|clean|set|configur\w*|enabl\w*|disabl\w*|skip\w*|touch\w*|tidy|format\w*|commit|improv\w*|refactor\w*|fix(?:ing)?(?: up)? (?:the )?(?:tests? |file |snapshot |fixture |config )?[`'"]?[\w./-]*[./][\w./-]+)\b/i;

/** The place where the clause names the path; null if it does not. */
function pathNamed(clause: Lowered, path: string, rivals: Rivals): number | null {
  const { text } = clause;
  const at = placeOf(clause, path, rivals);
  if (at === null) return null;
  const near = text.slice(Math.max(0, at - NEAR), at + path.length + NEAR);
  return LOOKED_AT.test(near) && !CHANGES.test(text) ? null : at;
}

function placeOf({ text, lower, tests }: Lowered, path: string, rivals: Rivals): number | null {
  const whole = standing(text, path);
  if (whole !== null) return whole;
  const name = nameOf(path);
  const isTelling = name.includes('.') || /^[A-Z]/.test(name) || /[_-]/.test(name);
  // `MoneyTest` of MoneyTest.java can only be a test.
  const [bare = name] = name.split('.');
  if (/\w[._]?(?:Test|Tests|Spec)$|^test_\w|\w_(?:test|spec)$/.test(bare)) {
    const at = standing(text, bare);
    if (at !== null) return at;
  }
  if (isTelling) {
    const at = standing(text, name);
    // `index.test.js` of one directory says nothing about that of another.
    if (at !== null && (rivals.names.get(name) === 1 || !text.includes(`/${name}`))) return at;
  }
  if (isLockFile(name)) {
    const at = /\block[ -]?files?\b/.exec(lower)?.index;
    if (at !== undefined && rivals.locks === 1) return at;
  }
  const ofTests = isTest(path);
  const one = ofTests && rivals.tests === 1 ? THE_TEST.exec(text)?.index : undefined;
  const whichever = ofTests ? (tests ?? one) : undefined;
  if (whichever !== undefined) return whichever;
  const stem = stemOf(path);
  if (stem.length < 2 || rivals.stems.get(kindedStem(path)) !== 1 || !lower.includes(stem)) return null;
  const before = ofTests ? 'tests?|specs?|snapshots?|fixtures?' : 'config|configuration|snapshots?|fixtures?';
  const beside = new RegExp(
    `(?<![\\w./-])${escaped(stem)}(?:['’]s)?[ -](?:unit |integration )?(?:${ofTests ? BESIDE_TEST : BESIDE_OTHER})(?![\\w/-])|(?<![\\w./-])(?:${before}) (?:for|of) (?:the )?\`?${escaped(stem)}(?![\\w/-])`,
    'i',
  );
  return beside.exec(lower)?.index ?? null;
}

/** A test and its source often share a stem, but no words mean both. */
const kindedStem = (path: string): string => `${isTest(path) ? 'test' : 'other'} ${stemOf(path)}`;

/** The place of a name that is no part of another path or word. */
function standing(text: string, name: string): number | null {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const before = text.slice(Math.max(0, at - 2), at);
    const after = text.slice(at + name.length, at + name.length + 2);
    const begins = !/[\w./@-]$/.test(before) || /(?:^|[^\w./])\.\/$/.test(text.slice(Math.max(0, at - 3), at));
    if (begins && !/^(?:[\w/-]|\.\w)/.test(after)) return at;
  }
  return null;
}

const isLockFile = (name: string): boolean =>
  /(?:^|[.-])lock(?:\.|b?$|file)|^go\.sum$|^npm-shrinkwrap\.json$/.test(name);

const isTest = testMatcher([]);

/** `test/cart.test.js` → cart, `.eslintrc.json` → eslint, `vitest.config.ts` → vitest. */
function stemOf(path: string): string {
  const name = nameOf(path).toLowerCase().replace(/^\.+/, '');
  const bare = name.replace(/\.[^.]*$/, '');
  return isTest(path)
    ? bare.replace(/^tests?[._-]/, '').replace(/[._-](?:test|tests|spec|specs|e2e|unit)$/, '')
    : bare.replace(/(?:[._-](?:config|conf|setup|settings|lock)|rc)+(?:\.\w{1,10})?$/, '');
}

/** How many paths share a name or stem: a shared one names none of them. */
type Rivals = {
  readonly names: ReadonlyMap<string, number>;
  readonly stems: ReadonlyMap<string, number>;
  readonly locks: number;
  readonly tests: number;
};

const rivalsOf = (paths: readonly string[]): Rivals => ({
  names: counted(paths.map(nameOf)),
  stems: counted(paths.map(kindedStem)),
  locks: paths.filter((path) => isLockFile(nameOf(path))).length,
  tests: paths.filter(isTest).length,
});

function counted(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
