/**
 * Decisions about landing. A line works on the first task of its queue: it moves the branch to the task's commit; if
 * the branch has moved, it puts the change on top, runs the gates there, and moves the branch to the result. Each part
 * is one effect and one report.
 */
import { formatDuration } from '../../kernel/duration.ts';
import type { TaskId } from '../../kernel/ids.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { type Rejection, rejected } from '../../kernel/result.ts';
import { askToLand } from '../approvals/landing-approval.ts';
import { actorText, type CommandOf } from '../domain/commands.ts';
import type { Draft } from '../domain/draft.ts';
import { blockingGates, landRefusal } from '../domain/landable.ts';
import { landingMsOf } from '../domain/limits.ts';
import { companionsOf, type LandingPlace, type Line, type Stacked } from '../domain/line.ts';
import { landingDue, landingKey } from '../domain/line-effects.ts';
import { lineStream, taskStream } from '../domain/stream-name.ts';
import type { Task } from '../domain/task.ts';
import type { Candidate } from '../domain/values.ts';
import { isBranchName } from '../fields/branch-name.ts';
import { closeTask } from './decide-close.ts';
import { batchWith, halve } from './landing-batch.ts';
import { leaveQueue, moveBranch, needsApproval } from './line-moves.ts';
import { type LandingOnLine, landingOf, nextToken, unknownTask, workflowOf } from './lookup.ts';

/** If the branch moves this often while a change is put on top, we are too slow for it. */
const MAX_MOVES = 5;

const CODES = { checked_out: 'checked_out', refused: 'not_landed', error: 'not_ready' } as const;

export function landTask(draft: Draft, command: CommandOf<'task.land'>): Rejection | null {
  const task = draft.project.tasks.get(command.task);
  if (task === undefined) return unknownTask(command.task);
  const { unverified, move_checkout, unstable, as, regate } = command;
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
  const ask = askToLand(task, workflowOf(draft, task), task.candidate as Candidate, { now: draft.envelope.at });
  if (ask !== null && !isBeingMoved(draft, task)) {
    const told = needsApproval(task.id, ask);
    const found = landingOf(draft, task);
    if (found === null) draft.emit(taskStream(task.id), { type: 'task.not_landed', data: { onto, ...told } });
    else leaveQueue(draft, task, found, told);
    return null;
  }
  // Asked again, for example after kill -9: the task keeps its place in the queue, and the new options count.
  const by = actorText(draft.envelope.actor);
  const asked = {
    onto,
    unverified,
    move_checkout,
    ...(unstable === true ? { unstable } : {}),
    ...(regate === true ? { regate } : {}),
    ...(as === undefined ? {} : { as }),
  };
  if (landing === undefined || canonicalJson({ ...landing, by }) !== canonicalJson({ ...asked, by }))
    draft.emit(taskStream(task.id), { type: 'task.landing', data: { ...asked, by } });
  const entry = () => ({ task: task.id, token: nextToken(draft, onto), by });
  if (landing === undefined) draft.emit(lineStream(onto), { type: 'line.queued', data: { line: onto, ...entry() } });
  // The person may have repaired the branch, or this task repairs it.
  if (draft.project.lines.get(onto)?.stopped !== undefined)
    draft.emit(lineStream(onto), { type: 'line.started', data: entry() });
  return null;
}

/** Takes a task out of the queue. A branch that is being moved is past the point where stopping makes sense. */
export function withdrawLanding(
  draft: Draft,
  command: Omit<CommandOf<'task.unland'>, 'type'>,
  code: 'interrupted' | 'cancelled' = 'interrupted',
): Rejection | null {
  const task = draft.project.tasks.get(command.task);
  if (task === undefined) return unknownTask(command.task);
  const found = landingOf(draft, task);
  if (found === null) return rejected('not_landing', `task ${task.id} is in no queue`);
  if (isBeingMoved(draft, task)) return rejected('too_late', `${found.line.name} is being moved: wait for it`);
  leaveQueue(draft, task, found, { code, reason: command.reason || 'stopped; nothing was landed' });
  return null;
}

