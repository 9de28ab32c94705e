/** The first line of a commit, in conventional form if the project uses that. */

const CONVENTIONAL = /^(?:feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert)(?:\([^)\n]+\))?!?: \S/;

/** Fewer commits do not show a project's convention. */
const LEAST = 5;

/** Whether most of these subjects, from the newest commits, are in conventional form. */
export function isConventional(subjects: readonly string[]): boolean {
  const written = subjects.filter((one) => !/^Merge\b/.test(one));
  return written.length >= LEAST && written.filter((one) => CONVENTIONAL.test(one)).length * 2 > written.length;
}

/** The type that a task's words suggest; the first match counts. */
const TYPES: readonly (readonly [string, RegExp])[] = [
  ['revert', /^(?:undo|revert)\b/i],
  ['docs', /^(?:document|describe|explain)\b|\b(?:docs?|readme|changelog|comments?|typos?)\b/i],
  ['fix', /\b(?:fix(?:e[sd])?|bug|repair|correct|prevent|crash(?:e[sd])?|broken|wrong|fails?|error)\b/i],
  ['test', /\btests?\b/i],
  ['refactor', /\b(?:refactor|rename|clean ?up|simplify|extract|restructure)\b/i],
  ['perf', /\b(?:faster|speed|performance|slow)\b/i],
  ['ci', /\b(?:ci|workflow file|pipeline)\b/i],
  ['build', /\b(?:build|bump|upgrade|dependenc(?:y|ies))\b/i],
];

export function conventionalSubject(title: string): string {
  if (CONVENTIONAL.test(title)) return title;
  const type = TYPES.find(([, words]) => words.test(title))?.[0] ?? 'feat';
  // An acronym keeps its capitals.
  const text = /^[A-Z][^A-Z]/.test(title) ? `${title.slice(0, 1).toLowerCase()}${title.slice(1)}` : title;
  return `${type}: ${text.replace(/\.$/, '')}`;
}
