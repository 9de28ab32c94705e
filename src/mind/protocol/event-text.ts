/** Each event as one line for people: who did what, and what follows. */

import { formatDuration } from '../../kernel/duration.ts';
import { personOf } from '../approvals/people.ts';
import { asksText, goesOnText } from '../approvals/question.ts';
import type { DomainEvent } from '../domain/events/index.ts';
import type { Guard, NextAction } from '../domain/events/task.ts';
import { redText } from '../domain/task.ts';
import type { OutcomeClass, SignedWord } from '../domain/values.ts';
import { guardText } from '../safeguards/loops.ts';
import { pressedText } from '../safeguards/memory.ts';
import { OUTCOME_TEXT } from './outcome-text.ts';
import { clockText } from './quota-text.ts';
import { verdictText } from './verdict-text.ts';

/** How a line should look: good, bad, noteworthy or plain. */
export type Tone = 'good' | 'bad' | 'note' | 'plain';

/** The number of the current or next attempt, and of the last allowed one. Events do not hold it, so watchers count. */
export type Numbering = {
  readonly attempt: number /** `of` is null after attempts that did not count (lost, transient): the total is then unknown. */;
  readonly of: number | null;
};

type TextLine = { readonly text: string; readonly tone: Tone };
type Texts = {
  readonly [Type in DomainEvent['type']]: (
    data: Extract<DomainEvent, { readonly type: Type }>['data'],
    numbering: Numbering | null,
  ) => TextLine;
};

const good = (text: string): TextLine => ({ text, tone: 'good' });
const bad = (text: string): TextLine => ({ text, tone: 'bad' });
const note = (text: string): TextLine => ({ text, tone: 'note' });
const plain = (text: string): TextLine => ({ text, tone: 'plain' });
const dollars = (microusd: number): string => `${(microusd / 1e6).toFixed(4)} USD`;

type EffectKind = Extract<DomainEvent, { readonly type: 'effect.started' }>['data']['kind'];
/** How people call each effect. */
const EFFECTS: Readonly<Record<EffectKind, string>> = {
  'worker.run': 'the worker',
  'gate.run': 'the gate',
  'candidate.apply': 'the commit',
  'notify.send': 'the notification',
  'line.integrate': 'putting the change on the branch',
  'line.move': 'moving the branch',
  'line.read': 'a look at the branch',
};

