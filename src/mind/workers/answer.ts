/** The meaning of an attempt's answer. A worker's answer can stop a task, never finish it. */
import * as v from 'valibot';
import { withoutAnsi } from '../../kernel/ansi.ts';
import { assertNever } from '../../kernel/assert-never.ts';
import { terminalText } from '../../kernel/terminal-text.ts';
import { lastJsonBlock } from '../answers/fence.ts';
import { type ParsedAnswer, parseAnswer } from '../answers/parse-answer.ts';
import type { Answer, AnswerKind } from '../answers/schemas.ts';
import { type AnswerFacts, type BlockingFinding, type Findings, said as saidSchema } from '../domain/values.ts';
import { type ClaimFacts, checkClaims } from '../verdict/check-claims.ts';
import { afterReview, type Raised } from '../verdict/open-findings.ts';
import { checkFindings, type ReviewFinding, type ShownLines, uncountedText } from '../verdict/review-findings.ts';
import type { FinalText } from './final-text.ts';
import { SAID_CHARS } from './limits.ts';

type Meaning =
  /**
   * Complete and parsable. A review that rejects is good too: the workflow decides what follows; `reason` quotes it.
   */
  | { readonly type: 'good'; readonly reason?: string }
  | { readonly type: 'invalid' | 'blocked'; readonly reason: string };

export function readAnswer(kind: AnswerKind, final: FinalText): ParsedAnswer<AnswerKind> {
  if (final.type === 'none') return { type: 'invalid', reason: `missing result: ${final.reason}` };
  const missing = { type: 'invalid', reason: `missing result: ${final.omitted > 0 ? CUT : NO_BLOCK}` } as const;
  if (!withoutAnsi(final.text).includes('```')) return missing;
  // The replacement for bytes that are no text: such a block may not say what we would parse.
  if (final.text.includes(REPLACED)) {
    const block = lastJsonBlock(final.text);
    if (block.type === 'block' && block.text.includes(REPLACED))
      return { type: 'invalid', reason: 'the json block holds bytes that are not UTF-8' };
  }
  const parsed = parseAnswer(kind, final.text);
  return parsed.type === 'invalid' && parsed.reason.startsWith('there is no ') ? missing : parsed;
}

const REPLACED = '\ufffd';
const CUT = `there is no whole \`\`\`json block in the last ${SAID_CHARS >> 20} MiB of stdout; end with exactly one, and a short one`;
const NO_BLOCK = 'there is no ```json block on stdout; end with exactly one';

export function meaningOf(kind: AnswerKind, answer: Answer): Meaning {
  switch (kind) {
    case 'implementation': {
      const { status, action_taken, blockers } = answer as Answer<'implementation'>;
      return byStatus(status, [action_taken, ...blockers], blockers);
    }
    case 'plan':
    case 'brainstorm': {
      const { status, notes, risks } = answer as Answer<'plan' | 'brainstorm'>;
      return ofDraft(status, [notes, ...risks]);
    }
    case 'document': {
      const { status, notes } = answer as Answer<'document'>;
      return ofDraft(status, [notes]);
    }
    case 'review': {
      const { status, issues, security_concerns, notes } = answer as Answer<'review'>;
      if (status === 'APPROVED') return approved('reviewer', issues);
      return sentBack('reviewer', status, [...issues.map(issueText), ...security_concerns, notes]);
    }
    case 'test': {
      const { status, blockers, bugs_found, notes } = answer as Answer<'test'>;
      const bugs = bugs_found.map((bug) => `${placeText(bug)}${bug.message}`);
      return byStatus(status, [...bugs, ...blockers, notes], blockers.length === 0 ? [notes] : blockers);
    }
    case 'security': {
      const { status, findings, notes } = answer as Answer<'security'>;
      if (status === 'APPROVED') return approved('security auditor', findings);
      return sentBack('security auditor', status, [...findings.map(issueText), notes]);
    }
    case 'generic': {
      const { status, notes } = answer as Answer<'generic'>;
      return byStatus(status, [notes], [notes]);
    }
    default:
      return assertNever(kind, 'kind of answer');
  }
}

/** The answer's enums and numbers, which is all that rules may use. Null if its status is unknown. */
export function saidOf(kind: AnswerKind, answer: Answer, review: ReviewSaid | null = null): AnswerFacts | null {
  const parsed = v.safeParse(saidSchema.entries.status, answer.status);
  if (!parsed.success) return null;
  const findings = findingsIn(kind, answer);
  return {
    status: parsed.output,
    confidence: kind === 'review' ? ((answer as Answer<'review'>).confidence ?? null) : null,
    findings: findings === null ? null : countBySeverity(findings),
    // Only a security reviewer can forbid a change, whatever the role is called.
    vetoes: findings === null ? null : kind === 'security' && parsed.output === 'REJECTED' ? 1 : 0,
    dismissed: review?.dismissed ?? null,
    ...(review === null ? {} : { open: [...review.open], uncounted: review.uncounted.length }),
  };
}

