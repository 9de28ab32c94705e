/** Commands: checks without a worker. */
import type { CommandSpec } from '../command.ts';

export const CHECKS: readonly CommandSpec[] = [
  {
    name: 'check',
    summary: 'run all gates on HEAD, in the sandbox, without a worker',
    args: [],
    flags: {
      gate: { type: 'string', value: 'NAME', many: true, help: 'only this gate; may be given more than once' },
      network: { type: 'boolean', help: 'allow the network while the environment is prepared' },
    },
    notes: 'It shows which gates are red or cannot run before any change.',
    examples: ['supervisor check', 'supervisor check --gate tests --json'],
    load: () => import('../commands/check.ts'),
  },
  {
    name: 'judge',
    summary: 'gates, findings and a verdict on a commit, a range, a branch, or uncommitted changes',
    args: [{ name: 'COMMIT|RANGE|BRANCH', required: false }],
    flags: {
      gate: { type: 'string', value: 'NAME', many: true, help: 'only this gate; may be given more than once' },
      'no-canary': {
        type: 'boolean',
        help: 'skip the canaries, which test that gates can still fail; saves about half of the time',
      },
      task: { type: 'string', value: 'TEXT', help: 'what the change should do (default: its commit messages)' },
      'task-file': { type: 'string', value: 'FILE', help: 'read the text of --task from a file' },
      onto: { type: 'string', value: 'BRANCH', help: 'the branch to compare BRANCH with (default: main or master)' },
      review: {
        type: 'string',
        value: 'ROLE,ROLE',
        help: 'also have these roles review it, such as reviewer; skipped if a gate rejects it',
      },
      cli: { type: 'string', value: 'A,B', help: 'with --review: the CLIs that review it' },
      network: { type: 'boolean', help: 'allow the network while the environment is prepared' },
      sarif: { type: 'string', value: 'FILE', help: 'write the findings as SARIF 2.1.0' },
      junit: { type: 'string', value: 'FILE', help: 'write gates and findings as JUnit XML' },
      hook: { type: 'string', value: 'claude|codex', help: 'answer as the stop hook of this agent' },
      fix: { type: 'boolean', help: 'if it is rejected, start a task that repairs it' },
      yes: { type: 'boolean', help: 'with --fix: start that task without asking' },
    },
    notes:
      'Without an argument it judges uncommitted changes, new files included. It changes nothing and creates no task. Exit code 0: approved, 1: rejected, 4: a person must look.',
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
    summary: 'list gates, show one, or check that each of them can fail',
    args: [
      { name: 'list|show|check', required: false },
      { name: 'NAME', required: false },
    ],
    flags: {
      network: { type: 'boolean', help: 'check: allow the network while the environment is prepared' },
    },
    notes:
      '`check` runs each gate on HEAD up to six times (it must pass), with all sources broken, without its test files, with failing tests planted, and on a planted bad change (it must fail). It names gates that cannot fail.',
    examples: ['supervisor gates', 'supervisor gates show tests', 'supervisor gates check tests'],
    load: () => import('../commands/gates.ts'),
  },
];
