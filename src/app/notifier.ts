/** Tells a person that a task has ended; until there are real channels, the application log is the one that always works. */
import type { Hands } from '../engine/ports/hands.ts';
import type { AppLog } from '../engine/ports/surroundings.ts';

export function loggedNotifier(log: AppLog): Hands['notifier'] {
  return {
    async run(effect, work) {
      log('info', 'a task has ended', { task: effect.task, title: work.title, status: work.status });
      return { result: 'written to the application log' };
    },
  };
}
