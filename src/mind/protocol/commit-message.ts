/** The message of a task's commit. Everything comes from the log, so that the same commit can be made again. */
import { terminalText } from '../../kernel/terminal-text.ts';
import { parseAnswer } from '../answers/parse-answer.ts';
import { personOf } from '../approvals/people.ts';
import { type Degraded, type RedGate, redText } from '../domain/task.ts';
import type { Judged } from '../domain/work.ts';

import { conventionalSubject } from './subject.ts';

const MAX_TEXT = 4_000;
const MAX_SUMMARY = 2_000;

type Described = {
  readonly title: string;
  /** The whole text of the task. */
  readonly text: string;
  /** The worker's answer; null if unknown. */
  readonly answer: string | null;
  readonly task: string;
  readonly change: string;
  readonly red: readonly RedGate[];
  readonly degraded?: readonly Degraded[];
  readonly conventional?: boolean | undefined;
  /** The verdict on this change. */
  readonly judged?: Judged | undefined;
  /** The people who made a part of it. */
  readonly people?: readonly string[] | undefined;
  /** The commit merges the task's own commit with the branch. */
  readonly isMerge?: boolean;
};

export function commitMessage(described: Described): string {
  const { title, text, answer, task, change, red, degraded = [], judged, people = [] } = described;
  const asked = bounded(text, MAX_TEXT);
  const summary = answer === null ? null : summaryIn(answer);
  const parts = [
    subjectOf(described),
    ...(asked === title ? [] : [asked]),
    // Quoted: a worker's text must not look like a trailer of ours.
    ...(summary === null ? [] : [`The worker says:\n${summary.replaceAll(/^/gm, '> ')}`]),
    ...(red.length === 0 ? [] : [red.map(redText).join('\n')]),
    [
      `Supervisor-Task: ${task}`,
      `Supervisor-Change: ${change}`,
      ...people.map((by) => `Supervisor-Made-by: ${personOf(by)}`),
      ...judgedBy(judged),
      ...degraded.map(trailer),
    ].join('\n'),
  ];
  return parts.join('\n\n');
}

function subjectOf({ title, conventional, isMerge }: Described): string {
  if (isMerge === true) return `Merge "${title}"`;
  return conventional === true ? conventionalSubject(title) : title;
}

function judgedBy(judged: Judged | undefined): string[] {
  if (judged === undefined) return [];
  const { decision, score, reviewers } = judged;
  return [
    `Supervisor-Verdict: ${decision}${score === null ? '' : ` ${score.toFixed(2)}`}`,
    ...reviewers.map(({ role, cli }) => `Supervisor-Reviewed-by: ${role} (${cli})`),
  ];
}

const trailer = ({ step, level }: Degraded): string => `Supervisor-Degraded: ${step} ${level}`;

/** Answers that say what was done; other kinds say nothing about a change. */
function summaryIn(answer: string): string | null {
  const parsed = parseAnswer('implementation', answer);
  const said = parsed.type === 'answer' ? bounded(parsed.answer.action_taken, MAX_SUMMARY) : '';
  return said === '' ? null : said;
}

/** Plain lines that are harmless on a terminal. */
function bounded(text: string, most: number): string {
  const plain = terminalText(text.replaceAll('\r\n', '\n')).trim();
  return plain.length > most ? `${plain.slice(0, most - 1)}…` : plain;
}
