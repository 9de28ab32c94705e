/** All commands. Help, completion and parsing read this table; a new command is one entry of its group and one file. */
import type { CommandSpec } from './command.ts';
import { CHECKS } from './table/checks.ts';
import { BEGIN } from './table/first-use.ts';
import { MACHINE } from './table/machine.ts';
import { RECORD } from './table/record.ts';
import { TASKS } from './table/tasks.ts';
import { WORK } from './table/work.ts';

/** This command completes the whole table, so it stands beside the table. */
const COMPLETION: CommandSpec = {
  name: 'completion',
  summary: 'a completion script for your shell',
  args: [{ name: 'bash|zsh|fish', required: true }],
  flags: {},
  examples: ['supervisor completion bash > /etc/bash_completion.d/supervisor'],
  load: async () => ({ run: (await import('./commands/completion.ts')).runWith(COMMANDS) }),
};

export const COMMANDS: readonly CommandSpec[] = [
  ...BEGIN,
  ...WORK,
  ...TASKS,
  ...RECORD,
  ...CHECKS,
  ...MACHINE,
  COMPLETION,
];
