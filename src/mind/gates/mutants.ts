/** Makes small defects in changed lines, one in each: a test suite that stays green does not check that line. */
import { addedLines, type ChangedFile } from '../changes/changed-file.ts';

export type Mutant = {
  readonly path: string;
  readonly line: number;
  /** The line as it is, and with the defect. */
  readonly from: string;
  readonly to: string;
  /** The whole file with the defect. */
  readonly text: string;
};

const SOURCE = /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|c|cc|cpp|swift)$/;
/** Comments, imports, type declarations, logging, and braces: no relevant test notices a defect there. */
const DULL =
  /^\s*(?:\/\/|#|\*|\/\*|import\b|from\b|use\b|package\b|export (?:type|interface|\*|\{)|type\b|interface\b|@|[)\]}(,;]*\s*$|(?:console|log|logger|logging)\b)/;
/** A string is text for people, or a name that others know. */
const STRINGS = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** The first match is used: defects that tests most likely notice come first. */
const DEFECTS: readonly (readonly [RegExp, string])[] = [
  [/===/, '!=='],
  [/!==/, '==='],
  [/==/, '!='],
  [/!=/, '=='],
  [/<=/, '>'],
  [/>=/, '<'],
  [/(?<=[\w)\]] )<(?= )/, '>='],
  [/(?<=[\w)\]] )>(?= )/, '<='],
  [/&&/, '||'],
  [/\|\|/, '&&'],
  [/\band\b/, 'or'],
  [/\bor\b/, 'and'],
  [/\btrue\b/, 'false'],
  [/\bfalse\b/, 'true'],
  [/\bTrue\b/, 'False'],
  [/\bFalse\b/, 'True'],
  [/(?<=[\w)\]] )\+(?= )/, '-'],
  [/(?<=[\w)\]] )-(?= )/, '+'],
  [/(?<=[\w)\]] )\*(?= )/, '/'],
  [/(?<=\breturn )(\d+)\b/, '$1 + 1'],
  [/(?<= = |\(|, )(\d+)\b(?!\.)/, '($1 + 1)'],
];

type MutantOptions = {
  readonly isTest: (path: string) => boolean;
  /** Whether the tests run a line, by their coverage. The coverage gate reports lines that none runs. */
  readonly isRun?: (path: string, line: number) => boolean;
  readonly most: number;
};

/** At most `most`, spread over the files, sorted by path and line. */
export function mutantsOf(
  files: readonly ChangedFile[],
  { isTest, isRun = () => true, most }: MutantOptions,
): readonly Mutant[] {
  const all = files
    .filter(({ path, after }) => after !== null && SOURCE.test(path) && !isTest(path))
    .map((file) => mutantsIn(file).filter(({ path, line }) => isRun(path, line)));
  const chosen: Mutant[] = [];
  for (let n = 0; chosen.length < most && all.some((list) => list.length > n); n += 1)
    for (const list of all) if (list[n] !== undefined && chosen.length < most) chosen.push(list[n] as Mutant);
  return chosen.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

function mutantsIn(file: ChangedFile): Mutant[] {
  const lines = (file.after ?? '').split('\n');
  return addedLines(file).flatMap(({ line, text }) => {
    const to = defectIn(text);
    if (to === null) return [];
    const changed = lines.with(line - 1, to).join('\n');
    return [{ path: file.path, line, from: text.trim(), to: to.trim(), text: changed }];
  });
}

function defectIn(line: string): string | null {
  if (DULL.test(line) || line.length > 500) return null;
  const bare = line.replace(STRINGS, (text) => `"${'_'.repeat(Math.max(0, text.length - 2))}"`);
  for (const [found, put] of DEFECTS) {
    const at = found.exec(bare);
    if (at === null) continue;
    const end = at.index + at[0].length;
    return (
      line.slice(0, at.index) +
      line.slice(at.index, end).replace(/^.*$/s, () => at[0].replace(/^(.*)$/s, put)) +
      line.slice(end)
    );
  }
  return null;
}
