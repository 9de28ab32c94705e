/**
 * Decisions about landing. A line works on the first task of its queue: move the branch to the task's commit; if the branch
 * has moved, put the change on top, run the gates there, and move it to that. Each step is one effect and one report.
 */
import type { TaskId } from '../../kernel/ids.ts';
import { type Rejection, rejected } from '../../kernel/result.ts';
import { actorText, type CommandOf } from '../domain/commands.ts';
import type { Draft } from '../domain/draft.ts';
import { landingKey } from '../domain/effects.ts';
import { blockingGates, LOOK_AT_LINE, landRefusal, redRefusal } from '../domain/landable.ts';
import type { Landing, LandingPlace, Line } from '../domain/line.ts';
import { lineStream, taskStream } from '../domain/stream-name.ts';
import { type Evidence, redGates, type Task } from '../domain/task.ts';
import { isBranchName } from '../fields/branch-name.ts';
import { closeTask } from './decide-close.ts';
import { isJudged } from './decide-outcome.ts';
import { unknownTask, workflowOf } from './lookup.ts';

/** A branch that moves so often while a change is put on top is busier than we are fast. */
const MAX_MOVES = 5;

const CODES = { conflict: 'conflict', checked_out: 'checked_out', refused: 'not_landed', error: 'not_ready' } as const;

export function landTask(draft: Draft, command: CommandOf<'task.land'>): Rejection | null {
  const task = draft.project.tasks.get(command.task);
  if (task === undefined) return unknownTask(command.task);
  const { unverified, move_checkout } = command;
  const refusal = landRefusal(task, workflowOf(draft, task), { unverified });
  if (refusal !== null) return refusal;
  const onto = command.onto ?? task.onto;
  if (onto === 'HEAD')
    return rejected('no_line', 'the task was made on a detached HEAD: name a branch with --onto BRANCH');
  if (!isBranchName(onto))
    return rejected('bad_branch', `${JSON.stringify(onto)} is no name for a branch: see \`git help check-ref-format\``);
  const { landing } = task;
  if (landing !== undefined && landing.onto !== onto)
    return rejected('landing', `task ${task.id} is in the queue of ${landing.onto}: wait until it has landed there`);
  // Asked again, such as after kill -9: it has its place in the queue, and what is asked now counts.
  const by = actorText(draft.envelope.actor);
  if (landing === undefined || landing.unverified !== unverified || landing.move_checkout !== move_checkout)
    draft.emit(taskStream(task.id), { type: 'task.landing', data: { onto, unverified, move_checkout, by } });
  if (landing !== undefined) return null;
  draft.emit(lineStream(onto), {
    type: 'line.queued',
    data: { line: onto, task: task.id, token: nextToken(draft, onto), by },
  });
  return null;
}

/** Takes a task out of the queue. A branch that is being moved is past the point where stopping makes sense. */
export function withdrawLanding(draft: Draft, command: CommandOf<'task.unland'>): Rejection | null {
  const task = draft.project.tasks.get(command.task);
  if (task === undefined) return unknownTask(command.task);
  const found = landingOf(draft, task);
  if (found === null) return rejected('not_landing', `task ${task.id} is in no queue`);
  if (task.started.some((key) => key.startsWith('line/')))
    return rejected('too_late', `${found.line.name} is being moved: wait for it`);
  leave(draft, task, found, { code: 'interrupted', reason: command.reason || 'stopped; nothing was landed' });
  return null;
}

export function reportLine(draft: Draft, report: CommandOf<'line.report'>): Rejection | null {
  const task = draft.project.tasks.get(report.task);
  if (report.kind === 'line.read') return seen(draft, report);
  const found = task === undefined ? null : landingOf(draft, task);
  if (task === undefined || found === null || found.landing.token !== report.token)
    return rejected('duplicate_outcome', `task ${report.task} does not wait for this report of its landing`);
  const { line, landing } = found;
  if (report.kind === 'line.move') {
    if (landing.place.at !== 'moving') return rejected('duplicate_outcome', `${line.name} was moved already`);
    const key = landingKey(line, landing, 'line.move');
    const { kind, token } = report;
    if (task.started.includes(key))
      draft.emit(taskStream(task.id), { type: 'effect.settled', data: { key, kind, token, result: report.status } });
  } else if (landing.place.at !== 'integrating')
    return rejected('duplicate_outcome', `task ${task.id} was put on top already`);
  switch (report.status) {
    case 'landed':
      return landed(draft, task, found, report.commit ?? '');
    case 'moved':
      return integrate(draft, task, found, report.commit ?? '');
    case 'integrated':
      if (report.candidate === null) return rejected('bad_command', 'an integrated change has a candidate');
      return check(draft, task, found, report.candidate);
    case 'conflict':
    case 'checked_out':
    case 'refused':
    case 'error':
      leave(draft, task, found, {
        code: CODES[report.status],
        reason: report.reason,
        ...(report.path === null ? {} : { path: report.path }),
      });
      return null;
    case 'seen':
      return rejected('bad_command', 'only a look at a branch is reported as seen');
    default:
      return report.status satisfies never;
  }
}

