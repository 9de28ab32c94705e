/** Commands: this machine. */
import type { CommandSpec } from '../command.ts';

export const MACHINE: readonly CommandSpec[] = [
  {
    name: 'doctor',
    summary: 'what is installed and ready, and how to fix the rest',
    args: [],
    flags: {
      selftest: {
        type: 'string',
        value: 'CLI',
        help: 'let this CLI do a tiny task, offline, against a stand-in model',
      },
    },
    examples: ['supervisor doctor', 'supervisor doctor --selftest claude'],
    load: () => import('../commands/doctor.ts'),
  },
];
