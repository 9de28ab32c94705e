/** Syntax of data files that we parse ourselves: JSON and YAML need no program. */
import { yamlProblem } from '../fields/yaml.ts';

const JSON_FILE = /\.json$/i;
const YAML_FILE = /\.ya?ml$/i;
/** Files in which comments are usual. */
const JSON_WITH_COMMENTS =
  /(?:^|\/)(?:[tj]sconfig[^/]*|\.eslintrc|devcontainer|\.swcrc|api-extractor)\.json$|(?:^|\/)\.vscode\//i;
const MAX_PROBLEMS = 20;

type DataFile = { readonly path: string; readonly before: string | null; readonly after: string | null };

export const isDataFile = (path: string): boolean =>
  YAML_FILE.test(path) || (JSON_FILE.test(path) && !JSON_WITH_COMMENTS.test(path));

/** Files that no longer parse. A file that did not parse at the base either is no fault of the change. */
export function dataProblems(files: readonly DataFile[]): readonly string[] {
  return files
    .flatMap(({ path, before, after }) => {
      const problem = after === null ? null : problemOf(path, after);
      if (problem === null) return [];
      return before !== null && problemOf(path, before) !== null ? [] : [`${path}: ${problem}`];
    })
    .slice(0, MAX_PROBLEMS);
}

function problemOf(path: string, text: string): string | null {
  // A template becomes YAML only when it is rendered.
  if (YAML_FILE.test(path)) return text.includes('{{') || text.includes('{%') ? null : yamlProblem(text);
  try {
    JSON.parse(text.replace(/^\ufeff/, ''));
    return null;
  } catch (error) {
    return (error as Error).message.slice(0, 300);
  }
}
