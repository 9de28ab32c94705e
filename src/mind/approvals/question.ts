/** What a task asks a person, in words: the question, what it is about, and what to type. */
import { degradedSteps, degradedText, shownTo, type Task, type WaitingStep } from '../domain/task.ts';
import type { Asks, BlockingFinding } from '../domain/values.ts';
import { standing } from '../verdict/dismissed.ts';
import type { Workflow, WorkflowStep } from '../workflows/workflow.ts';
import { agreedToLand, LANDING, neededToLand, openAsk } from './landing-approval.ts';
import { type Approver, approverOf, missingText } from './people.ts';

export type Question = {
  readonly step: string;
  /** `landing`: whether the change may land. All other questions come from a step. */
  readonly asks: Asks | 'landing';
  readonly text: string;
  /** Why a person is asked; empty if the workflow says so. */
  readonly reason: string;
  /** What the answer is about; null if it has no id. */
  readonly about: { readonly kind: 'change' | 'answer'; readonly id: string; readonly step: string | null } | null;
  /** Command lines. */
  readonly approve: string;
  readonly reject: string;
};

/**
 * All open questions, in the order in which their steps opened. `now`: an approval that has expired by then does not
 * count; without it, by what the log says.
 */
export function questionsOf(task: Task, workflow: Pick<Workflow, 'steps'>, now = task.updated): Question[] {
  if (task.closed !== null) return landingQuestion(task, now);
  return task.open.flatMap((id) => {
    const place = task.steps.get(id)?.place;
    const definition = workflow.steps.get(id);
    return place?.at === 'waiting' && definition !== undefined ? [questionOf(task, definition, place, now)] : [];
  });
}

function landingQuestion(task: Task, now: number): Question[] {
  const ask = openAsk(task, now);
  if (ask === null) return [];
  const { change_id: id } = ask.on;
  const more = missingText(neededToLand(task), agreedToLand(task, now));
  return [
    {
      step: LANDING,
      asks: 'landing',
      text: `May the change land? ${capital(more)}.`,
      reason: ask.why,
      about: { kind: 'change', id, step: null },
      approve: `supervisor approve ${task.id} ${LANDING} --of ${id.slice(0, SHOWN)}`,
      reject: `supervisor cancel ${task.id}`,
    },
  ];
}

export function questionOf(task: Task, definition: WorkflowStep, place: WaitingStep, now: number): Question {
  const id = shownTo(place);
  const { asks, about, reason } = place;
  const shown = id === null ? '' : ` --of ${id.slice(0, SHOWN)}`;
  const words = `${task.id} ${definition.id}${shown}`;
  return {
    step: definition.id,
    asks,
    text: (asks === 'question' ? null : definition.text) ?? sentence(task, definition, place, now),
    // The question is its own reason.
    reason: asks === 'question' ? '' : reason,
    about: id === null ? null : { kind: about === null ? 'change' : 'answer', id, step: about?.step ?? null },
    approve: yesLine(task, place) ?? `supervisor approve ${words}`,
    reject: `supervisor reject ${words} --reason "…"`,
  };
}

/** Some questions have their own command. */
function yesLine(task: Task, place: WaitingStep): string | null {
  if (place.asks === 'question') return `supervisor answer ${task.id} "…"`;
  return place.asks === 'finding' ? dismissLine(task, place) : null;
}

const isCritical = ({ severity }: BlockingFinding): boolean => severity === 'critical';

/** Without an id, only the other answers remain. */
function dismissLine(task: Task, { held, on }: WaitingStep): string {
  const change = on?.change_id ?? '';
  const open = (held?.evidence ?? []).flatMap((report) => standing(report, task.dismissed, change));
  const ids = [...new Set([...open, ...(held?.product.said?.open ?? []).filter(isCritical)].map(({ id }) => id))];
  return ids.length === 0
    ? `supervisor resume ${task.id} --say "…"`
    : `supervisor resume ${task.id} --dismiss ${ids.join(',')} --reason "…"`;
}

/** How many characters of an id are enough to type. */
const SHOWN = 12;

function sentence(task: Task, { id }: WorkflowStep, place: WaitingStep, now: number): string {
  const { asks, about, reason, needed, until } = place;
  switch (asks) {
    case 'approval':
      if (until !== undefined) return `This change ${goesOnText(until)}.`;
      if (needed !== undefined) return `${isGood(task)} ${capital(missingText(needed, peopleOf(place, now)))}.`;
      return about === null ? isGood(task) : `Is the answer of ${about.step} good?`;
    case 'pull_request':
      return `Open a pull request for branch ${task.committed?.branch ?? '(played)'}, then approve.`;
    case 'failure':
      return `The attempts of ${id} are used up (${reason}). Try again?`;
    case 'rounds':
      return `The rounds of ${id} are used up (${reason}). Go back once more?`;
    case 'finding':
      return `REJECT: ${reason}. Is it wrong, or should the change go back?`;
    case 'disagreement':
      return `The reviewers disagree (${reason}). Is the change good?`;
    case 'review':
      return `A review rejects the change and names no line of the change (${reason}). Is the change good?`;
    case 'environment':
      return `The change needs another environment than its base. May it be prepared, and the gates run with it?${
        needed === undefined ? '' : ` ${capital(missingText(needed, peopleOf(place, now)))}.`
      }`;
    case 'question':
      return `The worker of ${id} asks: ${reason.replace(/^the worker says BLOCKED: /, '')}`;
  }
}

/** Tells the person if the change is incomplete. */
function isGood(task: Task): string {
  const degraded = degradedSteps(task);
  return degraded.length === 0 ? 'Is the change good?' : `Is the change good? It is ${degradedText(degraded)}.`;
}

/** People whose approval counts already. */
const peopleOf = ({ agreed = [], needed }: WaitingStep, now: number): Approver[] =>
  agreed.filter(({ at }) => needed === undefined || at + needed.expires_ms > now).map(approverOf);

export const goesOnText = (until: number): string => `goes on by itself at ${minuteOf(until)} UTC without a rejection`;

const minuteOf = (time: number): string => new Date(time).toISOString().slice(0, 16).replace('T', ' ');

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** Short text for a line of the log. */
export function asksText(asks: Asks = 'approval'): string {
  switch (asks) {
    case 'approval':
      return 'waits for a person to approve it';
    case 'pull_request':
      return 'waits for a person to open a pull request';
    case 'failure':
      return 'its attempts are used up; a person decides whether to try again';
    case 'rounds':
      return 'its rounds are used up; a person is asked whether to go back once more';
    case 'finding':
      return 'the verdict is REJECT, and a person decides about a critical finding';
    case 'disagreement':
      return 'the reviewers disagree; a person decides';
    case 'review':
      return 'a review rejects the change and names no line of the change; a person decides';
    case 'environment':
      return 'the change needs another environment; a person decides whether it is prepared';
    case 'question':
      return 'its worker asks a person';
  }
}

/** What the task waits for, in one line. */
export const questionLine = ({ text, approve, reject }: Question): string =>
  `${/[.?!:…]$/.test(text) ? text : `${text}.`} Answer: \`${approve}\`, or \`${reject}\``;
