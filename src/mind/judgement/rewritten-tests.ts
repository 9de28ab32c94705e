/** Existing tests that a change rewrote, and whose old versions fail on it: the code behaves differently now. */
import { changedTests } from '../candidates/test-paths.ts';
import type { RuleFinding } from '../findings/index.ts';
import { TaskWords } from '../findings/task-words.ts';
import type { JudgedGate } from './judgement.ts';

type RewriteFacts = {
  readonly gates: readonly JudgedGate[];
  readonly changed: Parameters<typeof changedTests>[0];
  readonly testPaths: readonly string[];
  readonly words: string;
  /** The words are the operator's for this change, and no commit message. */
  readonly ownWords: boolean;
  /** Paths that the words name. */
  readonly named: ReadonlySet<string>;
};

/**
 * A task of the operator has to name the tests that it changes. A commit message seldom does: it blocks only if it
 * promises that nothing behaves differently.
 */
export function rewrittenTests({
  gates,
  changed,
  testPaths,
  words,
  ownWords,
  named,
}: RewriteFacts): readonly RuleFinding[] {
  const red = gates.filter((gate) => gate.old_tests_red && gate.blocking);
  const tests = changedTests(changed, testPaths);
  const [path] = tests;
  if (red.length === 0 || path === undefined || tests.every((one) => named.has(one))) return [];
  const blocks = ownWords || keepsBehaviour(words);
  const which = tests.length === 1 ? 'This existing test was changed' : `${tests.length} existing tests were changed`;
  const why = blocks ? 'the task does not name such a change' : 'see whether the task asks for that';
  const message = `${which}, and as in the base ${tests.length === 1 ? 'it fails' : 'they fail'} on the new code (gate ${red.map(({ name }) => name).join(', ')}): ${why}`;
  return [{ rule: 'rewritten-test', severity: 'high', path, line: null, message, tool: 'diff', blocks }];
}

const SAME =
  /\b(?:refactor\w*|clean(?:s|ed|ing)?[ -]?up|tid(?:y|ies|ied)|(?:re)?format\w*|styles?|lint\w*|typos?|spelling|docs?|document\w*|comments?|speed(?:s|ing)? up|faster|perf(?:ormance)?|optimi[sz]\w*|chore|whitespace|readab\w+|no (?:functional|behaviou?ral) changes?|no change (?:of|in) behaviou?r|without changing (?:the )?behaviou?r)\b/i;
/** Words about changes that tests may well notice. */
const OTHER =
  /\b(?:fix\w*|bugs?|correct\w*|feat\w*|add\w*|support\w*|allow\w*|(?<!(?:functional|behaviou?ral) )chang(?:e|es|ed)(?! (?:of|in) behaviou?r)|remov\w*|delet\w*|drop\w*|deprecat\w*|replac\w*|renam\w*|mov(?:e|es|ed|ing)|mak(?:e|es|ing)|let|return\w*|throw\w*|rais\w*|errors?|default\w*|implement\w*|introduc\w*|improv\w*|migrat\w*|convert\w*|switch\w*|us(?:e|es|ing)|requir\w*|reject\w*|accept\w*|handl\w*|ensur\w*|prevent\w*|updat\w*|upgrad\w*|bump\w*|extend\w*|releas\w*|breaking|new|tests?|revert\w*|rework\w*|rewrit\w*|overhaul\w*|merg\w*|options?|param\w*|types?|api|normali[sz]\w*|messages?|output|enabl\w*|disabl\w*|set|sort\w*|validat\w*|avoid\w*|adapt\w*|adjust\w*|align\w*|split\w*|extract\w*|export\w*|pars(?:es?|ed|ing)|print\w*|show\w*|hid\w*|limit\w*|round\w*)\b/i;

function keepsBehaviour(words: string): boolean {
  const { clauses } = new TaskWords(words);
  return clauses.some(({ text }) => SAME.test(text)) && !clauses.some(({ text }) => OTHER.test(text));
}
