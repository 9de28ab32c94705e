/** Commands: the record: read it, prove it, keep it tidy. */
import type { CommandSpec } from '../command.ts';
import { NEWEST } from './shared.ts';

export const RECORD: readonly CommandSpec[] = [
  {
    name: 'status',
    summary: 'list tasks and their status',
    args: [],
    flags: {
      limit: { type: 'string', short: 'n', value: 'N', help: 'how many tasks are shown (default: 20)' },
      after: { type: 'string', value: 'CURSOR', help: 'start after this cursor, which the page before printed' },
      all: { type: 'boolean', help: 'show every task' },
    },
    notes: 'Tasks at work come first, then queued ones, then those that ended; the newest of each first.',
    examples: ['supervisor status', 'supervisor status -n 100 --json'],
    load: () => import('../commands/status.ts'),
  },
  {
    name: 'show',
    summary: 'one task: its steps, evidence, cost, and what it waits for',
    args: NEWEST,
    flags: {
      evidence: { type: 'boolean', help: 'the full result of each gate' },
      said: { type: 'boolean', help: 'what the workers answered' },
      transcript: { type: 'boolean', help: 'all that the workers printed' },
      packets: { type: 'boolean', help: 'what the workers were told' },
      feedback: { type: 'boolean', help: 'why its last attempt was sent back: the document that the next one gets' },
      records: { type: 'boolean', help: 'what Supervisor saw of each attempt: packet, changed paths, claims' },
      html: { type: 'string', value: 'FILE', help: 'write all of it into one page for a browser' },
    },
    examples: ['supervisor show t-abc', 'supervisor show t-abc --evidence'],
    load: () => import('../commands/show.ts'),
  },
  {
    name: 'diff',
    summary: 'the change of a task',
    args: NEWEST,
    flags: {
      stat: { type: 'boolean', help: 'only file names and line counts' },
      landing: { type: 'boolean', help: 'the change as it would land, while the landing waits for approval' },
    },
    notes: 'For an accepted task: its commit. For others: the newest candidate that still exists.',
    examples: ['supervisor diff', 'supervisor diff t-abc --stat'],
    load: () => import('../commands/diff.ts'),
  },
  {
    name: 'log',
    summary: 'all events, in order',
    args: [{ name: 'TASK', required: false }],
    flags: {
      limit: {
        type: 'string',
        short: 'n',
        value: 'N',
        help: 'only the last N events; with --after, the first N after that number',
      },
      after: { type: 'string', value: 'NUMBER', help: 'only events after this number' },
      follow: { type: 'boolean', help: 'keep printing new events until interrupted' },
    },
    examples: ['supervisor log', 'supervisor log -n 20', 'supervisor log t-abc --json', 'supervisor log --follow'],
    load: () => import('../commands/log.ts'),
  },
  {
    name: 'verify',
    summary: 'check that the log is complete and unchanged, or check an exported evidence file',
    args: [{ name: 'FILE', required: false }],
    flags: {
      signers: { type: 'string', value: 'FILE', help: 'with FILE: allowed signers, as ssh-keygen reads them' },
      rebuild: { type: 'boolean', help: 'rebuild the projections from the log first' },
      reanchor: { type: 'boolean', help: 'accept the log as it is from now on, even if its end was lost' },
    },
    notes: 'FILE is what `supervisor export` wrote; it is checked without the log and without a repository.',
    examples: ['supervisor verify', 'supervisor verify t-1.evidence --signers allowed_signers'],
    load: () => import('../commands/verify.ts'),
  },
  {
    name: 'export',
    summary: 'write the evidence of a task into one file that others can check',
    args: NEWEST,
    flags: {
      out: { type: 'string', value: 'FILE', help: 'the file to write (default: TASK.evidence)' },
      sign: { type: 'string', value: 'KEY', help: 'sign it with this SSH key' },
      as: { type: 'string', value: 'NAME', help: 'your name in files of allowed signers (default: the user name)' },
    },
    notes: 'Events, packets, answers, evidence of gates, the change and the verdict, without secrets.',
    examples: ['supervisor export', 'supervisor export t-1 --sign ~/.ssh/id_ed25519 --as ana@example.com'],
    load: () => import('../commands/export.ts'),
  },
  {
    name: 'gc',
    summary: 'free disk space that nothing needs',
    args: [],
    flags: {
      'dry-run': { type: 'boolean', help: 'only list what would be deleted' },
      all: {
        type: 'boolean',
        help: 'also delete work of failed, rejected and cancelled tasks, and of tasks that are not in the log',
      },
    },
    notes:
      'It deletes pins of accepted tasks (their branches stay), unused environments and old transcripts. It keeps events, and the work of tasks that can be resumed.',
    examples: ['supervisor gc --dry-run'],
    load: () => import('../commands/gc.ts'),
  },
];
