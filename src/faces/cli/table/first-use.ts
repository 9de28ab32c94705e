/** Commands: first use. */
import type { CommandSpec } from '../command.ts';

export const BEGIN: readonly CommandSpec[] = [
  {
    name: 'demo',
    summary: 'a whole run on a throw-away repository, offline',
    args: [],
    flags: {},
    examples: ['supervisor demo'],
    load: () => import('../commands/demo.ts'),
  },
  {
    name: 'init',
    summary: 'write .supervisor/config.yaml from what is found in this repository',
    args: [],
    flags: { yes: { type: 'boolean', help: 'write it without asking' } },
    notes: 'It reads file names and a few files, and runs nothing. It never overwrites a file.',
    examples: ['supervisor init', 'supervisor init --yes'],
    load: () => import('../commands/init.ts'),
  },
  {
    name: 'trust',
    summary: "accept this repository's .supervisor/, after showing what it asks for",
    args: [],
    flags: { yes: { type: 'boolean', help: 'accept it without asking' } },
    notes: 'Trust covers exactly this content. After any change, nothing runs until you accept it again.',
    examples: ['supervisor trust', 'supervisor trust --yes --json'],
    load: () => import('../commands/trust.ts'),
  },
];
