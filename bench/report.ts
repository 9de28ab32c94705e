/** The table, on the terminal and as the page docs/benchmarks.md. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { type Finding, ROOT, type Row } from './support.ts';

export type Result = { readonly row: Row; readonly findings: readonly Finding[] };

const HEADER = ['', 'what', 'measured', 'ratio', 'goal', ''];

export function printTable(results: readonly Result[]): void {
  const lines = [HEADER, ...cellsOf(results)];
  const widths = HEADER.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    );
  for (const { row, note } of notesOf(results)) console.log(`(${row.name}) ${note}`);
}

export function writePage(results: readonly Result[]): void {
  const lines = [
    '# Benchmarks',
    '',
    `Made by \`make bench ARGS="--write"\` on ${new Date().toISOString().slice(0, 10)}.`,
    '',
    machine(),
    '',
    'Only the ratios mean anything; absolute numbers change with the disk, the processor and whatever else ran beside.',
    'In (a), (c) and (d) both sides were measured in turns and are medians; (a), (g) and (i) are medians over their rounds, of',
    'the ratio or of the difference of the two sides of one round.',
    'In (b) and (e) the sides are an early and a late part of one run; (b) compares processor time, because the disk drifts',
    'more than it grows. A time without another side that misses its goal is not judged when the load is above the cores.',
    '',
    ...markdown(results),
    ...notesOf(results).map(({ row, note }) => `\n(${row.name}) ${note}`),
    '',
    ...results.map(({ row }) => `- **(${row.name})** ${row.title}`),
  ];
  mkdirSync(join(ROOT, 'docs'), { recursive: true });
  writeFileSync(join(ROOT, 'docs', 'benchmarks.md'), `${lines.join('\n')}\n`);
}

function markdown(results: readonly Result[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(HEADER), line(HEADER.map(() => '---')), ...cellsOf(results).map(line)];
}

function cellsOf(results: readonly Result[]): string[][] {
  return results.flatMap(({ row, findings }) =>
    findings.map(({ what, measured, ratio, goal, ok }) => {
      return [row.name, what, measured, ratio, goal, ok === null ? 'not judged' : ok ? 'ok' : 'miss'];
    }),
  );
}

function notesOf(results: readonly Result[]): { row: Row; note: string }[] {
  return results.flatMap(({ row, findings }) =>
    findings.flatMap(({ note }) => (note === undefined ? [] : [{ row, note }])),
  );
}

function machine(): string {
  const memory = Math.round(totalmem() / 1024 ** 3);
  const { node, sqlite } = process.versions;
  const cpu = cpus()[0]?.model.trim() || 'unknown processor';
  return `Machine: ${availableParallelism()} cores (${cpu}), ${memory} GiB, ${process.platform} ${release().split('.', 2).join('.')}, Node ${node}, SQLite ${sqlite}; load ${loadavg()[0]?.toFixed(1)} at the end.`;
}
