/** A task's report for people: how it ended, what it is made of, and what to do next. */
import { formatDuration } from '../../kernel/duration.ts';
import type { RunReport } from '../../mind/protocol/run-report.ts';
import type { Output } from './output.ts';

export type Found = { readonly gate: string; readonly lines: readonly string[] };

export type ReportExtras = {
  /** What gates that did not pass had to say. */
  readonly found?: readonly Found[];
  /** How many files the commit changes; null when nobody counted. */
  readonly filesChanged?: number | null;
  /** Whether to say what to type next; the demo has its own. */
  readonly hints?: boolean;
};

export function printReport(
  out: Output,
  report: RunReport,
  { filesChanged = null, hints = true, found = [] }: ReportExtras = {},
): void {
  const tone = report.status === 'accepted' ? 'good' : 'bad';
  out.line();
  out.heading(`${report.task_id}  ${report.title}`);
  out.line(
    `${report.status}${report.verdict.reasons.length > 0 ? `: ${report.verdict.reasons.join('; ')}` : ''}`,
    report.verdict.decision === null ? 'note' : tone,
  );
  for (const step of report.steps) {
    const evidence = step.evidence.map((one) => `${one.gate} ${one.status} (attempt ${one.attempt})`).join(', ');
    const parts = [
      step.status,
      `${step.attempts} attempt${step.attempts === 1 ? '' : 's'}`,
      step.duration_ms === null ? 'not timed' : formatDuration(step.duration_ms),
      ...(evidence === '' ? [] : [evidence]),
    ];
    fact(out, step.id, parts.join(' · '));
  }
  fact(out, 'cost', costText(report));
  if (report.branch !== null) fact(out, 'branch', report.branch);
  if (report.commit !== null) fact(out, 'commit', report.commit.slice(0, 12));
  if (filesChanged !== null) fact(out, 'changes', `${filesChanged} file${filesChanged === 1 ? '' : 's'}`);
  if (report.landed !== null) fact(out, 'landed', `on ${report.landed.onto} (${report.landed.commit.slice(0, 12)})`);
  if (report.simulated) out.line('  simulated: it was only played, and no repository was changed', 'note');
  else if (report.status === 'accepted' && !report.verified)
    out.line('  NOT VERIFIED: no gate has checked this change behind a sandbox. Read it before you use it.', 'bad');
  for (const { lines } of found) {
    out.line();
    // Marked, so that what a gate printed can not pass for something that Supervisor says.
    for (const line of lines) out.line(`  | ${line}`, 'note');
  }
  if (hints) printNext(out, nextCommands(report));
}

function costText({ cost }: RunReport): string {
  if (cost.usd === null) return 'unknown';
  const open = cost.unpriced_attempts > 0 ? ` and ${cost.unpriced_attempts} attempt(s) of unknown price` : '';
  return `${cost.usd.toFixed(4)} USD${open}`;
}

function fact(out: Output, name: string, text: string): void {
  out.entry(`  ${name.padEnd(14)}`, text);
}

type NextCommand = { readonly command: string; readonly does: string };

function nextCommands({ status, task_id: id, onto, branch, commit, landed, verified }: RunReport): NextCommand[] {
  const show = { command: `supervisor show ${id}`, does: 'its steps, evidence and cost' };
  if (status === 'accepted') {
    if (branch === null || commit === null) return [];
    const land = { command: `supervisor land ${id}${verified ? '' : ' --unverified'}`, does: `move ${onto} to it` };
    const diff = { command: `git diff ${word(onto)}...${word(branch)}`, does: 'read what it changed' };
    return landed === null ? [diff, show, land] : [show];
  }
  if (status === 'cancelled' || status === 'rejected') return [];
  const resume = { command: `supervisor resume ${id}`, does: 'go on with it, with fresh attempts' };
  return [{ command: `supervisor show ${id} --evidence`, does: 'what the gates found, whole' }, resume];
}

function printNext(out: Output, commands: readonly NextCommand[]): void {
  if (commands.length === 0) return;
  out.line();
  out.line('What next');
  const column = Math.max(...commands.map(({ command }) => command.length));
  for (const { command, does } of commands) out.line(`  ${command.padEnd(column)}  ${does}`);
}

/** To be pasted into a shell: a branch may be named almost anything. */
function word(text: string): string {
  return /^[\w./@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
