/** All open questions to people, each with the change, its checks and the reason. */
import type { Store } from '../engine/ports/store.ts';
import type { ProjectId, TaskId } from '../kernel/ids.ts';
import { neededToLand } from '../mind/approvals/landing-approval.ts';
import { type Question, questionsOf } from '../mind/approvals/question.ts';
import { streamId } from '../mind/domain/stream-name.ts';
import type { Task } from '../mind/domain/task.ts';
import type { Candidate } from '../mind/domain/values.ts';
import type { ApprovalQuestion } from '../mind/screens/approvals.ts';
import { tryGit } from '../os/git/git.ts';
import { ownerOf } from '../os/git/owner.ts';
import type { ProjectAt } from './open-store.ts';
import { viewTask } from './task-view.ts';

const PAGE = 100;

/** Waiting tasks, oldest first, with what each one asks. */
export async function asksOf(
  store: Store,
  project: ProjectAt,
): Promise<{ readonly ask: ApprovalQuestion; readonly question: Question }[]> {
  const found: { ask: ApprovalQuestion; question: Question }[] = [];
  for (const id of await waitingTasks(store, project.id)) {
    const { task, workflow } = await viewTask(store, project.id, id);
    for (const question of questionsOf(task, workflow, Date.now())) {
      const change = question.about?.kind === 'change' ? changeOf(task, question.about.id) : null;
      const { files, diff } = change === null ? NO_CHANGE : await readChange(project, change);
      found.push({ question, ask: askOf(task, question, files, diff) });
    }
  }
  return found;
}

async function waitingTasks(store: Store, project: ProjectId): Promise<TaskId[]> {
  const found: TaskId[] = [];
  let after: Awaited<ReturnType<Store['rows']>>['next'] = null;
  do {
    const page: Awaited<ReturnType<Store['rows']>> = await store.rows(project, {
      kind: 'task',
      asks: true,
      order: 'oldest',
      limit: PAGE,
      after,
    });
    for (const { stream } of page.rows) found.push(streamId(stream) as TaskId);
    after = page.next;
  } while (after !== null);
  return found;
}

function changeOf({ candidate, steps, landingAsk }: Task, id: string): Candidate | null {
  if (landingAsk?.on.change_id === id) return landingAsk.on;
  if (candidate?.change_id === id) return candidate;
  for (const { place } of steps.values()) if (place.at === 'waiting' && place.on?.change_id === id) return place.on;
  return null;
}

function askOf(
  task: Task,
  question: Question,
  files: ApprovalQuestion['files'],
  diff: ApprovalQuestion['diff'],
): ApprovalQuestion {
  const place = task.steps.get(question.step)?.place;
  const asked = place?.at === 'waiting' ? place.needed : undefined;
  const needed = question.asks === 'landing' ? neededToLand(task) : asked;
  const verdict = task.verdict;
  const isAbout = verdict !== undefined && verdict.on.change_id === question.about?.id;
  return {
    task: task.id,
    title: task.title,
    step: question.step,
    text: question.text,
    reason: question.reason,
    level: needed?.level ?? null,
    about: question.about?.id ?? null,
    command: question.asks === 'question' || question.asks === 'finding' ? question.approve : null,
    alone: question.asks !== 'approval' && question.asks !== 'landing',
    files,
    checks: isAbout ? checksOf(verdict) : [],
    diff,
  };
}

function checksOf({ gates, reviews }: NonNullable<Task['verdict']>): ApprovalQuestion['checks'] {
  return [
    ...gates.map(({ gate, status, excused }) => ({
      name: gate,
      good: status === 'pass' && excused === 0,
      text: excused > 0 ? `${excused} red, same as base` : status,
    })),
    ...reviews.map(({ role, cli, said }) => ({
      name: `${role} (${cli})`,
      good: said?.status === 'APPROVED',
      text: said?.status ?? 'no answer',
    })),
  ];
}

const NO_CHANGE = { files: [], diff: [] };
/** The most characters of a diff shown here; `supervisor diff` prints all of it. */
const MAX_DIFF = 400_000;

async function readChange(
  { commonDir }: ProjectAt,
  { base, tree }: Candidate,
): Promise<Pick<ApprovalQuestion, 'files' | 'diff'>> {
  const asked = ['diff-tree', '-r', '--no-ext-diff', '--no-textconv', '--no-renames'];
  const call = { dir: commonDir, owner: ownerOf(commonDir) };
  const [numbers, patch] = await Promise.all([
    tryGit([...asked, '-z', '--numstat', base, tree, '--'], call),
    tryGit([...asked, '--patch', base, tree, '--'], call),
  ]);
  if (numbers.code !== 0 || patch.code !== 0) return NO_CHANGE;
  const files = numbers.stdout.split('\0').flatMap((line) => {
    const [, added = '', removed = '', path] = /^(\S+)\t(\S+)\t([\s\S]+)$/.exec(line) ?? [];
    return path === undefined ? [] : [{ path, added: numberOf(added), removed: numberOf(removed) }];
  });
  const diff = patch.stdout.slice(0, MAX_DIFF).trimEnd().split('\n');
  return {
    files,
    diff: patch.stdout.length > MAX_DIFF ? [...diff, '[…] cut here: `supervisor diff TASK` prints all of it'] : diff,
  };
}

const numberOf = (text: string): number | null => (text === '-' ? null : Number(text));
