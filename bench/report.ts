/** The table of a row, on the terminal and on the page docs/benchmarks.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { type Finding, ROOT, type Row } from './support.ts';

const PAGE = join(ROOT, 'docs', 'benchmarks.md');
const HEADER = ['what', 'measured', 'ratio', 'goal', ''];
const HEADING = /^## Row (\w+)$/m;
const NOT_MEASURED = '## Not measured yet';

const TOP = `# Benchmarks

What Supervisor costs, against the same work done without it.

\`make bench\` measures all rows. \`make bench ARGS="g i"\` measures two of them, and with \`--write\` puts them into this page.
[How the rows are measured](../bench/README.md) says what each number is, and what disturbs it.

Compare the ratios. Absolute numbers change with the machine and with the programs that run beside.`;

export function printTable({ name }: Row, findings: readonly Finding[]): void {
  const lines = [HEADER, ...findings.map(cellsOf)];
  const widths = HEADER.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  for (const line of lines) {
    const cells = line.map((cell, column) => cell.padEnd(widths[column]!));
    console.log(`${name}  ${cells.join('  ')}`.trimEnd());
  }
  for (const note of notesOf(findings)) console.log(`${name}  ${note}`);
}

/** Puts one row into the page; the others stay as they are. */
export function writePage(row: Row, findings: readonly Finding[], rows: readonly Row[]): void {
  const section = sectionOf(row, findings, measuredOn(new Date()));
  writeFileSync(PAGE, pageWith(readFileSync(PAGE, 'utf8'), { name: row.name, section }, rows));
}

/** The page with the new section of one row. Rows without a section are listed at the end. */
export function pageWith(
  page: string,
  { name: measured, section }: { readonly name: string; readonly section: string },
  rows: readonly Pick<Row, 'name' | 'title'>[],
): string {
  const [, ...parts] = page.split(NOT_MEASURED, 1)[0]!.split(HEADING);
  const sections = new Map<string, string>();
  for (let n = 0; n + 1 < parts.length; n += 2) sections.set(parts[n]!, parts[n + 1]!.trim());
  sections.set(measured, section);
  const shown = rows.filter(({ name }) => sections.has(name));
  const missing = rows.filter(({ name }) => !sections.has(name)).map(({ name, title }) => `- ${name}: ${title}`);
  return `${[
    TOP,
    ...shown.map(({ name }) => `## Row ${name}\n\n${sections.get(name)}`),
    ...(missing.length === 0 ? [] : [`${NOT_MEASURED}\n\n${missing.join('\n')}`]),
  ].join('\n\n')}\n`;
}

export function sectionOf({ title }: Pick<Row, 'title'>, findings: readonly Finding[], when: string): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const table = [line(HEADER), line(HEADER.map(() => '---')), ...findings.map((one) => line(cellsOf(one)))];
  const notes = notesOf(findings).map((note) => `- ${note}`);
  return [`${title}.`, when, table.join('\n'), ...(notes.length === 0 ? [] : [notes.join('\n')])].join('\n\n');
}

function cellsOf({ what, measured, ratio, goal, ok }: Finding): string[] {
  return [what, measured, ratio, goal, ok === null ? 'not judged' : ok ? 'ok' : 'miss'];
}

const notesOf = (findings: readonly Finding[]): string[] =>
  findings.flatMap(({ note }) => (note === undefined ? [] : [note]));

function measuredOn(date: Date): string {
  const memory = Math.round(totalmem() / 1024 ** 3);
  const { node, sqlite } = process.versions;
  const cpu = cpus()[0]?.model.trim() || 'unknown processor';
  const system = `${process.platform} ${release().split('.', 2).join('.')}, Node ${node}, SQLite ${sqlite}`;
  const machine = `${availableParallelism()} cores (${cpu}), ${memory} GiB, ${system}`;
  return `Measured on ${date.toISOString().slice(0, 10)}: ${machine}; load ${loadavg()[0]?.toFixed(1)} at the end.`;
}