/** The checked findings of a review. */
export type ReviewSaid = {
  readonly uncounted: readonly string[];
  /** The result of a rule, or of the gates, for each finding that names a line of the change. */
  readonly checked: readonly string[];
  readonly open: readonly BlockingFinding[];
  readonly dismissed: number;
  /** Earlier findings that would have to be fixed first, and that an approval does not mention. */
  readonly owed: readonly string[];
};

const mustBeFixed = ({ severity }: Pick<ReviewFinding, 'severity'>): boolean =>
  severity === 'critical' || severity === 'high';

/** Returns null for kinds of answers that are no reviews. */
export function findingsIn(kind: AnswerKind, answer: Answer): readonly ReviewFinding[] | null {
  if (kind === 'review') return (answer as Answer<'review'>).issues;
  return kind === 'security' ? (answer as Answer<'security'>).findings : null;
}

/** Nothing is known of the tree: no claim is refuted. */
const NO_FACTS: ClaimFacts = { paths: new Set(), texts: new Map(), code: new Map(), gates: [] };

/**
 * A review's answer with the findings that count: its own, and earlier ones that it leaves open. Null if it is no
 * review.
 */
export function withCounted(
  kind: AnswerKind,
  answer: Answer,
  shown: ShownLines,
  earlier: readonly Raised[] = [],
  facts: ClaimFacts = NO_FACTS,
): { readonly answer: Answer; readonly said: ReviewSaid } | null {
  const findings = findingsIn(kind, answer);
  if (findings === null) return null;
  const { counted: placed, uncounted } = checkFindings(findings, shown);
  const { counted, refuted, checked } = checkClaims(placed, facts);
  const became = (answer as Answer<'review' | 'security'>).earlier ?? [];
  const { standing, open, dismissed, unnamed } = afterReview(earlier, became, counted);
  const field = kind === 'review' ? 'issues' : 'findings';
  const said = {
    uncounted: [...refuted, ...uncounted.map(uncountedText)],
    checked,
    open: open.map(({ id, severity }) => ({ id, severity })),
    dismissed,
    owed: answer.status === 'APPROVED' ? unnamed.filter(mustBeFixed).map(({ id }) => id) : [],
  };
  return { answer: { ...answer, [field]: [...counted, ...standing] } as Answer, said };
}

function countBySeverity(issues: readonly { readonly severity: keyof Findings }[]): Findings {
  const counts = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
  for (const { severity } of issues) counts[severity] += 1;
  return counts;
}

function ofDraft(status: Answer<'plan'>['status'], words: readonly string[]): Meaning {
  if (status === 'COMPLETE') return { type: 'good' };
  if (status === 'BLOCKED') return byStatus(status, words, words);
  return { type: 'invalid', reason: `the worker says ${status}${quoted(words)}` };
}

function byStatus(status: string, words: readonly string[], blockers: readonly string[]): Meaning {
  if (status === 'SUCCESS') return { type: 'good' };
  if (status === 'BLOCKED') return { type: 'blocked', reason: `the worker says BLOCKED${quoted(blockers)}` };
  if (status === 'PARTIAL' || status === 'FAILED')
    return { type: 'invalid', reason: `the worker says ${status}${quoted(words)}` };
  const other = terminalText(status.slice(0, 100));
  return { type: 'invalid', reason: `status "${other}" is none of SUCCESS, PARTIAL, FAILED and BLOCKED` };
}

const sentBack = (who: string, status: string, words: readonly string[]): Meaning => ({
  type: 'good',
  reason: `the ${who} says ${status}${quoted(words)}`,
});

/** An approval with a finding that must be fixed first is none. */
function approved(who: string, findings: readonly ReviewFinding[]): Meaning {
  const open = findings.filter(mustBeFixed);
  return open.length === 0 ? { type: 'good' } : sentBack(who, 'APPROVED with open findings', open.map(issueText));
}

type IssuePlace = { readonly file?: string | undefined; readonly line?: number | undefined };

const issueText = (issue: IssuePlace & { readonly severity: string; readonly message: string }): string =>
  `${issue.severity}${issue.file === undefined ? ': ' : ` ${placeText(issue)}`}${issue.message}`;

const placeText = ({ file, line }: IssuePlace): string =>
  file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}: `;

const MAX_QUOTED = 1_500;

function quoted(words: readonly string[]): string {
  const text = terminalText(words.filter((word) => word.trim() !== '').join('; '));
  if (text === '') return '';
  return `: "${text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text}"`;
}
