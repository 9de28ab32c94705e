/** People who take steps, give what they made, drop them, and get in each other's way. */
import type { TaskId } from '../../src/kernel/ids.ts';
import type { Project } from '../../src/mind/domain/project.ts';
import type { Task } from '../../src/mind/domain/task.ts';
import type { Said } from './plan.ts';
import { PEOPLE } from './plan-looks.ts';
import type { Random } from './random.ts';

/** Null if there is no task yet. */
export function randomTaking(random: Random, { tasks }: Project): Said | null {
  const held = [...tasks.values()].filter(({ taken }) => taken !== undefined);
  if (held.length > 0 && random.chance(0.85)) return randomHandling(random, random.pick(held));
  // Most of the time somebody takes what does not go on by itself.
  const stopped = [...tasks.values()].filter(
    ({ closed, paused }) => paused === true || /failed|blocked|escalated/.test(closed?.status ?? ''),
  );
  const named = stopped.length > 0 && random.chance(0.7) ? stopped : [...tasks.values()];
  if (named.length === 0) return null;
  const { id } = random.pick(named);
  return {
    actor: `operator:${random.pick(PEOPLE)}`,
    command: { type: 'step.take', task: id, dir: `/home/${random.pick(['shop', 'fix'])}-${id}` },
  };
}

/** Now and then by another person, or about an attempt that was another one's. */
function randomHandling(random: Random, task: Task): Said {
  const { id, taken, steps } = task;
  const actor = random.chance(0.85) ? (taken?.by ?? 'operator') : `operator:${random.pick(PEOPLE)}`;
  const attempts = taken === undefined ? 0 : (steps.get(taken.step)?.attempts ?? 0);
  if (random.chance(0.7))
    return {
      actor,
      command: { type: 'step.give', task: id as TaskId, attempt: attempts + (random.chance(0.9) ? 1 : 0) },
    };
  return {
    actor,
    command: { type: 'step.drop', task: id as TaskId, reason: random.chance(0.5) ? 'somebody else has to' : '' },
  };
}
