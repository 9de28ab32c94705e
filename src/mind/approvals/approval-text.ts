/**
 * The text of a signed approval. It names everything that the approval is about, so a signature is valid for one answer
 * to one question and nothing else. There is only one spelling: the signed text is compared byte by byte.
 */
import { sha256 } from '../../kernel/hash.ts';
import { canonicalJson } from '../../kernel/json.ts';
import type { CommandOf } from '../domain/commands.ts';
import { shownTo, type Task } from '../domain/task.ts';
import type { SignedWord } from '../domain/values.ts';
import type { Needed } from '../workflows/approval-policy.ts';
import { LANDING, neededToLand, WEEK } from './landing-approval.ts';

/** The purpose of the signature: `ssh-keygen -Y` refuses one that was made for another. */
export const APPROVAL_NAMESPACE = 'supervisor-approval@1';

/** The tolerated difference between the clocks of two machines. */
const SKEW_MS = 5 * 60_000;

type AnsweredStep = Pick<CommandOf<'step.answer'>, 'step' | 'decision' | 'reason'>;

/** What the question is about now. `round`: a repeated question is another one, even about the same change. */
function askedOf(task: Task, step: string): { about: string; needed: Needed | null; round: string } | null {
  if (task.closed !== null) {
    const ask = step === LANDING ? task.landingAsk : undefined;
    return ask === undefined ? null : { about: ask.on.change_id, needed: neededToLand(task), round: ask.on.base };
  }
  const place = task.steps.get(step)?.place;
  if (place?.at !== 'waiting') return null;
  return { about: shownTo(place) ?? '-', needed: place.needed ?? null, round: String(place.token) };
}

/** Builds the text that a person signs; null if no question is open. */
export function approvalText(
  project: string,
  task: Task,
  { step, decision, reason, as, at }: AnsweredStep & Pick<SignedWord, 'as' | 'at'>,
): string | null {
  const asked = askedOf(task, step);
  if (asked === null) return null;
  const { about, needed, round } = asked;
  return [
    'supervisor approval 1',
    `project ${project}`,
    `task ${task.id}`,
    `step ${step}`,
    `about ${about}`,
    `policy ${needed === null ? '-' : sha256(canonicalJson(needed))}`,
    `round ${round}`,
    `decision ${decision}`,
    `reason ${inAscii(reason)}`,
    `as ${as}`,
    `at ${new Date(at).toISOString()}`,
    '',
  ].join('\n');
}

/** One line of ASCII that looks the same everywhere. */
const inAscii = (reason: string): string =>
  JSON.stringify(reason).replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

const FORM =
  /^supervisor approval 1\nproject (\S+)\ntask (\S+)\nstep (\S+)\nabout \S+\npolicy \S+\nround \S+\ndecision (APPROVE|REJECT)\nreason (".*")\nas (\S+)\nat (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\n$/;

type ApprovalWords = AnsweredStep & Pick<SignedWord, 'as' | 'at'> & { readonly project: string };

/** Reads such a text; null if it is none. */
export function readApprovalText(text: string): ApprovalWords | null {
  const [, project = '', , step = '', decision, quoted = '', as = '', iso = ''] = FORM.exec(text) ?? [];
  const reason = decision === undefined ? null : unquoted(quoted);
  const at = Date.parse(iso);
  if (reason === null || Number.isNaN(at)) return null;
  return {
    project,
    step: step as AnsweredStep['step'],
    decision: decision as AnsweredStep['decision'],
    reason,
    as,
    at,
  };
}

function unquoted(text: string): string | null {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

/** Why a signed text does not answer the currently open question; null if it does. */
export function textProblem(
  task: Task,
  answer: AnsweredStep,
  { text, as, at }: Pick<SignedWord, 'text' | 'as' | 'at'>,
  now: number,
): { readonly code: 'other_text' | 'expired_approval'; readonly message: string } | null {
  const words = readApprovalText(text);
  if (words === null || approvalText(words.project, task, { ...answer, as, at }) !== text)
    return {
      code: 'other_text',
      message: `what was signed is not this answer: \`supervisor approve ${task.id} ${answer.step} --print\` prints what has to be signed now`,
    };
  const expires = askedOf(task, answer.step)?.needed?.expires_ms ?? WEEK;
  const isFresh = at <= now + SKEW_MS && at + expires > now;
  return isFresh
    ? null
    : {
        code: 'expired_approval',
        message: `it was signed at ${new Date(at).toISOString()}, and an approval counts for a limited time from then on: sign it again`,
      };
}
