/** Commands: the record: read it, prove it, keep it tidy. */
import type { CommandSpec } from '../command.ts';
import { NEWEST } from './shared.ts';

export const RECORD: readonly CommandSpec[] = [
  {
    name: 'status',
    summary: 'what there is and how it stands',
    args: [],
    flags: {
      limit: { type: 'string', short: 'n', value: 'N', help: 'how many tasks are shown (default: 20)' },
      after: { type: 'string', value: 'CURSOR', help: 'go on where the page before ended' },
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
      evidence: { type: 'boolean', help: 'what each gate found, whole' },
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
    summary: 'what a task has changed',
    args: NEWEST,
    flags: {
      stat: { type: 'boolean', help: 'only which files, and how many lines' },
      landing: { type: 'boolean', help: 'as it would land on the branch, when people are asked about that' },
    },
    notes: 'Of an accepted task its commit; of any other its newest candidate that is still kept.',
    examples: ['supervisor diff', 'supervisor diff t-abc --stat'],
    load: () => import('../commands/diff.ts'),
  },
  {
    name: 'log',
    summary: 'every fact, in order',
    args: [{ name: 'TASK', required: false }],
    flags: {
      limit: {
        type: 'string',
        short: 'n',
        value: 'N',
        help: 'only the last N facts; with --after, the first N behind it',
      },
      after: { type: 'string', value: 'NUMBER', help: 'only facts behind this one' },
      follow: { type: 'boolean', help: 'go on with new ones until interrupted' },
    },
    examples: ['supervisor log', 'supervisor log -n 20', 'supervisor log t-abc --json', 'supervisor log --follow'],
    load: () => import('../commands/log.ts'),
  },
  {
    name: 'verify',
    summary: 'prove that the log is whole and unchanged, or check evidence that was exported',
    args: [{ name: 'FILE', required: false }],
    flags: {
      signers: { type: 'string', value: 'FILE', help: 'with FILE: allowed signers, as ssh-keygen reads them' },
      rebuild: { type: 'boolean', help: 'make the projections anew from the log first' },
      reanchor: { type: 'boolean', help: 'take the log as it is for the truth from now on, also if its end was lost' },
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
      out: { type: 'string', value: 'FILE', help: 'where to (default: TASK.evidence)' },
      sign: { type: 'string', value: 'KEY', help: 'sign it with this SSH key' },
      as: { type: 'string', value: 'NAME', help: 'your name in files of allowed signers (default: the user name)' },
    },
    notes: 'Events, packets, answers, evidence of gates, the change and the verdict, without secrets.',
    examples: ['supervisor export', 'supervisor export t-1 --sign ~/.ssh/id_ed25519 --as ana@example.com'],
    load: () => import('../commands/export.ts'),
  },
  {
    name: 'gc',
    summary: 'give back space that nothing needs',
    args: [],
    flags: {
      'dry-run': { type: 'boolean', help: 'only say what would go' },
      all: {
        type: 'boolean',
        help: 'also what failed, rejected and cancelled tasks have made, and tasks that the log does not know',
      },
    },
    notes:
      'Candidates of accepted tasks lose their pins (the branch stays), unused environments and old transcripts go. Facts, and work of tasks that can be resumed, are kept.',
    examples: ['supervisor gc --dry-run'],
    load: () => import('../commands/gc.ts'),
  },
];
