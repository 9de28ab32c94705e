/** What a worker receives: its role, the task, its context, earlier failures, the rules, the form of its answer. */
import { terminalText } from '../../kernel/terminal-text.ts';
import { handOverRules } from '../answers/hand-over.ts';
import type { AnswerKind } from '../answers/schemas.ts';
import type { AttemptKind } from '../domain/values.ts';
import { type FeedbackFacts, feedbackOf } from '../feedback/document.ts';
import { feedbackMarkdown } from '../feedback/markdown.ts';
import type { Role } from '../roles/role.ts';
import type { LowerLevel } from '../workflows/step.ts';
import { contractOf } from './contract.ts';
import { Quoted, quoteText, said } from './foreign-text.ts';
import { renderTemplate, type Templates } from './liquid.ts';
import { type PromptSurroundings, relevant } from './task-surroundings.ts';
import { taskType } from './task-type.ts';
import type { TemplateValue, Variables } from './template-values.ts';

export type PacketParts = PromptSurroundings & {
  readonly role: Role;
  readonly answer: AnswerKind;
  readonly kind: AttemptKind;
  readonly attempt: { readonly number: number; readonly of: number };
  /** The lower level of work that the step has fallen back to; null for the first one. */
  readonly level: LowerLevel | null;
  readonly text: string;
  readonly acceptance: readonly string[];
  readonly files: readonly string[];
  /** Why the last attempt was sent back; null if it is the first, or none was. */
  readonly feedback: FeedbackFacts | null;
  /** Patterns of existing tests and other protected paths, and those among them that this task may change. */
  readonly protect: readonly string[];
  readonly allow: readonly string[];
  /** The only paths that it may change; empty for all but the protected ones. */
  readonly scope: readonly string[];
  /** Settings of the step, one line each. */
  readonly settings: readonly string[];
  /** Whether its answer is checked before the next step builds on it. */
  readonly handOver: boolean;
  /** The attempt explains why the change in its tree failed its gates. */
  readonly analysis: boolean;
  /** Where its tree comes from: the rejected change, or where the step began. */
  readonly startsFrom: 'last' | 'line';
  /** For a reviewer: open findings of earlier reviews, rules and advisory gates. */
  readonly raised: readonly string[];
  readonly opinions: readonly string[];
  /** A whole section, already quoted; empty for none. */
  readonly context: string;
  /** See `quotedData`. */
  readonly seed: string;
};

/** Replaces the role's own if the same error came twice. */
export const STRICT = 'strict';

export function renderPacket(parts: PacketParts, templates: Templates): string {
  return renderTemplate(
    templates,
    parts.feedback?.repeated === true ? STRICT : parts.role.template,
    packetVariables(parts),
    parts.seed,
  );
}

/** All variables of templates; docs/reference/prompts.md describes each. */
export function packetVariables(parts: PacketParts): Variables {
  const { role, kind, attempt, text, acceptance, files } = parts;
  const judges = parts.answer === 'review' || parts.answer === 'security' || JUDGING.includes(role.template);
  const { goal, queue, history, notes } = relevant({ ...parts, judges }, parts);
  return {
    role: {
      name: role.name,
      description: role.description,
      base: role.base_role ?? role.name,
      system_prompt: role.system_prompt,
      strengths: role.strengths,
      work: workOf(parts),
      config: { ...NO_CONFIG, ...(role.config as Variables) },
    },
    task: {
      text: said('task', text),
      acceptance: acceptance.map((one) => said('acceptance', one)),
      files: files.map((one) => said('files', one)),
      type: taskType(text, files),
      level: parts.level,
    },
    changes: kind === 'change',
    settings: parts.settings.map((one) => foreign('settings', one)),
    hand_over: parts.handOver ? handOverRules(parts.answer) : [],
    analysis: parts.analysis,
    attempt: { ...attempt, from: parts.startsFrom },
    feedback: feedbackVariable(parts),
    rules: {
      protect: parts.protect.map((one) => foreign('protected paths', one)),
      allow: parts.allow.map((one) => foreign('paths you may change', one)),
      scope: parts.scope.map((one) => foreign('paths', one)),
    },
    goal: goal === null ? null : foreign('goal', goal),
    queue: queue.map((one) => foreign('queue', one)),
    history: history.map((one) => foreign('history', one)),
    notes: notes.map(({ by, text: note }) => foreign(`notes of ${by}`, note)),
    open_findings: parts.raised.map((one) => foreign('open findings', one)),
    hints: parts.opinions.map((one) => foreign('hints', one)),
    context: parts.context === '' ? '' : new Quoted(parts.context),
    answer: { kind: parts.answer, ...contractOf(parts.answer) },
  };
}

/** Which shipped template describes such a role's work, for packets without the role's own. */
function workOf({ role, answer, kind }: PacketParts): string {
  if (WORK.includes(role.template)) return role.template;
  if (answer === 'generic') return kind === 'change' ? 'implement' : 'investigate';
  return { ...SAME_NAME, plan: 'planning', implementation: 'implement' }[answer];
}

const SAME_NAME = {
  brainstorm: 'brainstorm',
  document: 'document',
  review: 'review',
  test: 'test',
  security: 'security',
} as const;

/** These roles judge a change, whatever the form of their answer. */
const JUDGING: readonly string[] = ['review', 'security'];
const WORK: readonly string[] = [
  'brainstorm',
  'document',
  'planning',
  'implement',
  'review',
  'test',
  'security',
  'investigate',
];

/** Settings that the shipped templates read; a role need not have them. */
const NO_CONFIG = { tdd: false, coverage_target: null, test_types: [], min_tests_per_component: null } as const;

/** From programs and models, whose output may move the cursor of a reader. */
const foreign = (label: string, text: string) => said(label, terminalText(text));

/** Below the headings of the packet. */
const LEVEL = 2;

function feedbackVariable({ feedback: facts, seed }: PacketParts): TemplateValue {
  if (facts === null) return null;
  const feedback = feedbackOf(facts);
  const quote = (label: string, text: string) => quoteText(label, text, seed);
  return { kind: feedback.kind, document: new Quoted(feedbackMarkdown(feedback, quote, LEVEL)) };
}
