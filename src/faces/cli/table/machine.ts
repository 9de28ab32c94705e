/** Commands: this machine. */
import type { CommandSpec } from '../command.ts';
import { LIMIT } from './shared.ts';

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
  {
    name: 'limits',
    summary: 'all limits with their units, and the file and line that sets each',
    args: [],
    flags: { limit: LIMIT },
    notes:
      'Limits are written under `limits:` of a config, or in a limits.yaml beside it. A project can only tighten what you set.',
    examples: ['supervisor limits', 'supervisor limits --json', 'supervisor limits --limit attempts=1'],
    load: () => import('../commands/limits.ts'),
  },
];
