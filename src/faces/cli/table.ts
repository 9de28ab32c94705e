/** All commands there are. Help, completion and parsing read this table; a new command is one entry and one file. */
import type { CommandSpec } from './command.ts';

const TASK = [{ name: 'TASK', required: true }];
const SCRIPT = { type: 'string', value: 'FILE', help: 'what the scripted worker plays, as YAML' } as const;

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'demo',
    summary: 'a whole run on a throw-away repository, offline',
    args: [],
    flags: {},
    examples: ['supervisor demo'],
    load: () => import('./commands/demo.ts'),
  },
  {
    name: 'run',
    summary: 'one task now',
    args: [{ name: 'TEXT', required: true }],
    flags: {
      workflow: { type: 'string', value: 'NAME|FILE', help: 'the steps to go through (default: default)' },
      files: { type: 'string', value: 'A,B', help: 'files the task will change; no other task gets them meanwhile' },
      onto: { type: 'string', value: 'BRANCH', help: 'the branch to build on (default: the current one)' },
      simulate: { type: 'boolean', help: 'play it without a model: no cost, no change' },
      script: SCRIPT,
    },
    notes:
      'This version plays tasks with the scripted worker only: --simulate, or --script FILE. Real workers come with a later version.',
    examples: [
      'supervisor run --simulate "add a health check"',
      'supervisor run --script play.yaml "fix the parser" --json',
    ],
    load: () => import('./commands/run.ts'),
  },
  {
    name: 'resume',
    summary: 'go on with a task that was stopped, failed or escalated',
    args: TASK,
    flags: { script: SCRIPT },
    examples: ['supervisor resume t-abc'],
    load: () => import('./commands/resume.ts'),
  },
  {
    name: 'cancel',
    summary: 'stop a task for good, also while another process works on it',
    args: TASK,
    flags: { reason: { type: 'string', value: 'TEXT', help: 'why, for the record' } },
    examples: ['supervisor cancel t-abc --reason "no longer needed"'],
    load: () => import('./commands/cancel.ts'),
  },
  {
    name: 'status',
    summary: 'what there is and how it stands',
    args: [],
    flags: { all: { type: 'boolean', help: 'closed tasks too, not only the newest' } },
    examples: ['supervisor status', 'supervisor status --json'],
    load: () => import('./commands/status.ts'),
  },
  {
    name: 'show',
    summary: 'one task: its steps, evidence, cost, and what it waits for',
    args: TASK,
    flags: {},
    examples: ['supervisor show t-abc'],
    load: () => import('./commands/show.ts'),
  },
  {
    name: 'log',
    summary: 'every fact, in order',
    args: [{ name: 'TASK', required: false }],
    flags: { follow: { type: 'boolean', help: 'go on with new ones until interrupted' } },
    examples: ['supervisor log', 'supervisor log t-abc --json', 'supervisor log --follow'],
    load: () => import('./commands/log.ts'),
  },
  {
    name: 'verify',
    summary: 'prove that the log is whole and unchanged',
    args: [],
    flags: {
      rebuild: { type: 'boolean', help: 'make the projections anew from the log first' },
      reanchor: { type: 'boolean', help: 'take the log as it is for the truth from now on, also if its end was lost' },
    },
    examples: ['supervisor verify'],
    load: () => import('./commands/verify.ts'),
  },
  {
    name: 'gc',
    summary: 'give back space that nothing needs',
    args: [],
    flags: { 'dry-run': { type: 'boolean', help: 'only say what would go' } },
    examples: ['supervisor gc --dry-run'],
    load: () => import('./commands/gc.ts'),
  },
  {
    name: 'doctor',
    summary: 'what is installed and ready, and how to fix the rest',
    args: [],
    flags: {},
    examples: ['supervisor doctor'],
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'completion',
    summary: 'a completion script for your shell',
    args: [{ name: 'bash|zsh|fish', required: true }],
    flags: {},
    examples: ['supervisor completion bash > /etc/bash_completion.d/supervisor'],
    load: () => import('./commands/completion.ts'),
  },
];