/** The branch is being moved to it, alone or together with others. */
function isBeingMoved(draft: Draft, task: Task): boolean {
  const line = landingOf(draft, task)?.line;
  const first = line?.queue[0]?.task;
  const lead = line !== undefined && companionsOf(line).includes(task.id) ? draft.project.tasks.get(first ?? '') : task;
  return lead?.started.some((key) => key.startsWith('line/')) === true;
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
      return landed(draft, task, found, report);
    case 'moved':
      return integrate(draft, task, found, report.commit ?? '');
    case 'integrated':
      if (report.candidate === null) return rejected('bad_command', 'an integrated change has a candidate');
      return check(draft, task, found, { ...report, candidate: report.candidate });
    case 'conflict': {
      const { since = [], reason } = report;
      const others = landedAs(line, since);
      const told = `${reason.slice(0, MAX_REASON)}${changedBy(others, since)}`;
      leaveQueue(draft, task, found, {
        code: 'conflict',
        reason: told,
        ...(others.length === 0 ? {} : { with: others }),
      });
      return null;
    }
    case 'checked_out':
    case 'refused':
    case 'error':
      leaveQueue(draft, task, found, {
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

function integrate(draft: Draft, task: Task, found: LandingOnLine, head: string): null {
  const { line, landing } = found;
  if (landing.moves >= MAX_MOVES)
    leaveQueue(draft, task, found, {
      code: 'not_landed',
      reason: `${line.name} has moved ${landing.moves} times while the change was put on top: try again when it is quiet`,
    });
  else
    draft.emit(lineStream(line.name), {
      type: 'line.integrating',
      data: { task: task.id, token: nextToken(draft, line.name), head, ...batchWith(draft, line, task) },
    });
  return null;
}

function check(
  draft: Draft,
  task: Task,
  found: LandingOnLine,
  { candidate, tip_tree, since = [], stack: trees = [] }: CommandOf<'line.report'> & { readonly candidate: Candidate },
): null {
  const gates = blockingGates(workflowOf(draft, task));
  const { name } = found.line;
  if (gates.length === 0) moveBranch(draft, task, found, { candidate });
  else {
    const beside = landedAs(found.line, since);
    const ground = { ...(tip_tree === undefined ? {} : { tip_tree }), ...(beside.length === 0 ? {} : { beside }) };
    const entry = { task: task.id, token: nextToken(draft, name) };
    // Where a later change conflicts, the batch ends before it.
    const members = [task.id, ...companionsOf(found.line)];
    const stack = trees.flatMap((one, n) => (members[n] === undefined ? [] : [{ task: members[n], ...one }]));
    const batch = stack.length < 2 ? {} : { stack };
    draft.emit(lineStream(name), { type: 'line.gating', data: { ...entry, candidate, gates, ...ground, ...batch } });
  }
  return null;
}

/** The tasks that landed on the line as these commits. */
function landedAs({ past }: Line, commits: readonly string[]): TaskId[] {
  const wanted = new Set(commits);
  return past.flatMap(({ task, commit }) => (commit !== null && wanted.has(commit) ? [task] : []));
}

const MAX_REASON = 1_500;

/** The changes it conflicts with: tasks if they are known, else the newest commit. */
function changedBy(tasks: readonly TaskId[], [commit]: readonly string[]): string {
  if (tasks.length > 0) return `. Task ${tasks.slice(-5).join(', ')} changed the same`;
  return commit === undefined ? '' : `. Commit ${commit.slice(0, 12)} changed the same`;
}

function landed(
  draft: Draft,
  task: Task,
  found: LandingOnLine,
  { commit: at, commits }: CommandOf<'line.report'>,
): null {
  const { line, landing } = found;
  const { place } = landing;
  if (place.at === 'moving' && place.stack !== undefined && commits !== undefined)
    return landedTogether(draft, line, { ...place, stack: place.stack }, commits);
  const commit = at ?? '';
  const candidate = place.at === 'moving' ? place.candidate : null;
  const change_id = (candidate ?? task.candidate)?.change_id ?? '';
  draft.emit(lineStream(line.name), {
    type: 'line.landed',
    data: { task: task.id, token: landing.token, commit, change_id },
  });
  draft.emit(taskStream(task.id), { type: 'task.landed', data: { onto: line.name, commit } });
  return null;
}

type LandingBatch = Extract<LandingPlace, { at: 'moving' }> & { readonly stack: readonly Stacked[] };

/** Each change of a batch has a commit of its own, on top of the one before. */
function landedTogether(
  draft: Draft,
  line: Line,
  { candidate, evidence, stack }: LandingBatch,
  commits: readonly string[],
): null {
  const tree = stack.at(-1)?.tree ?? '';
  const gates = evidence.flatMap(({ gate, status }) => (status === 'pass' ? [gate] : []));
  for (const [n, { task, ...change }] of stack.entries()) {
    const base = n === 0 ? candidate?.base : commits[n - 1];
    const commit = commits[n];
    const token = line.queue.find((one) => one.task === task)?.token;
    if (base === undefined || commit === undefined || token === undefined) break;
    const { change_id } = change;
    const batch = { candidate: { base, ...change }, tree, gates };
    draft.emit(lineStream(line.name), { type: 'line.landed', data: { task, token, commit, change_id, batch } });
    draft.emit(taskStream(task), { type: 'task.landed', data: { onto: line.name, commit } });
  }
  return null;
}

/** Records the head of a line, for a task that takes its base from there. */
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

/** A step of a landing took too long: the queue goes on, whatever hangs. */
export function landingExpired(draft: Draft, { task: id, token }: CommandOf<'timer.fire'>): Rejection | null {
  const task = draft.project.tasks.get(id);
  const found = task === undefined ? null : landingOf(draft, task);
  const { limits } = draft.project.board;
  const next = found === null ? null : landingDue(found.line, limits);
  if (task === undefined || found === null || next?.landing.token !== token || next.landing.task !== id)
    return rejected('stale_timer', `task ${id} no longer waits for its landing timer`);
  if (draft.envelope.at < next.due) return rejected('stale_timer', `the landing of ${id} has time until ${next.due}`);
  const { place } = next.landing;
  const { at } = place;
  if (halve(draft, found as LandingOnLine)) return null;
  const what = at === 'integrating' ? 'putting the change on top' : 'its gates on the integrated tree';
  leaveQueue(draft, task, found, {
    code: 'expired',
    reason: `${what} did not end within ${formatDuration(landingMsOf(limits))} (limits.landing); nothing was landed`,
  });
  return null;
}
