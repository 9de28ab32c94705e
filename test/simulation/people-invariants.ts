/** What must hold of people, votes, commits and the way back. Counted again from the log, by other code than the mind's. */
import type { Json } from '../../src/kernel/json.ts';
import { taskStream } from '../../src/mind/domain/stream-name.ts';
import { asksPerson, type Task } from '../../src/mind/domain/task.ts';
import type { AnswerFacts, Candidate } from '../../src/mind/domain/values.ts';
import type { Workflow, WorkflowStep } from '../../src/mind/workflows/workflow.ts';
import type { Finding, SeenEvent } from './check.ts';
import { applicationKey, fileCountOf } from './hands.ts';

const taskOf = ({ event, before }: SeenEvent): Task => {
  const task = before.tasks.get(event.stream.slice('task/'.length));
  if (task === undefined) throw new Error(`${event.type} on ${event.stream} before the task was created`);
  return task;
};
const workflowOf = ({ before }: SeenEvent, task: Task): Workflow => before.workflows.get(task.workflow) as Workflow;
const stepOf = (seen: SeenEvent, task: Task, id: string): WorkflowStep =>
  workflowOf(seen, task).steps.get(id) as WorkflowStep;

const isNo = ({ status, findings }: AnswerFacts): boolean =>
  /REQUESTED|REJECTED/.test(status) || (status === 'APPROVED' && (findings?.critical ?? 0) + (findings?.high ?? 0) > 0);

/** A step that is done after such a verdict was approved by a person. */
const LEFT_TO_A_PERSON: ReadonlySet<string> = new Set(['review_unfounded', 'no_consensus']);

/** What is committed or accepted was approved: every step before it that may say no looked at this very change and said yes. */
export function onlyApprovedChangesAreApplied(seen: SeenEvent): Finding {
  const { event } = seen;
  if (event.type === 'task.applying')
    return unapproved(seen, event.data.candidate.change_id, event.data.step ?? null, 'applied');
  if (event.type !== 'task.closed' || event.data.status !== 'accepted') return null;
  const { candidate } = taskOf(seen);
  return candidate === null ? null : unapproved(seen, candidate.change_id, null, 'accepted');
}

function unapproved(seen: SeenEvent, change_id: string, commit: string | null, what: string): Finding {
  const task = taskOf(seen);
  const { steps } = workflowOf(seen, task);
  const isBefore = (id: string, at: string): boolean =>
    (steps.get(at)?.needs ?? []).some((need) => need === id || isBefore(id, need));
  const changes = [...steps.values()].flatMap(({ id, kind }) => (kind === 'change' ? [id] : []));
  for (const { id, kind, rework, about } of steps.values()) {
    if ((rework === null && kind !== 'human') || about !== null) continue;
    if (commit !== null && !isBefore(id, commit)) continue;
    // It looked at what was there before a later change.
    if (changes.some((change) => isBefore(id, change))) continue;
    const place = task.steps.get(id)?.place;
    if (place?.at !== 'done') return `${task.id} is ${what} while ${id} is ${place?.at ?? 'not open'}`;
    if (place.on?.change_id !== change_id) return `${task.id}: ${id} looked at another change than is ${what}`;
    if (kind === 'answer' && place.said !== null && isNo(place.said))
      return `${task.id}: ${id} says ${place.said.status}, and the change is ${what}`;
  }
  const { verdict } = task;
  const isLeft = verdict?.reasons.some((reason) => LEFT_TO_A_PERSON.has(reason)) === true;
  // A commit on the way may stand beside the reviewers who vote; what is accepted may not.
  const isOpen = commit !== null && verdict?.decision === 'CONSENSUS';
  if (
    verdict !== undefined &&
    verdict.on.change_id === change_id &&
    verdict.decision !== 'APPROVE' &&
    !isLeft &&
    !isOpen
  )
    return `${task.id} is ${what}, and its newest verdict is ${verdict.decision}`;
  return null;
}

