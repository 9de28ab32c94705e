/** Commands: checks without a worker. */
import type { CommandSpec } from '../command.ts';

export const CHECKS: readonly CommandSpec[] = [
  {
    name: 'check',
    summary: 'run all gates on HEAD, in the sandbox, without a worker',
    args: [],
    flags: {
      gate: { type: 'string', value: 'NAME', many: true, help: 'only this gate; may be given more than once' },
      network: { type: 'boolean', help: 'let the preparation of the environment use the network' },
    },
    notes: 'It shows what a task will meet: gates that are red, or cannot run, before anything was changed.',
    examples: ['supervisor check', 'supervisor check --gate tests --json'],
    load: () => import('../commands/check.ts'),
  },
  {
    name: 'judge',
    summary: 'gates, findings and a verdict on a commit, a range, a branch, or uncommitted changes',
    args: [{ name: 'COMMIT|RANGE|BRANCH', required: false }],
    flags: {
      gate: { type: 'string', value: 'NAME', many: true, help: 'only this gate; may be given more than once' },
      'no-canary': { type: 'boolean', help: 'do not try whether the gates can still fail; it takes half of the time' },
      task: { type: 'string', value: 'TEXT', help: "what the change was asked to do (default: its commits' messages)" },
      'task-file': { type: 'string', value: 'FILE', help: 'read that from a file' },
      onto: { type: 'string', value: 'BRANCH', help: 'what BRANCH is compared with (default: main or master)' },
      review: {
        type: 'string',
        value: 'ROLE,ROLE',
        help: 'have these roles read it too, such as reviewer; a gate that refuses it spares them',
      },
      cli: { type: 'string', value: 'A,B', help: 'with --review: who reads it' },
      network: { type: 'boolean', help: 'let the preparation of the environment use the network' },
      sarif: { type: 'string', value: 'FILE', help: 'write the findings as SARIF 2.1.0' },
      junit: { type: 'string', value: 'FILE', help: 'write gates and findings as JUnit XML' },
      hook: { type: 'string', value: 'claude|codex', help: 'answer as the stop hook of this agent' },
      fix: { type: 'boolean', help: 'if it is rejected, start a task that repairs it' },
      yes: { type: 'boolean', help: 'with --fix: start that task without asking' },
    },
    notes:
      'Without an argument it judges what differs from HEAD, new files included. Nothing of yours is touched and no task is made. Exit code 0: approved, 1: rejected, 4: a person has to look.',
    examples: [
      'supervisor judge',
      'supervisor judge HEAD',
      'supervisor judge main..HEAD --json',
      'supervisor judge feature/cart --sarif findings.sarif',
    ],
    load: () => import('../commands/judge.ts'),
  },
  {
    name: 'gates',
    summary: 'which gates there are, what one runs, and whether each can fail at all',
    args: [
      { name: 'list|show|check', required: false },
      { name: 'NAME', required: false },
    ],
    flags: {
      network: { type: 'boolean', help: 'check: let the preparation of the environment use the network' },
    },
    notes:
      '`check` runs each gate on HEAD up to six times (it must pass), with all sources broken, without its test files, with failing tests planted, and on a planted bad change (it must fail). It names gates that cannot fail.',
    examples: ['supervisor gates', 'supervisor gates show tests', 'supervisor gates check tests'],
    load: () => import('../commands/gates.ts'),
  },
];
