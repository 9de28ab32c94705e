/** What the next attempt should do: Supervisor's own words, most important first, at least one. */
import { assertNever } from '../../kernel/assert-never.ts';
import { type FailedGate, isLimit } from './failed-gate.ts';
import type { FeedbackKind } from './kind.ts';

export function actionsFor(kind: FeedbackKind, gates: readonly FailedGate[], repeated: boolean): string[] {
  const other =
    'This is the same failure as the time before: find out why the last change did not help, and go another way.';
  return [...forKind(kind, gates), ...(repeated ? [other] : [])];
}

/** For those who are asked why a change failed. */
export const ANALYSE: readonly string[] = [
  'Say in one or two sentences why the change fails: name the file and the line of the cause, not of the symptom.',
  'Say what would fix it, as exactly as you can; the checks stay as they are.',
  'Say what else of the change would fail for the same reason.',
];

function forKind(kind: FeedbackKind, gates: readonly FailedGate[]): string[] {
  switch (kind) {
    case 'failed_gate':
      return forGates(gates);
    case 'violation':
      return [
        'Restore each path that is named above as it was before the task, and do the task in files that you may change.',
      ];
    case 'finding':
      return ['Fix each place that is named above: do the work there, instead of something that only looks like it.'];
    case 'rejection':
      return ['Deal with every point below, the worst first; where you think a point is wrong, say why in your notes.'];
    case 'invalid_output':
      return [
        'Give the answer in the required form: the last one could not be used. The work may have been right, so do it again.',
      ];
    case 'no_change':
      return [
        'Make the change in files, as the task asks: an answer that only describes it does not count.',
        'If nothing has to change, answer BLOCKED and say why: a person decides.',
      ];
    case 'clarification':
      return [
        'Answer the question yourself if task and project allow it: take the most careful reading, and say in your notes what you took for granted.',
        'Otherwise answer BLOCKED again, with the one question that a person has to decide.',
      ];
    case 'other':
      return ['Fix what is said above, then do the rest of the task.'];
    default:
      return assertNever(kind, 'kind of feedback');
  }
}

function forGates(gates: readonly FailedGate[]): string[] {
  const blocking = gates.filter((one) => one.blocking);
  const actions = (blocking.length === 0 ? gates : blocking).map(forGate);
  return actions.length === 0 ? [MEND] : [...new Set(actions)];
}

const MEND =
  'Find the cause of the failure above and fix it in the code; the checks stay as they are. Then look for the same mistake elsewhere in your change.';

function forGate({ gate, status, ended, failure, notes }: FailedGate): string {
  if (status === 'error')
    return `Leave gate \`${gate}\` alone, as it could not run: that says nothing about the change.`;
  const words = [ended ?? '', ...failure, ...notes].join('\n');
  if (isLimit(ended)) return forLimit(gate, ended ?? '');
  if (/no longer run|skipped now|FEWER TESTS|no test ran/.test(words))
    return `Let every test of the base run again in gate \`${gate}\`: bring back the ones that are named, unskipped.`;
  if (/^(?:critical|high|medium|low): /m.test(words))
    return `Remove the cause of each finding of gate \`${gate}\`, the worst first; a comment or a renamed variable does not count.`;
  if (/below .*(?:target|threshold)|[Cc]overage/.test(words))
    return `Add tests for the lines that gate \`${gate}\` names as not covered.`;
  return MEND;
}

function forLimit(gate: string, ended: string): string {
  if (/ longer than its time/.test(ended))
    return `Let gate \`${gate}\` end in time: look for a loop that does not end, a wait for something that never comes, or work that is done again and again. Its time stays as it is.`;
  if (/ of memory/.test(ended))
    return `Let gate \`${gate}\` do with its memory: look for what grows without bound, and read large data piece by piece. Its memory stays as it is.`;
  return `Let gate \`${gate}\` stay below the limit that is named above; the limit stays as it is.`;
}
