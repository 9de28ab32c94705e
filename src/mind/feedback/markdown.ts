/**
 * Renders the document as markdown: the first failure within its first ten lines. Only `quote` inserts foreign text.
 */
import { formatDuration } from '../../kernel/duration.ts';
import type { Feedback } from './document.ts';
import type { FailedGate } from './failed-gate.ts';
import { type Opinion, placeText, type ReviewIssue } from './opinions.ts';

/** Puts foreign text between marks or fences, to set it apart from Supervisor's own. */
type Quote = (label: string, text: string) => string;

/** For people: a fenced block whose fences are longer than any inside it. */
export function fenced(label: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text ${label.replaceAll(/[`\s]+/g, ' ')}\n${text}\n${fence}`;
}

export function feedbackMarkdown(feedback: Feedback, quote: Quote, level = 1): string {
  const h = (depth: number, text: string) => `${'#'.repeat(level + depth)} ${text}`;
  const { failed_gates: gates, issues, opinions, actions, kind, reason } = feedback;
  const told = kind === 'failed_gate' || issues.length > 0 || feedback.first_failure.lines[0] === reason;
  const parts = [
    `${h(0, `SUPERVISOR REJECTION: ${feedback.task}`)}\n\n${summaryOf(feedback)}\n\n${quote(...firstOf(feedback))}`,
    ...(told ? [] : [quote('why it was sent back', reason)]),
    `${h(1, 'Recommended fix')}\n\n${actions.map((action, n) => `${n + 1}. ${action}`).join('\n')}`,
    ...(gates.length === 0 ? [] : [h(1, 'Failed gates'), ...gates.map((gate) => gateOf(gate, quote, h))]),
    ...(issues.length === 0
      ? []
      : [h(1, 'What reviewers found'), quote('points of reviews', issues.map(issueLine).join('\n'))]),
    ...(opinions.length === 0 ? [] : [h(1, 'Opinions'), OPINIONS, ...opinionsOf(opinions, quote)]),
    `${h(1, 'Constraints')}\n\n${constraintsOf(feedback, quote)}`,
    `${h(1, 'Metadata')}\n\n${metadataOf(feedback)}`,
  ];
  return parts.join('\n\n');
}

const OPINIONS = 'These are opinions of models, and unchecked. Use what helps, and trust the failures above more.';

function summaryOf({ kind, failed_gates: gates, issues, step }: Feedback): string {
  const names = gates.map(({ gate, status }) => `\`${gate}\` ${status === 'fail' ? 'failed' : 'could not run'}`);
  const why =
    names.length > 0
      ? `gate ${names.join(', ')}`
      : issues.length > 0
        ? `a review found ${issues.length} point${issues.length === 1 ? '' : 's'}`
        : SUMMARY[kind];
  return `REJECT, step \`${step}\`: ${why}.`;
}

const SUMMARY: Readonly<Record<Feedback['kind'], string>> = {
  failed_gate: 'a gate failed',
  violation: 'the change touches paths that it may not change',
  finding: 'a finding in the change blocks it',
  rejection: 'a review says no',
  invalid_output: 'the answer could not be used',
  no_change: 'no file was changed',
  clarification: 'the worker stopped with a question',
  other: 'the attempt was sent back',
};

function firstOf({ first_failure: { by, at, lines } }: Feedback): [string, string] {
  return [`what failed first, says ${by}`, [...(at === null ? [] : [`at ${at}`]), ...lines].join('\n')];
}

type Heading = (depth: number, text: string) => string;

function gateOf(gate: FailedGate, quote: Quote, h: Heading): string {
  const { score, tests, ended, command, notes, output } = gate;
  const counts = tests === null ? '' : `, ${tests.failed} of ${tests.run ?? 'an unknown number of'} tests failed`;
  const state = gate.status === 'fail' ? 'FAILED' : 'COULD NOT RUN';
  const facts = [
    `- Score: ${score === null ? 'not measured' : `${score.toFixed(2)}/1.00`}${counts}`,
    ...(gate.blocking ? [] : ['- It only advises: the change was not sent back for this.']),
    ...(ended === null ? [`- The output of gate \`${gate.gate}\` no longer exists.`] : []),
  ];
  const evidence = [
    ...(command === null ? [] : [`command: ${command}`]),
    ...(ended === null ? [] : [`ended: ${ended}`]),
    ...(gate.at === null ? [] : [`at ${gate.at}`]),
    ...notes,
    ...(output === '' ? [] : [output]),
  ].join('\n');
  return [
    `${h(2, `${gate.gate}: ${state}`)}\n\n${facts.join('\n')}`,
    ...(evidence === '' ? [] : [quote(`output of gate ${gate.gate} (${gate.status})`, evidence)]),
  ].join('\n\n');
}

const issueLine = ({ severity, file, line, message, by }: ReviewIssue): string =>
  `- ${severity}: ${placeText(file, line)}${message.replaceAll('\n', '\n  ')} (${by})`;

function opinionsOf(opinions: readonly Opinion[], quote: Quote): string[] {
  const groups = Map.groupBy(
    opinions,
    ({ by, about }) => `${about === 'analysis' ? 'analysis' : 'suggestions'} of ${by}`,
  );
  return [...groups].map(([label, said]) => {
    const text = said.map(({ text }) => (said.length === 1 ? text : `- ${text.replaceAll('\n', '\n  ')}`)).join('\n');
    return quote(`opinion: ${label}`, text);
  });
}

function constraintsOf({ task, attempt, time, scope, starts_from }: Feedback, quote: Quote): string {
  const left = Math.max(0, attempt.of - attempt.sent_back);
  const times = [
    ...(time.task_ms === null ? [] : [`${formatDuration(Math.max(0, time.task_ms))} for the task`]),
    ...(time.attempt_ms === null ? [] : [`${formatDuration(Math.max(0, time.attempt_ms))} for the next attempt`]),
  ];
  const list = (title: string, patterns: readonly string[]) =>
    patterns.length === 0 ? [] : [`${title}:`, ...patterns.map((one) => `- ${one}`)];
  const paths = [
    ...list('May change, and nothing else', scope.only),
    ...list('Frozen', scope.frozen),
    ...list('Frozen, but may change', scope.except),
  ].join('\n');
  const lines = [
    attempt.ended === true
      ? `- Retry count: ${attempt.sent_back}/${attempt.of}. The task has ended: attempt ${attempt.number} comes with \`supervisor resume ${task}\`, which counts anew.`
      : `- Retry count: ${attempt.sent_back}/${attempt.of}, ${left} left in this round; the next is attempt ${attempt.number}.`,
    ...(times.length === 0 ? [] : [`- Time remaining: ${times.join(', ')}.`]),
    ...(starts_from === null ? ['- It changes no files.'] : [`- ${TREE[starts_from]}`]),
    ...(starts_from === null
      ? []
      : ['- Scope: everything that the task needs, except files that gates run and frozen paths.']),
  ].join('\n');
  return starts_from === null || paths === '' ? lines : `${lines}\n\n${quote('paths', paths)}`;
}

const TREE = {
  last: 'The next attempt starts from the tree that was sent back: what was changed is there. Fix it, and revert what does not belong there. What may be changed is counted from where the step began, so a violation that stays in the tree is refused again.',
  line: 'The next attempt starts from a clean tree: what an earlier attempt changed is not there.',
} as const;

const metadataOf = ({ task, step, change, trace }: Feedback): string =>
  [`- Task ID: ${task}, step ${step}`, `- Change: ${change ?? 'none was captured'}`, `- Trace ID: ${trace}`].join('\n');
