/** What a stored command asks for, in one line. Another version may have written it, so nothing in it is certain. */
import type { Proposal } from '../domain/proposal.ts';

export function proposalText(command: Proposal['command']): string {
  const { type, task, title, text, mode } = command;
  const of = typeof task === 'string' ? ` ${task}` : '';
  switch (type) {
    case 'task.create':
      return `make a task: ${String(title)}`;
    case 'task.cancel':
      return `cancel task${of}`;
    case 'task.pause':
      return `pause task${of}`;
    case 'task.resume':
      return `go on with task${of}`;
    case 'board.halt':
      return 'halt the project';
    case 'goal.set':
      return `set the goal: ${String(text)}`;
    case 'mode.set':
      return `set the mode to ${String(mode)}`;
    default:
      return `${String(type)}${of}`;
  }
}
