/** Commands: what people do with a task. */
import type { CommandSpec } from '../command.ts';
import { NEWEST, SCRIPT, TASK } from './shared.ts';

export const TASKS: readonly CommandSpec[] = [
  {
    name: 'resume',
    summary: 'go on with a task that was paused, stopped, failed or escalated',
    args: TASK,
    flags: {
      script: {
        ...SCRIPT,
        help: 'let the scripted worker do what this file says, instead of what the task was made with',
      },
      say: { type: 'string', value: 'TEXT', help: 'answer what the worker asked, or add to the task' },
      allow: { type: 'string', value: 'A,B', help: 'further protected paths that the task may change' },
      cli: { type: 'string', value: 'A,B', help: 'who goes on with it, instead of who was chosen before' },
      network: { type: 'boolean', help: 'let the preparation of the environment use the network' },
    },
    notes: '--fix-base and --keep-red are fixed when the task is made; `land --unverified` lands one that stayed red.',
    examples: [
      'supervisor resume t-abc',
      'supervisor resume t-abc --say "use the second way"',
      'supervisor resume t-abc --allow test/parser.test.js --cli codex',
    ],
    load: () => import('../commands/resume.ts'),
  },
  {
    name: 'land',
    summary: 'move a branch to the commit of an accepted task',
    args: NEWEST,
    flags: {
      onto: { type: 'string', value: 'BRANCH', help: 'the branch to move (default: the one the task was built on)' },
      yes: { type: 'boolean', help: 'move a clean checkout of the branch too, without asking' },
      unverified: { type: 'boolean', help: 'land it though no gate checked it, or tests are red as at its base' },
    },
    notes:
      'A clean checkout of the branch moves with it, after a question or with --yes; one with changes is not touched.',
    examples: ['supervisor land t-abc', 'supervisor land t-abc --onto main'],
    load: () => import('../commands/land.ts'),
  },
  {
    name: 'attach',
    summary: 'watch a task that another process works on',
    args: [{ name: 'TASK', required: false }],
    flags: {},
    notes: 'Without TASK: the newest unfinished one. Ctrl-C leaves the view; the task goes on.',
    examples: ['supervisor attach', 'supervisor attach t-abc'],
    load: () => import('../commands/attach.ts'),
  },
  {
    name: 'pause',
    summary: 'stop a task until it is resumed, also while another process works on it',
    args: TASK,
    flags: { reason: { type: 'string', value: 'TEXT', help: 'why, for the record' } },
    notes: 'An attempt under way is cut; after `supervisor resume` it starts again, and costs again.',
    examples: ['supervisor pause t-abc'],
    load: () => import('../commands/pause.ts'),
  },
  {
    name: 'cancel',
    summary: 'stop a task for good, also while another process works on it',
    args: TASK,
    flags: { reason: { type: 'string', value: 'TEXT', help: 'why, for the record' } },
    examples: ['supervisor cancel t-abc --reason "no longer needed"'],
    load: () => import('../commands/cancel.ts'),
  },
  {
    name: 'reset',
    summary: 'let a CLI work again that was parked by a quota or stopped by its breaker',
    args: [{ name: 'CLI', required: true }],
    flags: {},
    examples: ['supervisor reset claude', 'supervisor reset implementer/codex'],
    load: () => import('../commands/reset.ts'),
  },
];