export function reportLandingGate(draft: Draft, report: CommandOf<'gate.report'>): Rejection | null {
  const task = draft.project.tasks.get(report.task);
  const found = task === undefined ? null : landingOf(draft, task);
  const place = found?.landing.place;
  if (task === undefined || found === null || place?.at !== 'gating' || found.landing.token !== report.token)
    return rejected('duplicate_outcome', `task ${report.task} does not wait for gate ${report.gate} of its landing`);
  if (!place.gates.includes(report.gate) || place.evidence.some((one) => one.gate === report.gate))
    return rejected('duplicate_outcome', `gate ${report.gate} of ${task.id} has reported or was not asked`);
  const { type: _, step: __, ...told } = report;
  const data = { ...told, excused: told.status === 'pass' ? told.excused : 0 };
  draft.emit(lineStream(found.line.name), { type: 'line.gated', data });
  const reports = [...place.evidence, data];
  const workflow = workflowOf(draft, task);
  const stages = new Map([...workflow.steps.values()].flatMap((step) => [...step.stages]));
  if (isJudged({ stages, advisory: new Set() }, place.gates, reports)) judge(draft, task, found, place, reports);
  return null;
}

function judge(
  draft: Draft,
  task: Task,
  found: Found,
  { candidate }: Extract<LandingPlace, { at: 'gating' }>,
  reports: readonly Evidence[],
): void {
  const failed = reports.find(({ status }) => status !== 'pass');
  const refusal =
    failed === undefined
      ? redRefusal(task, {
          unverified: task.landing?.unverified === true,
          red: redGates(reports),
          look: LOOK_AT_LINE,
        })
      : rejected('gate_failed', `gate ${failed.gate}: ${failed.status} on the integrated tree; nothing was landed`);
  if (refusal === null) move(draft, task, found, candidate);
  else leave(draft, task, found, { code: refusal.code, reason: refusal.message });
}

function integrate(draft: Draft, task: Task, found: Found, head: string): null {
  const { line, landing } = found;
  if (landing.moves >= MAX_MOVES)
    leave(draft, task, found, {
      code: 'not_landed',
      reason: `${line.name} has moved ${landing.moves} times while the change was put on top: try again when it is quiet`,
    });
  else
    draft.emit(lineStream(line.name), {
      type: 'line.integrating',
      data: { task: task.id, token: nextToken(draft, line.name), head },
    });
  return null;
}

function check(draft: Draft, task: Task, found: Found, candidate: NonNullable<Task['candidate']>): null {
  const gates = blockingGates(workflowOf(draft, task));
  const { name } = found.line;
  if (gates.length === 0) move(draft, task, found, candidate);
  else
    draft.emit(lineStream(name), {
      type: 'line.gating',
      data: { task: task.id, token: nextToken(draft, name), candidate, gates },
    });
  return null;
}

function move(draft: Draft, task: Task, { line }: Found, candidate: NonNullable<Task['candidate']>): void {
  draft.emit(lineStream(line.name), {
    type: 'line.moving',
    data: { task: task.id, token: nextToken(draft, line.name), candidate },
  });
}

function landed(draft: Draft, task: Task, { line, landing }: Found, commit: string): null {
  const { place } = landing;
  const candidate = place.at === 'moving' ? place.candidate : null;
  const change_id = (candidate ?? task.candidate)?.change_id ?? '';
  draft.emit(lineStream(line.name), {
    type: 'line.landed',
    data: { task: task.id, token: landing.token, commit, change_id },
  });
  draft.emit(taskStream(task.id), { type: 'task.landed', data: { onto: line.name, commit } });
  return null;
}

function leave(
  draft: Draft,
  task: Task,
  { line, landing }: Found,
  why: { readonly code: string; readonly reason: string; readonly path?: string },
): void {
  const { code, reason } = why;
  draft.emit(lineStream(line.name), {
    type: 'line.left',
    data: { task: task.id, token: landing.token, code, reason },
  });
  draft.emit(taskStream(task.id), { type: 'task.not_landed', data: { onto: line.name, ...why } });
}

/** The head of a line, for a task that takes its base from there. */
function seen(draft: Draft, { task, token, commit, reason }: CommandOf<'line.report'>): Rejection | null {
  const line = [...draft.project.lines.values()].find(
    ({ look, token: at }) => look.state === 'wanted' && look.by === task && at === token,
  );
  if (line === undefined) return rejected('duplicate_outcome', `no line waits for a look by task ${task}`);
  draft.emit(lineStream(line.name), { type: 'line.seen', data: { token, head: commit } });
  if (commit === null)
    closeTask(draft, task, {
      status: 'blocked',
      reason: reason || `there is no branch ${line.name} to build on: create it, then \`supervisor resume ${task}\``,
    });
  return null;
}

type Found = { readonly line: Line; readonly landing: Landing };

function landingOf(draft: Draft, { id, landing: at }: Pick<Task, 'id' | 'landing'>): Found | null {
  const line = at === undefined ? undefined : draft.project.lines.get(at.onto);
  const landing = line?.queue.find(({ task }: { task: TaskId }) => task === id);
  return line === undefined || landing === undefined ? null : { line, landing };
}

const nextToken = (draft: Draft, line: string): number => (draft.project.lines.get(line)?.token ?? 0) + 1;
