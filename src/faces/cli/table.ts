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
    name: 'init',
    summary: 'write a .supervisor/config.yaml for this repository, from what is found in it',
    args: [],
    flags: { yes: { type: 'boolean', help: 'write it without asking' } },
    notes: 'It reads file names and a few files, and runs nothing. What is there already is never overwritten.',
    examples: ['supervisor init', 'supervisor init --yes'],
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'trust',
    summary: "accept this repository's .supervisor/, after showing what it asks for",
    args: [],
    flags: { yes: { type: 'boolean', help: 'accept it without asking' } },
    notes: 'Only this very content is accepted. When it changes, nothing runs until it is accepted again.',
    examples: ['supervisor trust', 'supervisor trust --yes --json'],
    load: () => import('./commands/trust.ts'),
  },
  {
    name: 'run',
    summary: 'one task now: a worker in a sandbox, checked by your gates, committed on a branch of its own',
    args: [{ name: 'TEXT', required: true }],
    flags: {
      cli: {
        type: 'string',
        value: 'A,B',
        help: 'who does it, and the fail-overs (default: default_cli of the config)',
      },
      role: { type: 'string', value: 'ROLE', help: 'who it is done as (`supervisor roles list` shows them)' },
      gate: {
        type: 'string',
        value: 'NAME[=COMMAND]',
        many: true,
        help: 'check with this gate only, or with this command; may be given more than once',
      },
      'no-gates': { type: 'boolean', help: 'accept it unchecked (verified: false); it never lands by itself' },
      files: {
        type: 'string',
        value: 'A,B',
        help: 'the only files it may change (new tests are free); no other task gets them meanwhile',
      },
      allow: {
        type: 'string',
        value: 'A,B',
        help: 'protected paths (tests, gate configuration, CI …) it may change all the same',
      },
      onto: { type: 'string', value: 'BRANCH', help: 'the branch to build on (default: the current one)' },
      workflow: { type: 'string', value: 'NAME|FILE', help: 'the steps to go through (default: default)' },
      script: { ...SCRIPT, help: 'let the scripted worker do what this file says' },
      simulate: { type: 'boolean', help: 'play it: no process, no cost, no change' },
      network: { type: 'boolean', help: 'let the preparation of the environment use the network' },
      'unsafe-no-sandbox': { type: 'boolean', help: 'run without a sandbox: the worker can do all that you can' },
    },
    examples: [
      'supervisor run "fix the parser"',
      'supervisor run "fix the parser" --cli codex,claude',
      'supervisor run "fix the parser" --gate tests="npm test" --files src/parser.js',
      'supervisor run --simulate "add a health check"',
    ],
    load: () => import('./commands/run.ts'),
  },
  {
    name: 'roles',
    summary: 'who a worker can be: list them, show one, check a file, explain where each value comes from',
    args: [
      { name: 'list|show|validate|explain', required: false },
      { name: 'NAME|FILE', required: false },
    ],
    flags: {},
    notes:
      'Roles are YAML files: of the project (.supervisor/roles/), your own (~/.supervisor/roles/) and built in. The nearest of a name counts. `validate` without a file checks all of them.',
    examples: [
      'supervisor roles',
      'supervisor roles show reviewer',
      'supervisor roles explain ui_designer',
      'supervisor roles validate .supervisor/roles/trader.yaml',
    ],
    load: () => import('./commands/roles.ts'),
  },
  {
    name: 'pack',
    summary: 'exactly what a role would be sent for a task, with token counts',
    args: [{ name: 'TASK', required: false }],
    flags: {
      role: { type: 'string', value: 'ROLE', help: 'who is asked (default: implementer)' },
      files: { type: 'string', value: 'A,B', help: 'the files the task is about' },
      strategy: { type: 'string', value: 'NAME', help: "choose context this way, instead of the role's" },
      compare: { type: 'string', value: 'NAME', help: 'and by this strategy, side by side' },
      cli: { type: 'string', value: 'CLI', help: 'whose way of counting tokens is meant' },
      onto: { type: 'string', value: 'BRANCH', help: 'the branch to build on (default: the current one)' },
    },
    notes:
      'TASK is the text of a task, or the id of one that was made. The packet goes to stdout, what is said about it to stderr.',
    examples: [
      'supervisor pack "fix the parser" --files src/parser.js > packet.md',
      'supervisor pack "fix the parser" --role reviewer --json',
      'supervisor pack "fix the parser" --strategy implementer_targeted --compare explore',
    ],
    load: () => import('./commands/pack.ts'),
  },
  {
    name: 'resume',
    summary: 'go on with a task that was stopped, failed or escalated',
    args: TASK,
    flags: {
      script: {
        ...SCRIPT,
        help: 'let the scripted worker do what this file says, instead of what the task was made with',
      },
      network: { type: 'boolean', help: 'let the preparation of the environment use the network' },
    },
    examples: ['supervisor resume t-abc'],
    load: () => import('./commands/resume.ts'),
  },
  {
    name: 'land',
    summary: 'move a branch to the commit of an accepted task',
    args: TASK,
    flags: {
      onto: { type: 'string', value: 'BRANCH', help: 'the branch to move (default: the one the task was built on)' },
      unverified: { type: 'boolean', help: 'land it though no gate checked it' },
    },
    notes: 'A branch that is checked out is not moved: the command that does it is printed instead.',
    examples: ['supervisor land t-abc', 'supervisor land t-abc --onto main'],
    load: () => import('./commands/land.ts'),
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
    name: 'reset',
    summary: 'let a CLI work again that was parked by a quota or stopped by its breaker',
    args: [{ name: 'CLI', required: true }],
    flags: {},
    examples: ['supervisor reset claude', 'supervisor reset implementer/codex'],
    load: () => import('./commands/reset.ts'),
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
    flags: {
      evidence: { type: 'boolean', help: 'what each gate found, whole' },
      said: { type: 'boolean', help: 'what the workers answered' },
      transcript: { type: 'boolean', help: 'all that the workers printed' },
      packets: { type: 'boolean', help: 'what the workers were told' },
      records: { type: 'boolean', help: 'what Supervisor saw of each attempt: packet, changed paths, claims' },
    },
    examples: ['supervisor show t-abc', 'supervisor show t-abc --evidence'],
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
    flags: {
      'dry-run': { type: 'boolean', help: 'only say what would go' },
      all: { type: 'boolean', help: 'also what failed, rejected and cancelled tasks have made' },
    },
    notes:
      'Candidates of accepted tasks lose their pins (the branch stays), unused environments and old transcripts go. Facts, and work of tasks that can be resumed, are kept.',
    examples: ['supervisor gc --dry-run'],
    load: () => import('./commands/gc.ts'),
  },
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
