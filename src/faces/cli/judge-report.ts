/** Prints a judgement for people: first the decision, then its reasons, then what to do. */

import { assertNever } from '../../kernel/assert-never.ts';
import { formatDuration } from '../../kernel/duration.ts';
import type { AnswerFacts } from '../../mind/domain/values.ts';
import { isProof } from '../../mind/gates/kinds.ts';
import { shownScore } from '../../mind/judgement/judge-decision.ts';
import type { JudgedGate, Judgement } from '../../mind/judgement/judgement.ts';
import { isDecisive, nextAction, placeOf } from '../../mind/judgement/judgement-text.ts';
import type { Output } from './output.ts';

const MAX_FINDINGS = 40;
const MAX_LINES = 20;
const TONE = { APPROVE: 'good', REJECT: 'bad', ESCALATE: 'note' } as const;

export function printJudgement(out: Output, judgement: Judgement): void {
  const { decision, score, gates, findings, reasons, target, ms } = judgement;
  const { commit } = target;
  const name = target.name.replace(/\b[0-9a-f]{40,64}\b/g, (id) => id.slice(0, 12));
  const at = commit === null || commit.startsWith(name) ? '' : ` (${commit.slice(0, 12)})`;
  const measured = score === null ? '' : `, score ${shownScore(score)}`;
  out.line(`${decision}  ${name}${at}${measured}`, TONE[decision]);
  for (const reason of reasons) out.line(`  ${reason}`, 'plain', 2);
  if (gates.length > 0) out.line();
  const column = Math.max(...gates.map(({ name }) => name.length));
  for (const gate of gates) printGate(out, gate, column);
  for (const { role, cli, said } of judgement.reviews ?? [])
    out.entry(`${role} (${cli})`, said === null ? 'no opinion' : reviewWords(said));
  printOthers(
    out,
    findings.filter((one) => !isDecisive(one)),
  );
  out.line();
  out.entry('next:', nextAction(judgement));
  out.aside(`took ${formatDuration(ms)}`);
}

function reviewWords({ status, confidence, uncounted = 0 }: AnswerFacts): string {
  const sure = confidence === null ? 'confidence unknown' : `confidence ${confidence}`;
  return `${status}, ${sure}${uncounted === 0 ? '' : `; ${uncounted} of its findings do not count`}`;
}

/** Findings that reject the change are among the reasons above. */
function printOthers(out: Output, findings: Judgement['findings']): void {
  if (findings.length === 0) return;
  out.line();
  out.line('Other findings, which do not block:');
  for (const finding of findings.slice(0, MAX_FINDINGS))
    out.entry(`  ${placeOf(finding)}`, `${finding.severity}: ${finding.message} (${finding.rule})`, 'note');
  if (findings.length > MAX_FINDINGS) out.line(`  and ${findings.length - MAX_FINDINGS} more: --json has all`);
}

function printGate(out: Output, gate: JudgedGate, column: number): void {
  const { name, status, blocking, text } = gate;
  const tone = status === 'pass' ? 'good' : status === 'fail' && blocking ? 'bad' : 'note';
  out.entry(name.padEnd(column), `${gateWords(gate)}${tookWords(gate)}`, tone);
  if (text === '') return;
  // Marked, so that output of a gate cannot pass for a message of Supervisor.
  const lines = text.trimEnd().split('\n').slice(1);
  for (const line of lines.slice(-MAX_LINES)) out.line(`  | ${line}`, 'note');
}

export const tookWords = ({ ms, cached }: JudgedGate): string =>
  ms === null ? '' : cached ? ' (cached)' : ` (${formatDuration(ms)})`;

export function gateWords({ status, ended, blocking, tests, excused, proves, score }: JudgedGate): string {
  switch (status) {
    case 'pass':
      if (proves !== null && !isProof({ status, score })) return ended;
      if (excused > 0) return `passes: ${excused} of ${tests?.run ?? '?'} tests are red, as they are at the base`;
      return tests?.run == null ? 'passes' : `passes, ${count(tests.run, 'test')}`;
    case 'fail': {
      const failed =
        tests === null || tests.failed === 0 ? ended : `${tests.failed} of ${tests.run ?? '?'} tests failed`;
      return `fails${blocking ? '' : ' (does not block)'}: ${failed}`;
    }
    case 'error':
      return ended;
    case 'skipped':
      return `skipped: ${ended}`;
    default:
      return assertNever(status, 'gate status');
  }
}

const count = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;
