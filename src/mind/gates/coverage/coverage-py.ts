/**
 * Reads the JSON report of coverage.py. Its summaries are ignored: version 6.5 counts a line that a comment excludes as
 * executed, and also lists it as excluded.
 */
import { entriesOf, fieldOf, type JsonRecord, listOf, parsed, recordOf, reportEntries } from './bounded-json.ts';
import { Collector, type FileRecords, lineOf, UnusableReport } from './collect.ts';
import type { Coverage } from './coverage.ts';
import { sourcePath } from './paths.ts';

export function readCoveragePy(text: string): Coverage {
  const collector = new Collector();
  const parts = new Map(reportEntries(text));
  const [meta, files] = [parts.get('meta'), parts.get('files')];
  if (meta === undefined || files === undefined) throw new UnusableReport('it has no `meta` or no `files`');
  const withBranches = fieldOf(recordOf(parsed(text, meta), '`meta`'), 'branch_coverage') === true;
  for (const [name, piece] of entriesOf(text, files)) {
    const file = recordOf(parsed(text, piece), 'a file of the report');
    const path = sourcePath(name);
    const records = path === null ? null : collector.file(path);
    readLines(file, records);
    if (withBranches) readBranches(file, records);
  }
  return collector.coverage();
}

function readLines(file: JsonRecord, records: FileRecords | null): void {
  const linesOf = (key: string) =>
    listOf(fieldOf(file, key), `\`${key}\` of a file`).map((line) => lineOf(line, `a line of \`${key}\``));
  const missing = new Set(linesOf('missing_lines'));
  const excluded = new Set(linesOf('excluded_lines'));
  for (const line of linesOf('executed_lines')) {
    if (missing.has(line)) throw new UnusableReport('it lists a line as executed and as missing');
    if (!excluded.has(line)) records?.line(line, 1);
  }
  for (const line of missing) if (!excluded.has(line)) records?.line(line, 0);
  for (const line of excluded) records?.exclude(line);
}

/** Before version 6.5 branches were counted but not listed: then they are unknown. */
function readBranches(file: JsonRecord, records: FileRecords | null): void {
  const [executed, missing] = [fieldOf(file, 'executed_branches'), fieldOf(file, 'missing_branches')];
  if (executed === undefined || missing === undefined) return;
  const ran = listOf(executed, '`executed_branches` of a file').length;
  records?.branches('', ran, ran + listOf(missing, '`missing_branches` of a file').length);
}
