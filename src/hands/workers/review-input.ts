/** What a reviewer gets besides the change: open findings of earlier reviews, and hints of rules and gates. */
import type { WorkerContext } from '../../engine/ports/hands.ts';
import { terminalLine, terminalText } from '../../kernel/terminal-text.ts';
import { parseAnswer } from '../../mind/answers/parse-answer.ts';
import type { AnswerKind } from '../../mind/answers/schemas.ts';
import type { WorkerRun } from '../../mind/domain/worker-run.ts';
import { gateText } from '../../mind/feedback/gate-text.ts';
import { stillOpen, type ToCheck } from '../../mind/verdict/open-findings.ts';
import { findingsIn } from '../../mind/workers/answer.ts';
import type { WorkerOptions } from './options.ts';

const NOTHING: ToCheck = { raised: [], opinions: [] };
const MAX_OPINIONS = 50;
const MAX_GATE_TEXT = 4_000;

export async function toCheck(
  { opinions }: Pick<WorkerOptions, 'opinions'>,
  { input, raised, advised = [], spec }: Pick<WorkerRun, 'input' | 'raised' | 'advised' | 'spec'>,
  answer: AnswerKind,
  { read }: Pick<WorkerContext, 'read'>,
): Promise<ToCheck> {
  if (answer !== 'review' && answer !== 'security') return NOTHING;
  const answers = await Promise.all((raised?.answers ?? []).map((hash) => read(hash)));
  const findings = answers.map((text) => {
    const parsed = parseAnswer(answer, text ?? '');
    return parsed.type === 'answer' ? (findingsIn(answer, parsed.answer) ?? []) : [];
  });
  const [ofRules, ofGates] = await Promise.all([
    input === null ? [] : opinions(input, { spec }),
    Promise.all(advised.map((gate) => adviceOf(gate, read))),
  ]);
  return {
    raised: stillOpen(findings, raised?.open ?? []),
    opinions: [...ofGates, ...ofRules.slice(0, MAX_OPINIONS).map((one) => terminalLine(one, 1_000))],
  };
}

async function adviceOf(
  { gate, status, evidence }: NonNullable<WorkerRun['advised']>[number],
  read: WorkerContext['read'],
): Promise<string> {
  const said = `gate ${terminalLine(gate)}, which only advises: ${status}`;
  const text = evidence === null ? null : await read(evidence);
  if (text === null) return said;
  return `${said}\n${gateText({ gate, status, text: terminalText(text) }, MAX_GATE_TEXT)}`;
}
