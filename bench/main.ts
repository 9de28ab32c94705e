/** `make bench`: runs the rows named on the command line, or all; `--write` puts their tables into docs/benchmarks.md. */
import { parseArgs } from 'node:util';
import { cliOverhead } from './cli-overhead.ts';
import { context } from './context.ts';
import { durableSteps } from './durable-steps.ts';
import { gates } from './gates.ts';
import { growingTask } from './growing-task.ts';
import { judging } from './judging.ts';
import { landing } from './landing.ts';
import { longLists } from './long-lists.ts';
import { manyTasks } from './many-tasks.ts';
import { memory } from './memory.ts';
import { parsers } from './parsers.ts';
import { plantedChanges } from './planted-changes.ts';
import { printTable, writePage } from './report.ts';
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
  landing,
];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } });
const unknown = positionals.filter((name) => !ROWS.some((row) => row.name === name));
if (unknown.length > 0) {
  console.error(`no such row: ${unknown.join(', ')}; there are:`);
  for (const row of ROWS) console.error(`  ${row.name}  ${row.title}`);
  process.exit(2);
}

for (const row of ROWS) {
  if (positionals.length > 0 && !positionals.includes(row.name)) continue;
  console.error(`(${row.name}) ${row.title} …`);
  const began = performance.now();
  try {
    const findings = await row.run();
    printTable(row, findings);
    if (values.write) writePage(row, findings, ROWS);
  } catch (error) {
    // The other rows are measured all the same.
    process.exitCode = 1;
    console.error(`(${row.name}) could not be measured: ${error instanceof Error ? error.stack : error}`);
  }
  console.error(`(${row.name}) took ${Math.round((performance.now() - began) / 1_000)} s`);
}
