/** A finding of the security gate, how many are kept, and the score that follows from their number. */
import { assertNever } from '../../../kernel/assert-never.ts';
import { sha256 } from '../../../kernel/hash.ts';
import { terminalLine } from '../../../kernel/terminal-text.ts';
import type { Finding as Plain, Severity } from '../../changes/finding.ts';
import type { Findings } from '../../domain/values.ts';
import { findSecrets } from '../../secrets/scan.ts';

export type SecurityFinding = Plain & {
  /** Identifies the line by its text, not its number (`new-findings.ts`). Null if the text is unknown. */
  readonly lineHash: string | null;
};

const SEVERITIES: readonly Severity[] = ['critical', 'high', 'medium', 'low', 'info'];
export const MAX_FINDINGS = 1_000;
export const MAX_FILES = 2_000;
export const MAX_TEXT = 1 << 20;

export function countFindings(findings: readonly SecurityFinding[]): Findings {
  const counts = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
  for (const { severity } of findings) counts[severity] += 1;
  return counts;
}

/** Only the worst finding decides: ten medium ones are no worse than one. */
export function securityScore(counts: Findings): number {
  if (counts.critical > 0) return 0;
  if (counts.high > 0) return 0.3;
  if (counts.medium > 0) return 0.7;
  return counts.low > 0 ? 0.9 : 1;
}

/** Names a finding of one change, for a person to type. */
export const findingId = ({ tool, rule, path, line, message }: Plain): string =>
  `f-${sha256(JSON.stringify([tool, rule, path, line, message])).slice(0, 8)}`;

/** The three checks of the security gate. */
export type SecurityCheck = 'secret_scan' | 'owasp_check' | 'dependency_audit';

/** Whether a finding of this check fails the gate, whatever the score is. */
export function isCritical(check: SecurityCheck, severity: Severity): boolean {
  switch (check) {
    case 'secret_scan':
      return true;
    case 'owasp_check':
      return severity === 'critical' || severity === 'high';
    case 'dependency_audit':
      return severity === 'critical';
    default:
      return assertNever(check, 'security check');
  }
}

/**
 * Keeps at most `MAX_FINDINGS`. The most severe ones stay, so that a flood of small findings cannot push a serious one
 * out of the list; one more finding counts the rest.
 */
export class FindingList {
  readonly #bySeverity: Record<Severity, SecurityFinding[]> = { critical: [], high: [], medium: [], low: [], info: [] };
  #total = 0;

  add(finding: SecurityFinding): void {
    this.#total += 1;
    const list = this.#bySeverity[finding.severity];
    if (list.length < MAX_FINDINGS) list.push(finding);
  }

  /** Most severe first; within a severity in the order they were added. */
  all(): readonly SecurityFinding[] {
    const sorted = SEVERITIES.flatMap((severity) => this.#bySeverity[severity]);
    if (this.#total <= MAX_FINDINGS) return sorted;
    const kept = sorted.slice(0, MAX_FINDINGS - 1);
    const left = this.#total - kept.length;
    const { severity, path, tool } = sorted[kept.length] as SecurityFinding;
    const message = `${left} more findings are not listed: fix those above first, then run the gate again`;
    return [...kept, { rule: 'more-findings', severity, path, line: null, message, tool, lineHash: null }];
  }
}

/** A finding of a built-in rule. */
export function ownFinding(
  rule: string,
  severity: Severity,
  path: string,
  line: number | null,
  message: string,
): SecurityFinding {
  return { rule, severity, path: shownPath(path), line, message, tool: 'supervisor', lineHash: null };
}

export const shownPath = (path: string): string => terminalLine(path, 300);
/** A name or value of a file, quoted in a message. */
export const quoted = (text: string): string => `\`${terminalLine(withoutSecrets(text.slice(0, 400)), 80)}\``;
/** A message of another tool. */
export const foreignText = (text: string): string => terminalLine(withoutSecrets(text.slice(0, 4_000)), 300);

function withoutSecrets(text: string): string {
  let out = '';
  let end = 0;
  for (const { from, to } of findSecrets(text)) {
    out += `${text.slice(end, from)}[redacted]`;
    end = to;
  }
  return out + text.slice(end);
}