const TEXTS: Texts = {
  'task.created': ({ title }) => plain(`task created: ${title}`),
  'attempt.started': ({ step, attempt, kind, cli, round, given }, numbering) => {
    const who = given === undefined ? cli : `by ${personOf(given.by)}`;
    const facts = [...(kind === 'gate' ? [] : [who]), ...(round > 1 ? [`round ${round}`] : [])];
    const told = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
    // Gates alone have no attempts: they run once in each round.
    if (kind === 'gate') return plain(`${step}: begins${told}`);
    return plain(`${step}: attempt ${attempt}${given === undefined ? ofText(numbering) : ''} begins${told}`);
  },
  'attempt.produced': ({ step, gates }) =>
    plain(gates.length === 0 ? `${step}: held` : `${step}: gates run: ${gates.join(', ')}`),
  'gate.reported': ({ step, gate, status, ms, excused, cached }) => {
    const took = cached ? ' (cached)' : ms === null ? '' : ` (${formatDuration(ms)})`;
    if (excused > 0) return note(`${step}: gate ${redText({ gate, count: excused })}${took}`);
    if (status === 'error') return bad(`${step}: gate ${gate} could not run${took}`);
    return status === 'pass' ? good(`${step}: gate ${gate} passed${took}`) : bad(`${step}: gate ${gate} failed${took}`);
  },
  'attempt.settled': ({ step, class: outcome, reason, guard, next }, numbering) => ({
    text: `${step}: ${endText(outcome, reason)}${guardNote(guard, reason)}${followText(next, outcome, numbering)}`,
    tone: outcome === 'ok' ? 'good' : next.do === 'close' || next.do === 'fail' ? 'bad' : 'note',
  }),
  'verdict.given': (verdict) => ({
    text: `${verdict.step}: verdict ${verdictText(verdict)}`,
    tone: verdict.decision === 'APPROVE' ? 'good' : verdict.decision === 'REJECT' ? 'note' : 'bad',
  }),
  'step.joined': ({ step, decision, reason }) =>
    decision === 'APPROVE' ? good(`${step}: ${reason}`) : note(`${step}: no: ${reason}`),
  'step.waiting': ({ step, asks, reason, until }) =>
    note(
      `${step}: ${until === undefined ? asksText(asks) : goesOnText(until)}${reason === undefined ? '' : `: ${reason}`}`,
    ),
  'step.answered': ({ step, decision, reason, ...said }) =>
    note(
      `${step}: ${decision === 'APPROVE' ? 'approved' : 'rejected'} by ${signer(said)}${reason === '' ? '' : `: ${reason}`}`,
    ),
  'step.agreed': ({ step, ...said }) => note(`${step}: approved by ${signer(said)}; others have to approve as well`),
  'step.taken': ({ step, by, dir }) => note(`${step}: ${personOf(by)} has it, in ${dir}`),
  'step.dropped': ({ step, by, reason }) =>
    note(`${step}: dropped by ${personOf(by)}${reason === '' ? '' : `: ${reason}`}`),
  'change.measured': ({ step, facts: { file_count, classes } }) =>
    plain(
      `${step}: the change has ${file_count ?? '?'} ${file_count === 1 ? 'file' : 'files'}${classes === null || classes.length === 0 ? '' : ` (${classes.join(', ')})`}`,
    ),
  'finding.dismissed': ({ step, gate, finding, by, reason }) =>
    note(
      `finding ${finding} of ${gate === '' ? step : `gate ${gate}`} dismissed by ${by}${reason === '' ? '' : `: ${reason}`}`,
    ),
  'task.reworked': ({ from, to, reason }) => note(`${from} sends the task back to ${to}: ${reason}`),
  'step.woken': ({ step }) => plain(`${step}: the wait is over`),
  'effect.started': ({ kind }) => plain(`${EFFECTS[kind]} begins`),
  'effect.settled': ({ kind, result }) => plain(`${EFFECTS[kind]}: ${result}`),
  'outcome.refused': ({ kind, reason }) => note(`an outcome came too late and was refused: ${kind}, ${reason}`),
  'step.committed': ({ step, commit, branch }) =>
    good(`${step}: ${commit === null ? 'committed (played)' : `commit ${commit.slice(0, 12)} on ${branch}`}`),
  'task.applying': ({ step, branch }) =>
    plain(step === undefined ? 'all steps are done; the change is committed' : `${step}: commits to ${branch}`),
  'task.closed': ({ status, reason, commit, branch }) => {
    const look = branch === null ? '' : ` on ${branch}; look at it with: git show ${branch}`;
    const where = commit === null ? '' : `, commit ${commit.slice(0, 12)}${look}`;
    return { text: `task ${status}: ${reason}${where}`, tone: status === 'accepted' ? 'good' : 'bad' };
  },
  'task.landing': ({ onto }) => plain(`waits to land on ${onto}`),
  'task.not_landed': ({ onto, reason }) => bad(`not landed on ${onto}: ${reason}`),
  'task.approved': ({ on, ...said }) => good(`${signer(said)} approves that ${on.change_id.slice(0, 12)} lands`),
  'task.based': ({ base }) => plain(`builds on ${base.slice(0, 12)}`),
  'incident.resolved': ({ how, by, notes }) =>
    note(`the incident is resolved by ${by}: ${how}${notes === '' ? '' : `, ${notes}`}`),
  'notice.held': ({ until }) =>
    plain(`a message about it waits for the end of quiet hours, ${new Date(until).toISOString()}`),
  'notice.due': ({ by, asks, ended }) =>
    plain(
      asks.length + ended.length === 0
        ? `quiet hours are over: the message of task ${by} covers it`
        : `quiet hours are over: one message covers ${[...asks, ...ended].join(', ')}`,
    ),
  'notice.dropped': () => plain('no message about it waits any more'),
  'task.given_up': ({ reason }) => note(`given up, will not land${reason === '' ? '' : `: ${reason}`}`),
  'line.queued': ({ line, task, by }) => plain(`${line}: task ${task} joins the landing queue (${by})`),
  'line.integrating': ({ task, head }) =>
    note(`the line has moved to ${head.slice(0, 12)}: the change of ${task} is put on top`),
  'line.split': ({ task, with: others }) =>
    note(`the batch is tried again with ${1 + others.length}: ${[task, ...others].join(', ')}`),
  'line.gating': ({ task, gates, stack = [] }) =>
    plain(
      stack.length === 0
        ? `the integrated change of ${task} is checked: ${gates.join(', ')}`
        : `${stack.length} changes are checked together (${stack.map((one) => one.task).join(', ')}): ${gates.join(', ')}`,
    ),
  'line.gated': ({ gate, status, excused, cached }) => {
    const told = excused > 0 ? redText({ gate, count: excused }) : `${gate}: ${status}`;
    return { text: `integrated: gate ${told}${cached ? ' (cached)' : ''}`, tone: status === 'pass' ? 'good' : 'bad' };
  },
  'line.rechecking': ({ task, on, gates }) =>
    note(
      `${gates.join(', ')}: red, run once more on ${on === 'tip' ? 'the branch without the change' : 'the same tree'} of ${task}`,
    ),
  'line.stopped': ({ head, gates }) =>
    bad(`the branch is red by itself at ${head.slice(0, 12)} (${gates.join(', ')}): nothing lands`),
  'line.started': ({ task, by }) => note(`the landing queue goes on with task ${task} (${by})`),
  'line.moving': ({ task }) => plain(`the branch moves to the integrated change of ${task}`),
  'line.landed': ({ task, commit }) => good(`task ${task} landed: ${commit.slice(0, 12)}`),
  'line.left': ({ task, reason }) => note(`task ${task} leaves the landing queue: ${reason}`),
  'line.wanted': ({ line, task }) => plain(`${line} is looked at for task ${task}`),
  'line.seen': ({ head }) => plain(head === null ? 'there is no such branch' : `the branch is at ${head.slice(0, 12)}`),
  'line.used': ({ task, base }) => plain(`task ${task} builds on ${base.slice(0, 12)}`),
  'task.landed': ({ onto, commit }) => good(`landed on ${onto}: ${commit.slice(0, 12)}`),
  'task.warned': ({ guard }) => note(guardText(guard)),
  'task.base_answered': ({ red_base }) =>
    note(red_base === 'fix' ? 'red tests of the base must be fixed' : 'red tests of the base may stay red'),
  'task.paused': ({ reason }) => note(`task paused${reason === '' ? '' : `: ${reason}`}`),
  'task.resumed': () => note('task resumed'),
  'task.reopened': ({ opens }) => note(`task goes on: ${opens.join(', ') || 'its steps are done'}`),
  'board.configured': ({ limits }) => plain(`limits set: ${limits.slots.total} slots`),
  'board.charged': ({ microusd, task, step, estimated }) =>
    plain(
      `charged ${dollars(microusd)} for ${task}/${step}${estimated === undefined ? '' : ', partly by estimate: its cost is not known'}`,
    ),
  'board.halted': ({ by, reason, now }) =>
    bad(
      `the project is halted by ${by}${now ? ', attempts under way are cut' : ''}${reason === '' ? '' : `: ${reason}`}`,
    ),
  'board.resumed': ({ by }) => good(`the project runs again, by ${by}`),
  'board.pressed': (pressed) => note(`waits for ${pressedText(pressed)}`),
  'board.eased': () => note('enough memory is free again'),
  'breaker.counted': ({ lane }) => note(`a failure counts against ${lane}`),
  'breaker.opened': ({ lane, failures }) => bad(`breaker ${lane} opens after ${failures} failures`),
  'breaker.reset': ({ lane }) => plain(`breaker ${lane} is reset`),
  'goal.set': ({ text }) => plain(`goal: ${text}`),
  'mode.set': ({ mode }) => plain(`mode: ${mode}`),
  'workflow.pinned': ({ definition, hash }) => plain(`workflow ${definition.name} pinned (${hash.slice(0, 12)})`),
  'proposal.made': ({ by, command }) => note(`${by} proposes ${String(command['type'])}`),
  'proposal.decided': ({ accepted, by }) => plain(`proposal ${accepted ? 'accepted' : 'rejected'} by ${by}`),
  'host.charged': ({ microusd, day }) => plain(`charged ${dollars(microusd)} on ${day}`),
  'cli.parked': ({ cli, until, told, why }) => {
    const reset = told ? 'its quota resets then' : 'its quota is used up, then it is tried again';
    return note(
      `${cli} takes no work until ${new Date(until).toISOString()}: ${reset}${why === '' ? '' : ` (${why})`}`,
    );
  },
  'cli.unparked': ({ cli, why }) => good(`${cli} takes work again: ${why}`),
};

