/** Reads lcov tracefiles. Their own sums (LF, LH, BRF, BRH) are ignored: coverage.py 6.5 wrote `LF:6` beside `LH:7`. */
import { Collector, countOf, type FileRecords, lineOf, UnusableReport } from './collect.ts';
import type { Coverage } from './coverage.ts';
import { sourcePath } from './paths.ts';
import { linesIn } from './text-lines.ts';

/** Every other record of the format: test name, functions, sums, versions, MC/DC. */
const OTHER = /^[A-Z]{1,10}:/;

export function readLcov(text: string): Coverage {
  const collector = new Collector();
  /** Null between two files. */
  let open: { readonly records: FileRecords | null } | null = null;
  for (const { line, number } of linesIn(text)) {
    const at = `line ${number}`;
    if (line.startsWith('SF:')) {
      if (open !== null) throw new UnusableReport(`${at} begins a file before the one before it has ended`);
      const path = sourcePath(line.slice(3));
      open = { records: path === null ? null : collector.file(path) };
    } else if (line === 'end_of_record') {
      if (open === null) throw new UnusableReport(`${at} ends a file that has not begun`);
      open = null;
    } else if (line.startsWith('DA:') || line.startsWith('BRDA:')) {
      if (open === null) throw new UnusableReport(`${at} belongs to no file`);
      if (line.startsWith('DA:')) readLine(line.slice(3), at, open.records);
      else readBranch(line.slice(5), at, open.records);
    } else if (line !== '' && !line.startsWith('#') && !OTHER.test(line)) {
      throw new UnusableReport(`${at} is not an lcov record`);
    }
  }
  if (open !== null) throw new UnusableReport('its last file has no end (end_of_record): the report is truncated');
  return collector.coverage();
}

/** `line,hits` or `line,hits,checksum`. */
function readLine(fields: string, at: string, records: FileRecords | null): void {
  const [line, hits] = fields.split(',', 2);
  const read = [lineOf(line, `the line of ${at}`), countOf(hits, `the count of ${at}`)] as const;
  records?.line(...read);
}

/** `line,block,branch,taken`. The branch may be a text with commas; line 0 stands for the exit of a function. */
function readBranch(fields: string, at: string, records: FileRecords | null): void {
  const end = fields.lastIndexOf(',');
  const key = fields.slice(0, Math.max(end, 0));
  countOf(key.slice(0, Math.max(key.indexOf(','), 0)), `the line of ${at}`);
  if (key.split(',').length < 3) throw new UnusableReport(`${at} is an incomplete branch`);
  const taken = fields.slice(end + 1);
  const count = taken === '-' ? 0 : countOf(taken, `the count of ${at}`);
  records?.branches(key, count > 0 ? 1 : 0, 1);
}
