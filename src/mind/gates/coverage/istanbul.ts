/** Reads Istanbul JSON (`coverage-final.json`), as Istanbul, nyc, c8, jest and vitest write it. */
import { fieldOf, type JsonRecord, listOf, parsed, recordOf, reportEntries } from './bounded-json.ts';
import { Collector, countOf, type FileRecords, lineOf, UnusableReport } from './collect.ts';
import type { Coverage } from './coverage.ts';
import { sourcePath } from './paths.ts';

export function readIstanbul(text: string): Coverage {
  const collector = new Collector();
  for (const [name, piece] of reportEntries(text)) {
    const file = recordOf(parsed(text, piece), 'a file of the report');
    const path = sourcePath(name);
    const records = path === null ? null : collector.file(path);
    const part = (key: string) => recordOf(fieldOf(file, key), `\`${key}\` of a file`);
    readStatements(part('statementMap'), part('s'), records);
    readBranches(part('branchMap'), part('b'), records);
  }
  return collector.coverage();
}

/** A statement counts for its first line, as in Istanbul's own reports. */
function readStatements(map: JsonRecord, counts: JsonRecord, records: FileRecords | null): void {
  const ids = Object.keys(map);
  if (ids.length !== Object.keys(counts).length)
    throw new UnusableReport('it counts other statements than those it lists');
  for (const id of ids) {
    const start = recordOf(fieldOf(recordOf(map[id], 'a statement'), 'start'), 'the start of a statement');
    const line = lineOf(fieldOf(start, 'line'), 'the line of a statement');
    const hits = countOf(fieldOf(counts, id), 'the count of a statement');
    records?.line(line, hits);
  }
}

function readBranches(map: JsonRecord, counts: JsonRecord, records: FileRecords | null): void {
  const ids = Object.keys(map);
  if (ids.length !== Object.keys(counts).length)
    throw new UnusableReport('it counts other branches than those it lists');
  for (const id of ids) {
    const ways = listOf(fieldOf(recordOf(map[id], 'a branch'), 'locations'), 'the ways of a branch');
    const hits = listOf(fieldOf(counts, id), 'the counts of a branch');
    if (hits.length !== ways.length) throw new UnusableReport('it counts other ways of a branch than those it lists');
    const covered = hits.filter((count) => countOf(count, 'the count of a branch') > 0).length;
    records?.branches(id, covered, ways.length);
  }
}