export function eventText(event: DomainEvent, numbering: Numbering | null = null): TextLine {
  // The table's type pairs each name with its data; TypeScript does not see that through a lookup.
  const textOf = TEXTS[event.type] as (data: DomainEvent['data'], numbering: Numbering | null) => TextLine;
  return textOf(event.data, numbering);
}

/** The person who signed, else the sender. */
const signer = ({ by, signed }: { readonly by: string; readonly signed?: SignedWord | undefined }): string =>
  signed === undefined ? by : `${signed.as} (signed, handed in by ${by})`;

const RED_GATE = /^gate failed: (.+)$/s;

function endText(outcome: OutcomeClass, reason: string): string {
  if (outcome === 'invalid' && reason !== '') return reason.replace(RED_GATE, '$1 failed');
  return reason === '' ? OUTCOME_TEXT[outcome] : `${OUTCOME_TEXT[outcome]} (${reason})`;
}

const guardNote = (guard: Guard | undefined, reason: string): string =>
  guard === undefined || guardText(guard) === reason ? '' : `; ${guardText(guard)}`;

const ofText = (numbering: Numbering | null): string =>
  numbering === null || numbering.of === null ? '' : ` of ${numbering.of}`;

function followText(next: NextAction, outcome: OutcomeClass, numbering: Numbering | null): string {
  if (next.do === 'complete') return '';
  if (next.do === 'fail') return '; the task ends when its other attempts have ended';
  if (next.do === 'close') return next.status === 'escalated' ? '; a person has to look' : '; the task ends';
  if (outcome === 'quota' && next.at === null) return '; it waits for the quota, or another CLI takes it';
  if (outcome === 'blocked' || outcome === 'waiting_for_input') return '; the step waits for a person';
  if (next.level !== undefined) return `; the step goes on with less: ${next.level}`;
  const attempt = numbering === null ? 'the next attempt' : `attempt ${numbering.attempt}${ofText(numbering)}`;
  if (outcome === 'invalid') return `; ${attempt} is told what failed`;
  return `; ${attempt} ${next.at === null ? 'follows' : `begins at ${clockText(next.at)}`}`;
}