/** The way back is bounded: no step sends a task back as often as its rounds allow, unless a person lets it go on. */
export function reworkIsBounded(seen: SeenEvent): Finding {
  const { site, event, stored } = seen;
  if (event.type !== 'task.reworked') return null;
  const task = taskOf(seen);
  const { from } = event.data;
  const { rework, needs } = stepOf(seen, task, from);
  const rounds = rework?.rounds ?? 0;
  const earlier = site.events.filter(({ stream, seq }) => stream === event.stream && seq < stored.seq);
  const isAnswer = (decision: string, one = earlier.at(-1)) =>
    one?.type.startsWith('step.answered.') === true && same(one.data, { step: from, decision });
  // A person who lets it go on after its rounds, and one who says that a critical finding stands.
  const atPersonsWord = (at: number) =>
    isAnswer('APPROVE', earlier[at - 1]) ||
    (isAnswer('REJECT', earlier[at - 2]) && earlier[at - 1]?.type.startsWith('attempt.settled.') === true);
  // Or that one of a reviewer does whose join sends it back.
  const atReview = (at: number) => {
    const since = earlier.slice(0, at).findLastIndex(({ type }) => type.startsWith('task.reworked.'));
    return earlier
      .slice(since + 1, at)
      .some(({ type, data }) =>
        needs.some((step) => type.startsWith('step.answered.') && same(data, { step, decision: 'REJECT' })),
      );
  };
  if (atPersonsWord(earlier.length) || atReview(earlier.length)) return null;
  const begun = earlier.findLastIndex((one) => one.type.startsWith('task.reopened.') || isAnswer('APPROVE', one));
  const times = earlier.filter(
    ({ type, data }, at) =>
      at > begun && type.startsWith('task.reworked.') && same(data, { from }) && !atPersonsWord(at) && !atReview(at),
  ).length;
  return times + 1 < rounds ? null : `${task.id}: ${from} sends it back ${times + 1} times with ${rounds} rounds`;
}

