/** Why a task does not move, in words a person can act on. */
import { personOf } from '../approvals/people.ts';
import { questionLine, questionOf } from '../approvals/question.ts';
import { withPersonText } from '../approvals/taken-text.ts';
import type { Project } from '../domain/project.ts';
import { isWithPerson, type Task } from '../domain/task.ts';
import { taskStep } from '../domain/task-step.ts';
import { OUTCOME_TEXT } from '../protocol/outcome-text.ts';
import { clockText } from '../protocol/quota-text.ts';
import { budgetObstacle } from '../safeguards/budget.ts';
import { pickCli } from './chain.ts';
import { laneObstacle, lineObstacle, lockObstacle } from './grant.ts';

export function waitsFor(project: Project, task: Task, now: number): string[] {
  if (task.closed !== null) return [];
  if (task.applying !== null) return ['its candidate to be applied'];
  if (task.paused) return [waitsForResume(task.id)];
  return task.open.map((id) => `${id}: ${stepWaitsFor(project, task, id, now)}`);
}

/** Why nothing starts in a halted project. */
const HALTED = '`supervisor resume`: the project is halted';

export const waitsForResume = (task: string): string => `\`supervisor resume ${task}\`: it is paused`;

/** The same for people, times, quotas and breakers only: what can be said without the other tasks. */
export function waitsForClis(project: Project, task: Task, now: number): string[] {
  if (task.closed !== null || task.applying !== null || task.paused) return [];
  return task.open.flatMap((id) => {
    const place = task.steps.get(id)?.place;
    const definition = taskStep(project, task, id);
    if (place === undefined || definition === undefined) return [];
    if (task.taken !== undefined && isWithPerson(task, id)) return [`${id}: ${withPersonText(task.id, task.taken)}`];
    if (place.at === 'parked' || place.at === 'waiting') return [`${id}: ${stepWaitsFor(project, task, id, now)}`];
    if (place.at !== 'ready' || place.awaits !== undefined) return [];
    if (project.board.halted !== undefined) return [`${id}: ${HALTED}`];
    const picked = pickCli(project, definition, place.cli, task.spec, now);
    return picked.type === 'wait' ? [`${id}: ${picked.why}`] : [];
  });
}

function stepWaitsFor(project: Project, task: Task, id: Task['open'][number], now: number): string {
  const place = task.steps.get(id)?.place;
  const definition = taskStep(project, task, id);
  if (place === undefined || definition === undefined) return 'nothing known';
  if (task.taken !== undefined && isWithPerson(task, id)) return withPersonText(task.id, task.taken);
  switch (place.at) {
    case 'working':
      return `attempt ${place.attempt.number} by ${place.attempt.given === undefined ? place.attempt.cli : personOf(place.attempt.given.by)}`;
    case 'checking': {
      const reported = place.evidence.map((one) => one.gate);
      return `gates ${place.product.gates.filter((gate) => !reported.includes(gate)).join(', ')}`;
    }
    case 'parked':
      return `the next attempt at ${clockText(place.until)}, after: ${OUTCOME_TEXT[place.why]}`;
    case 'waiting':
      return questionLine(questionOf(task, definition, place, now));
    case 'applying':
      return 'its candidate to be applied';
    case 'done':
    case 'void':
      return 'nothing';
    case 'ready': {
      if (place.awaits !== undefined) return `the answers of ${place.awaits.join(', ')}`;
      if (project.board.halted !== undefined) return HALTED;
      const lock = lockObstacle(project, task) ?? lineObstacle(project, task);
      if (lock !== null) return lock;
      const picked = pickCli(project, definition, place.cli, task.spec, now);
      if (picked.type === 'wait') return picked.why;
      const lane = laneObstacle(project, { cli: picked.cli, spec: task.spec });
      return lane ?? budgetObstacle(project, task, definition, now)?.why ?? 'its turn';
    }
  }
}
