/** A task's report for people. */
import { formatDuration } from '../../kernel/duration.ts';
import type { RunReport } from '../../mind/protocol/run-report.ts';
import type { Output } from './output.ts';

export function printReport(out: Output, report: RunReport & { readonly simulated?: boolean }): void {
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
    out.entry(`  ${step.id.padEnd(14)}`, parts.join(' · '));
  }
  const price = report.cost.usd === null ? 'unknown' : `${report.cost.usd.toFixed(4)} USD`;
  out.entry(
    '  cost          ',
    `${price}${report.cost.unpriced_attempts > 0 && report.cost.usd !== null ? ` and ${report.cost.unpriced_attempts} attempt(s) of unknown price` : ''}`,
  );
  if (report.branch !== null) out.entry('  branch        ', `${report.branch} (${report.commit?.slice(0, 12)})`);
  if (report.simulated === true) out.line('  played by the scripted worker: no repository was changed', 'note');
}
