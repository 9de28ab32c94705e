/** A judgement in sentences, for the repair of the change. */
import { assertNever } from '../../kernel/assert-never.ts';
import type { RuleFinding } from '../findings/index.ts';
import type { Judgement } from './judgement.ts';

const MAX_FEEDBACK = 12_000;
const MAX_FINDINGS = 30;

export const placeOf = ({ path, line }: Pick<RuleFinding, 'path' | 'line'>): string =>
  line === null ? path : `${path}:${line}`;

/** Findings that reject a change by themselves. */
export const isDecisive = ({ blocks, severity }: RuleFinding): boolean => blocks || severity === 'critical';

export const findingLine = (finding: RuleFinding): string =>
  `${placeOf(finding)}: ${finding.severity}${finding.blocks ? ', blocks' : ''}: ${finding.message} (${finding.rule})`;

/** The reasons and the gates' output: enough to repair the change without running them. */
export function feedbackOf({ decision, reasons, findings, gates }: Judgement): string {
  const others = findings.filter((one) => !isDecisive(one)).slice(0, MAX_FINDINGS);
  const parts = [
    `${decision}${reasons.length === 0 ? '' : `:\n${listed(reasons)}`}`,
    ...(others.length === 0 ? [] : [`Also found:\n${listed(others.map(findingLine))}`]),
    ...gates.filter(({ text }) => text !== '').map(({ text }) => text),
  ];
  const text = parts.join('\n\n');
  return (text.length <= MAX_FEEDBACK ? text : `${text.slice(0, MAX_FEEDBACK - 1)}…`).toWellFormed();
}

const listed = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');

export function nextAction({ decision, findings, gates, target }: Judgement): string {
  switch (decision) {
    case 'APPROVE':
      return target.tree === null ? 'nothing to do' : 'merge it';
    case 'ESCALATE':
      return 'let a person look: what decides could not be measured';
    case 'REJECT':
      return rejected(gates, findings);
    default:
      return assertNever(decision, 'decision');
  }
}

function rejected(gates: Judgement['gates'], findings: Judgement['findings']): string {
  const red = gates.filter(({ status, blocking, proves }) => status === 'fail' && blocking && proves === null);
  const neutered = gates.filter(({ status, proves }) => status === 'fail' && proves !== null);
  const blocking = findings.filter(isDecisive);
  const steps = [
    ...(red.length === 0 ? [] : [`make ${red.map(({ name }) => name).join(', ')} pass`]),
    ...(neutered.length === 0
      ? []
      : [`let ${neutered.map(({ proves }) => proves).join(', ')} fail again when a test fails`]),
    ...(blocking.length === 0 ? [] : [`repair ${[...new Set(blocking.map(placeOf))].slice(0, 10).join(', ')}`]),
  ];
  return steps.length === 0 ? 'change it so that more of its checks pass' : steps.join('; ');
}
