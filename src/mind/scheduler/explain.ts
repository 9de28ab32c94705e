/** Why a task does not move: what it waits for, in words a person can act on. */
import type { Project } from '../domain/project.ts';
import type { Task } from '../domain/task.ts';
import { laneObstacle, lockObstacle } from './grant.ts';

export function waitsFor(project: Project, task: Task, now: number): string[] {
  if (task.closed !== null) return [];
  if (task.applying !== null) return ['its candidate to be applied'];
  return task.open.map((id) => `${id}: ${stepWaitsFor(project, task, id, now)}`);
}

function stepWaitsFor(project: Project, task: Task, id: Task['open'][number], now: number): string {
  const place = task.steps.get(id)?.place;
  const definition = project.workflows.get(task.workflow)?.steps.get(id);
  if (place === undefined || definition === undefined) return 'nothing known';
  switch (place.at) {
    case 'working':
      return `attempt ${place.attempt.number} by ${place.attempt.cli}`;
    case 'checking': {
      const reported = place.evidence.map((one) => one.gate);
      return `gates ${place.product.gates.filter((gate) => !reported.includes(gate)).join(', ')}`;
    }
    case 'parked':
      return `${new Date(place.until).toISOString()} (after ${place.why})`;
    case 'done':
      return 'nothing';
    case 'ready': {
      const cli = definition.cli[place.cli] ?? 'scripted';
      return lockObstacle(project, task) ?? laneObstacle(project, definition, cli, now) ?? 'its turn';
    }
  }
}
