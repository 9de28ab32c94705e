/** Prints a task's report: how it ended, its parts, and what to do next. */
import { formatDuration } from '../../kernel/duration.ts';
import { degradedText, redText } from '../../mind/domain/task.ts';
import { isProof, provenBy } from '../../mind/gates/kinds.ts';
import type { RunReport, StepReport } from '../../mind/protocol/run-report.ts';
import { verdictText } from '../../mind/protocol/verdict-text.ts';
import { type NextCommand, nextCommands } from './next-commands.ts';
import type { Output } from './output.ts';
import type { Obstacle, ReportSection } from './report-parts.ts';

export type ReportExtras = {
  /** Sections such as an answer, a question of the worker, or output of failed gates. */
  readonly found?: readonly ReportSection[];
  readonly obstacle?: Obstacle | null;
  /** Whether a process works on it; null if unknown. */
  readonly driven?: boolean | null;
  /** `show` prints it, so `show` is not suggested. */
  readonly shown?: boolean;
  /** Prints more facts before the suggestions. */
  readonly details?: () => void;
  /** How many files the commit changes; null if unknown. */
  readonly filesChanged?: number | null;
  /** Its path through the workflow; shown for a simulation. */
  readonly path?: readonly string[];
  /** Whether to suggest commands; the demo has its own. */
  readonly hints?: boolean;
  /** Whether to show the cost: a stand-in's cost is made up. */
  readonly cost?: boolean;
};

export function printReport(
  out: Output,
  report: RunReport,
  {
    filesChanged = null,
    hints = true,
    cost = true,
    found = [],
    obstacle = null,
    driven = null,
    shown = false,
    path = [],
    details = () => {},
  }: ReportExtras = {},
): void {
  const tone = report.status === 'accepted' ? 'good' : 'bad';
  out.line();
  out.heading(`${report.task_id}  ${report.title}`);
  out.line(
    `${report.status}${report.verdict.reasons.length > 0 ? `: ${report.verdict.reasons.join('; ')}` : ''}`,
    report.verdict.decision === null ? 'note' : tone,
  );
  const width = Math.max(...report.steps.map(({ id }) => id.length));
  for (const step of report.steps) {
    const evidence = step.evidence.map(evidenceText).join(', ');
    const parts = [
      step.status,
      `${step.attempts} attempt${step.attempts === 1 ? '' : 's'}`,
      step.duration_ms === null ? 'not timed' : formatDuration(step.duration_ms),
      ...(evidence === '' ? [] : [evidence]),
    ];
    fact(out, step.id.padEnd(width), parts.join(' · '));
  }
  const { verdict } = report;
  if (verdict.codes.length > 0) fact(out, 'verdict', verdictText({ ...verdict, reasons: verdict.codes }));
  if (cost) fact(out, 'cost', costText(report));
  if (report.branch !== null) fact(out, 'branch', report.branch);
  if (report.commit !== null) fact(out, 'commit', report.commit.slice(0, 12));
  if (filesChanged !== null) fact(out, 'changes', `${filesChanged} file${filesChanged === 1 ? '' : 's'}`);
  if (report.landing !== undefined)
    fact(out, 'landing', `in the queue of ${report.landing}: \`supervisor land ${report.task_id}\` goes on with it`);
  if (report.landed !== null) fact(out, 'landed', `on ${report.landed.onto} (${report.landed.commit.slice(0, 12)})`);
  if (report.simulated && path.length > 0) fact(out, 'path', path.join(' > '));
  if (report.simulated) out.line('  simulated: nothing was run, and no repository was changed', 'note');
  else if (report.status === 'accepted' && !report.verified)
    out.line(`  NOT VERIFIED: ${unverifiedText(report)} Read it before you use it.`, 'bad');
  if (report.degraded !== undefined) out.line(`  ${degradedText(report.degraded)}. ${DEGRADED}`, 'bad');
  for (const name of report.red?.tests.slice(0, RED_LINES) ?? []) out.entry('    red', name, 'note');
  const more = (report.red?.count ?? 0) - RED_LINES;
  if (more > 0 && report.red?.tests.length !== 0)
    out.line(`    and ${more} more: supervisor show ${report.task_id} --evidence`);
  details();
  for (const question of report.waiting) printQuestion(out, question);
  for (const { title, lines } of found) {
    out.line();
    if (title !== '') out.line(title);
    // Marked, so that output of a gate cannot pass for a message of Supervisor.
    for (const line of lines) out.line(`  | ${line}`, 'note');
  }
  if (!hints) return;
  const next = nextCommands(report, obstacle, driven);
  printNext(out, shown ? next.filter(({ command }) => command !== `supervisor show ${report.task_id}`) : next);
}

function printQuestion(out: Output, { step, text, reason, about }: RunReport['waiting'][number]): void {
  out.line();
  out.entry(`A person is asked (${step}):`, text, 'note');
  if (reason !== '' && !text.includes(reason)) out.entry('  because     ', reason);
  if (about !== null)
    out.entry(
      '  about       ',
      `${about.kind === 'change' ? 'change' : `the answer of ${about.step}`} ${about.id.slice(0, 12)}`,
    );
}

const RED_LINES = 10;
/** Explains each level of degraded work. */
const DEGRADED = 'Attempts at the whole task failed, and this is only a part of it.';

function evidenceText({ gate, status, attempt, excused, cached, score }: StepReport['evidence'][number]): string {
  const notProven = provenBy(gate) !== null && status === 'pass' && !isProof({ status, score });
  const ended = notProven ? 'not proven' : status;
  return `${excused > 0 ? redText({ gate, count: excused }) : `${gate} ${ended}`} (attempt ${attempt}${cached ? ', cached' : ''})`;
}

function unverifiedText({ red }: RunReport): string {
  if (red === null) return 'no gate has checked this change in a sandbox.';
  return `${red.gates.map(redText).join('; ')}. These tests do not show whether the change does what was asked.`;
}

function costText({ cost }: RunReport): string {
  const { usd = 0, tokens = 0 } = cost.estimated ?? {};
  const parts = [...(usd > 0 ? [`$${usd}`] : []), ...(tokens > 0 ? [`${tokens} tokens`] : [])].join(' and ');
  const more = `${parts === '' ? '' : ` (budgets count ${parts} more, by estimate)`}${analysesText(cost.analyses)}`;
  if (cost.usd === null) return `unknown${more}`;
  const open = cost.unpriced_attempts > 0 ? ` and ${cost.unpriced_attempts} attempt(s) of unknown price` : '';
  return `${cost.usd.toFixed(4)} USD${open}${more}`;
}

function analysesText(analyses: RunReport['cost']['analyses']): string {
  if (analyses === undefined) return '';
  const { attempts, usd } = analyses;
  const cost = usd === null ? 'unknown' : `${usd.toFixed(4)} USD`;
  return `; ${attempts} ${attempts === 1 ? 'analysis' : 'analyses'} of failed gates: ${cost}`;
}

function fact(out: Output, name: string, text: string): void {
  out.entry(`  ${name.padEnd(14)}`, text);
}

function printNext(out: Output, commands: readonly NextCommand[]): void {
  if (commands.length === 0) return;
  out.line();
  out.line('What next');
  const column = Math.max(...commands.map(({ command }) => command.length));
  for (const { command, does } of commands) out.line(`  ${command.padEnd(column)}  ${does}`, 'plain', 6);
}