const same = (data: Json, wanted: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(([key, value]) => (data as Record<string, Json>)[key] === value);

/** A person's word counts only for a step that waits, and for what was shown: the change or the answer of now. */
export function answersCountForWhatWasShown(seen: SeenEvent): Finding {
  const { event, site, stored } = seen;
  if (event.type !== 'step.answered' && event.type !== 'step.agreed') return null;
  const task = taskOf(seen);
  const { step, token } = event.data;
  const place = task.steps.get(step)?.place;
  if (place?.at !== 'waiting' || place.token !== token) return `${task.id}: ${step} is answered and asks nobody`;
  if (event.type === 'step.agreed' || /^(question|failure|rounds)$/.test(place.asks)) return null;
  const about = stepOf(seen, task, step).about;
  const shown = about === null ? null : task.steps.get(about)?.place;
  const { held } = place;
  // A review made no change: its findings are about the one that it looked at.
  const ofHeld = held?.attempt.kind === 'answer' ? held.attempt.on : held?.product.candidate;
  const change = held === undefined ? task.candidate : ofHeld;
  const now = (shown?.at === 'done' ? shown.answer : null) ?? change?.change_id ?? null;
  const sent = site.submissions.find(({ id }) => id === stored.cause)?.command as { about?: string } | undefined;
  const said = sent?.about ?? event.data.about ?? null;
  return said === now && (event.data.about ?? null) === now
    ? null
    : `${task.id}: ${step} is answered about ${said}, and ${now} is asked about`;
}

/** So many people agree as was asked, each counted once and not too long ago; or the time to object is over. */
export function peopleAgreeAsAsked(seen: SeenEvent): Finding {
  const { site, event, stored } = seen;
  if (event.type !== 'step.answered' || event.data.decision !== 'APPROVE') return null;
  const task = taskOf(seen);
  const { step, by } = event.data;
  const place = task.steps.get(step)?.place;
  if (place?.at !== 'waiting' || place.needed === undefined || task.spec.simulated === true) return null;
  if (by === 'policy')
    return place.until !== undefined && stored.time >= place.until ? null : `${task.id}: ${step} went on too early`;
  const { demands, expires_ms } = place.needed;
  const log = site.events.filter(({ stream }) => stream === event.stream);
  const asked = log.findLastIndex(({ type, data }) => type.startsWith('step.waiting.') && same(data, { step }));
  const agreed = log
    .slice(asked + 1)
    .filter(
      ({ type, data, time }) =>
        type.startsWith('step.agreed.') && same(data, { step }) && time + expires_ms > stored.time,
    )
    .map(({ data }) => (data as { by: string }).by);
  const people = [...new Set([...agreed, by])].map((one) => one.replace('operator:', ''));
  const unmet = demands.find((one) => people.filter((name) => one.people?.includes(name) ?? true).length < one.min);
  return unmet === undefined ? null : `${task.id}: ${step} wants ${unmet.min} people, and has ${people.join(', ')}`;
}

/** The policies of this simulation: fewer than two files need nobody, fewer than four wait for an objection. */
export function policiesAskByTheFacts(seen: SeenEvent): Finding {
  const { event } = seen;
  if (event.type !== 'step.joined' && event.type !== 'step.waiting') return null;
  const task = taskOf(seen);
  const definition = stepOf(seen, task, event.data.step);
  const files = fileCountOf(task.candidate?.tree ?? '');
  if (definition.kind !== 'human' || definition.policies.length === 0 || task.candidate === null) return null;
  if (event.type === 'step.joined') return files < 2 ? null : `${task.id}: ${files} files are approved by nobody`;
  const two = event.data.needed?.demands.some(({ min }) => min >= 2) === true;
  return files >= 4 && (event.data.until !== undefined || !two)
    ? `${task.id}: ${files} files do not need two people`
    : null;
}

const WEIGHTS: Readonly<Record<string, number>> = { claude: 4, codex: 3, gemini: 3 };

/** A join says yes only when all say yes to this change; of a vote, when two do and they weigh more. */
export function everyVoiceIsHeard(seen: SeenEvent): Finding {
  const { event } = seen;
  if (event.type !== 'step.joined' || event.data.decision !== 'APPROVE') return null;
  const task = taskOf(seen);
  const { kind, needs, require } = stepOf(seen, task, event.data.step);
  if (kind !== 'join') return null;
  const voices = needs.map((need) => {
    const place = task.steps.get(need)?.place;
    if (place?.at !== 'done' || place.on?.change_id !== task.candidate?.change_id || place.said === null) return null;
    return { isYes: !isNo(place.said), weight: WEIGHTS[place.cli ?? ''] ?? 3 };
  });
  const [yes, no] = [true, false].map((wanted) => voices.filter((one) => one?.isYes === wanted)) as [
    typeof voices,
    typeof voices,
  ];
  const weight = (some: typeof voices) => some.reduce((sum, one) => sum + (one?.weight ?? 0), 0);
  const holds = require === 'all' ? yes.length === needs.length : yes.length >= 2 && weight(yes) > weight(no);
  return holds ? null : `${task.id}: ${event.data.step} approves with ${yes.length} of ${needs.length} voices`;
}

/** What the log calls committed is on the task's branch, by the application that was under way. */
export function onlyWhatWasAppliedIsCommitted(seen: SeenEvent): Finding {
  const { event, history } = seen;
  if (event.type !== 'step.committed') return null;
  const task = taskOf(seen);
  if (task.applying?.token !== event.data.token) return `${task.id}: an application that is not under way is committed`;
  return history.outside.applications.has(applicationKey(task.id, event.data.commit ?? ''))
    ? null
    : `${task.id}: ${event.data.commit} is called committed, and no branch was moved to it`;
}

/** Reviewers or people looked at one change: another one that the landing made of it lands only when somebody said yes to that, too. */
export function onlyApprovedChangesLand(seen: SeenEvent): Finding {
  const { event, before, site } = seen;
  if (event.type !== 'line.moving') return null;
  const task = before.tasks.get(event.data.task);
  if (task?.candidate == null || event.data.candidate.change_id === task.candidate.change_id) return null;
  const { change_id } = task.candidate;
  const isLooked =
    task.approval?.change_id === change_id ||
    (task.verdict?.on.change_id === change_id && task.verdict.reviews.some(({ said }) => said !== null));
  const isApproved = site.events.some(
    ({ stream, type, data }) =>
      stream === taskStream(task.id) &&
      type === 'task.approved.1' &&
      (data as { on: Candidate }).on.change_id === event.data.candidate.change_id,
  );
  return !isLooked || isApproved ? null : `${task.id}: another change than was looked at lands`;
}

/** After quiet hours one message tells what is still so: who waits does wait, who has ended did, and each is named once. */
function noticesTellWhatIsSo({ event, before }: SeenEvent): Finding {
  if (event.type !== 'notice.due') return null;
  const { by, asks, ended } = event.data;
  const id = event.stream.slice('task/'.length);
  const [own, carrier] = [before.tasks.get(id), before.tasks.get(by)];
  if (own?.held === undefined || own.held.by !== undefined) return `${id}: nothing of it was held, and it is told`;
  if (id !== by) {
    // The one that tells may come behind it, in the same append.
    const isBefore = carrier?.digest === undefined && carrier?.held !== undefined && carrier.held.by === undefined;
    const tells = carrier?.digest?.asks.concat(carrier.digest.ended).includes(own.id) === true;
    return isBefore || tells ? null : `${by} does not tell of ${id}`;
  }
  const silent = [...before.tasks.values()].find((one) => one.held?.by === by && ![...asks, ...ended].includes(one.id));
  if (silent !== undefined) return `${by} does not tell of ${silent.id}`;
  const waits = (task: Task | undefined) => task?.paused !== true && task !== undefined && asksPerson(task);
  const gone = asks.find((one) => !waits(before.tasks.get(one)));
  if (gone !== undefined) return `${gone} waits for nobody, and a person is told that it does`;
  const open = ended.find((one) => before.tasks.get(one)?.closed == null || before.tasks.get(one)?.landed !== null);
  if (open !== undefined) return `${open} has not ended or has landed, and a person is told that it has ended`;
  return new Set([...asks, ...ended]).size === asks.length + ended.length ? null : `${by} names a task twice`;
}

/** A branch is moved only while the approval of what lands is fresh, counted from the oldest answer that it rests on. */
export function onlyFreshApprovalsMove(seen: SeenEvent): Finding {
  const { event, before, site, stored } = seen;
  if (event.type !== 'effect.started' || event.data.kind !== 'line.move') return null;
  const task = taskOf(seen);
  const place = before.lines.get(task.landing?.onto ?? '')?.queue.find((one) => one.task === task.id)?.place;
  const lands = (place?.at === 'moving' ? place.candidate : null) ?? task.candidate;
  if (task.approval === undefined || lands?.change_id !== task.approval.change_id) return null;
  const { expires_ms } = task.approval.needed;
  const log = site.events.filter(({ stream }) => stream === event.stream);
  const isFresh = (time: number): boolean => time + expires_ms > stored.time;
  const again = log.some(({ type, time }) => type.startsWith('task.approved.') && isFresh(time));
  const answer = log.findLastIndex(
    ({ type, data }) =>
      type.startsWith('step.answered.') && same(data, { decision: 'APPROVE', about: lands.change_id }),
  );
  const { step, by } = (log[answer]?.data ?? {}) as { step?: string; by?: string };
  const asked = log.findLastIndex(
    ({ type, data }, n) => n < answer && type.startsWith('step.waiting.') && same(data, { step: step ?? '' }),
  );
  // Those that had expired before the answer did not count.
  const others = log
    .slice(asked + 1, answer)
    .filter(({ type, data }) => type.startsWith('step.agreed.') && same(data, { step: step ?? '' }))
    .filter(({ time }) => time + expires_ms > (log[answer]?.time ?? 0));
  const oldest = Math.min(...[...others, ...log.slice(answer, answer + 1)].map(({ time }) => time));
  return again || isFresh(oldest)
    ? null
    : `${task.id}: ${lands.change_id} is moved after the approval by ${by} had expired`;
}

export const PEOPLE_INVARIANTS = [
  onlyFreshApprovalsMove,
  noticesTellWhatIsSo,
  onlyApprovedChangesLand,
  onlyApprovedChangesAreApplied,
  reworkIsBounded,
  answersCountForWhatWasShown,
  peopleAgreeAsAsked,
  policiesAskByTheFacts,
  everyVoiceIsHeard,
  onlyWhatWasAppliedIsCommitted,
];
