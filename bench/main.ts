/** `make bench`: runs the rows named on the command line, or all; `--write` keeps the table in docs/benchmarks.md. */
import { parseArgs } from 'node:util';
import { cliOverhead } from './cli-overhead.ts';
import { context } from './context.ts';
import { durableSteps } from './durable-steps.ts';
import { gates } from './gates.ts';
import { growingTask } from './growing-task.ts';
import { judging } from './judging.ts';
import { longLists } from './long-lists.ts';
import { manyTasks } from './many-tasks.ts';
import { memory } from './memory.ts';
import { parsers } from './parsers.ts';
import { plantedChanges } from './planted-changes.ts';
import { printTable, type Result, writePage } from './report.ts';
import { safeguards } from './safeguards.ts';
import { sandboxStart } from './sandbox-start.ts';
import { secondProcess } from './second-process.ts';
import { statusStart } from './status-start.ts';
import { wholeStep } from './whole-step.ts';
import { workflowPath } from './workflow-path.ts';

const ROWS = [
  durableSteps,
  growingTask,
  manyTasks,
  statusStart,
  memory,
  secondProcess,
  wholeStep,
  sandboxStart,
  cliOverhead,
  parsers,
  context,
  longLists,
  plantedChanges,
  gates,
  judging,
  workflowPath,
  safeguards,
];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } });
const unknown = positionals.filter((name) => !ROWS.some((row) => row.name === name));
if (unknown.length > 0) {
  console.error(`no such row: ${unknown.join(', ')}; there are:`);
  for (const row of ROWS) console.error(`  ${row.name}  ${row.title}`);
  process.exit(2);
}

if (values.write && positionals.length > 0) {
  console.error('--write replaces the whole page: run it without names of rows, or put single rows into it by hand');
  process.exit(2);
}

const results: Result[] = [];
for (const row of ROWS) {
  if (positionals.length > 0 && !positionals.includes(row.name)) continue;
  console.error(`(${row.name}) ${row.title} …`);
  results.push({ row, findings: await row.run() });
}
printTable(results);
if (values.write) writePage(results);
