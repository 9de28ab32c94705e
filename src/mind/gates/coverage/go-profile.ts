/**
 * Reads Go cover profiles: `name.go:startLine.startColumn,endLine.endColumn statements count`. Blocks become lines: a
 * line ran if any block on it ran. So the closing brace of a block and the condition before it are covered if the
 * condition was evaluated, as in other tools' reports of a profile.
 */
import { Collector, countOf, lineOf, UnusableReport } from './collect.ts';
import type { Coverage } from './coverage.ts';
import { type SourcePlaces, sourcePath } from './paths.ts';
import { linesIn } from './text-lines.ts';

const MODE = /^mode: (set|count|atomic)$/;
const BLOCK = /^(.+):(\d+)\.(\d+),(\d+)\.(\d+) (\d+) (\d+)$/;
/** Lines of one block, and of all blocks together. A real profile of 50 MB has about 4 million. */
const MAX_BLOCK = 100_000;
const MAX_SPANNED = 8_000_000;

export function readGoProfile(text: string, places: SourcePlaces): Coverage {
  const collector = new Collector();
  const pathOf = remembered((name: string) => goPath(name, places.goModules));
  let mode: string | null = null;
  let spanned = 0;
  // Go ends every line. Without the last newline the count on that line may be truncated.
  if (!text.endsWith('\n')) throw new UnusableReport('its last line has no end: the report is truncated');
  for (const { line, number } of linesIn(text)) {
    const at = `line ${number}`;
    if (mode === null) {
      mode = MODE.exec(line)?.[1] ?? null;
      if (mode === null) throw new UnusableReport('it does not begin with `mode: set`, `count` or `atomic`');
      continue;
    }
    const [, name, first, , last, , statements, count] = BLOCK.exec(line) ?? [];
    if (name === undefined) throw new UnusableReport(`${at} is not a block of a Go cover profile`);
    const [from, to] = [lineOf(first, `the first line of ${at}`), lineOf(last, `the last line of ${at}`)];
    const hits = countOf(count, `the count of ${at}`, mode === 'set' ? 1 : Number.MAX_SAFE_INTEGER);
    if (to - from >= MAX_BLOCK) throw new UnusableReport(`${at} is a block of more than ${MAX_BLOCK} lines`);
    if (from > to) throw new UnusableReport(`${at} is a block that ends before it begins`);
    spanned += to - from + 1;
    if (spanned > MAX_SPANNED) throw new UnusableReport(`its blocks span more than ${MAX_SPANNED} lines`);
    const path = pathOf(name);
    // A block without statements, such as the body of an empty function, has nothing to run.
    if (countOf(statements, `the statements of ${at}`) === 0 || path === null) continue;
    const records = collector.file(path);
    for (let covered = from; covered <= to; covered += 1) records.line(covered, hits);
  }
  if (mode === null) throw new UnusableReport('it is empty');
  return collector.coverage();
}

/** A profile names files by module. Without a list of the modules the name is kept, and matches no changed path. */
function goPath(name: string, modules: SourcePlaces['goModules']): string | null {
  const plain = name.startsWith('_/') ? name.slice(1) : name;
  if (modules === undefined || /^\.?\//.test(plain)) return sourcePath(plain);
  const inner = [...modules.keys()]
    .filter((module) => plain.startsWith(`${module}/`))
    .sort((a, b) => b.length - a.length)[0];
  if (inner === undefined) return null;
  return sourcePath(`${modules.get(inner) ?? ''}/${plain.slice(inner.length + 1)}`.replace(/^\//, ''));
}

function remembered(compute: (name: string) => string | null): (name: string) => string | null {
  const known = new Map<string, string | null>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const path = compute(name);
    known.set(name, path);
    return path;
  };
}
