/** Guesses the sort of task from its words and files; this selects a few lines of guidance, nothing else. */

export const TASK_TYPES = ['implementation', 'config', 'test', 'docs', 'refactor'] as const;
export type TaskType = (typeof TASK_TYPES)[number];

/** Files decide if all of them are of one sort; else the first significant word of the first sentence does. */
export function taskType(text: string, files: readonly string[]): TaskType {
  const [sort, ...others] = new Set(files.map(sortOf));
  if (sort !== undefined && others.length === 0 && sort !== 'implementation') return sort;
  const start = firstSentence(text);
  const found = WORDS.map(([type, words]) => ({ type, at: start.search(words) })).filter(({ at }) => at >= 0);
  return found.sort((a, b) => a.at - b.at)[0]?.type ?? 'implementation';
}

/** In this order, if two start at the same word. */
const WORDS: readonly (readonly [TaskType, RegExp])[] = [
  ['refactor', /\b(?:refactor|restructur|reorgani[sz]|simplif|deduplicat|renam|extract|inline\b|clean(?:ing)?[ -]up)/],
  [
    'test',
    /\b(?:(?:add|cover|extend|improve|increase|missing|more|write)\b[^.]{0,40}\b)?(?:tests|test cases?|coverage|specs)\b/,
  ],
  ['docs', /\b(?:readme|changelog|docs|document(?!s? (?:store|type|id))|docstrings?|tutorial|user guide)/],
  [
    'config',
    /\b(?:config|settings?\b|ci\b|pipeline|dockerfile|docker\b|dependenc(?:y|ies)\b|bump\b|tsconfig|eslint|lint(?:er|ing)? rules?)/,
  ],
  ['implementation', /\b(?:implement|build|fix|repair|support|introduce|feature|bug\b|endpoint|crash)/],
];

const MAX_START = 240;

const firstSentence = (text: string): string =>
  (
    text
      .trimStart()
      .slice(0, MAX_START)
      .split(/[.!?](?:\s|$)|\n/)[0] ?? ''
  ).toLowerCase();

function sortOf(path: string): TaskType {
  const lower = path.toLowerCase();
  if (/(?:^|\/)(?:tests?|__tests__|specs?|e2e)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_\w+\.py$/.test(lower))
    return 'test';
  if (/\.(?:md|mdx|rst|adoc|txt)$|(?:^|\/)docs?\//.test(lower)) return 'docs';
  if (
    /\.(?:ya?ml|toml|ini|cfg|conf|properties|env)$|(?:^|\/)(?:dockerfile|makefile|\.[\w-]+rc)[^/]*$|(?:^|\/)(?:package|tsconfig|biome)[\w.-]*\.json$/.test(
      lower,
    )
  )
    return 'config';
  return 'implementation';
}
