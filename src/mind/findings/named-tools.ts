/** Whether a task names the tools that changed scripts start. */
import type { TaskWords } from './task-words.ts';

/** Words in most scripts and most tasks. */
const EVERYDAY = new Set(
  'node run npm npx yarn pnpm bun test tests src lib dist build true exit echo all the and'.split(' '),
);

/** A tool that the change adds or removes: "Switch from mocha to vitest" names all scripts that change with it. */
export function namesTools(task: TaskWords, pairs: readonly (readonly [string, string])[]): boolean {
  return pairs.some(([was, is]) => {
    const [old, now] = [toolsIn(was), toolsIn(is)];
    const moved = [...old, ...now].filter((word) => old.has(word) !== now.has(word));
    return moved.some((word) => task.asks(new RegExp(`(?<![\\w-])${word}(?![\\w-])`, 'i')));
  });
}

function toolsIn(command: string): Set<string> {
  const words = command.match(/(?<![\w./@-])-{0,2}[a-z][\w-]{2,40}(?![\w./@-])/gi) ?? [];
  return new Set(words.map((word) => word.replace(/^-+/, '').toLowerCase()).filter((word) => !EVERYDAY.has(word)));
}
