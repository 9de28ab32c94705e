/** Commands that start work and configure it. */
import type { CommandSpec } from '../command.ts';
import { LIMIT, SCRIPT } from './shared.ts';

export const WORK: readonly CommandSpec[] = [
  {
    name: 'run',
    summary: 'do one task now: a worker in a sandbox, checked by your gates, committed to its own branch',
    args: [{ name: 'TEXT', required: false }],
    flags: {
      file: { type: 'string', value: 'PATH', help: 'read the task from this file' },
      cli: {
        type: 'string',
        value: 'A,B',
        help: 'the CLI to use, and fail-overs (default: default_cli of the config)',
      },
      role: { type: 'string', value: 'ROLE', help: 'the role of the worker (`supervisor roles list` shows them)' },
      gate: {
        type: 'string',
        value: 'NAME[=COMMAND]',
        many: true,
        help: 'the only gate of the project to run, or a command; gates of roles run too; may be given more than once',
      },
      'no-gates': { type: 'boolean', help: 'accept it unchecked (verified: false); it never lands by itself' },
      'fix-base': { type: 'boolean', help: 'tests that fail at the base must pass in the end: none is excused' },
      'keep-red': {
        type: 'boolean',
        help: 'tests that fail at the base may stay red; this is recorded, and `land` needs no further flag',
      },
      files: {
        type: 'string',
        value: 'A,B',
        help: 'the only files it may change (new tests are allowed); no other task may change them meanwhile',
      },
      allow: {
        type: 'string',
        value: 'A,B',
        help: 'protected paths (tests, gate configuration, CI …) that it may change',
      },
      onto: { type: 'string', value: 'BRANCH', help: 'the branch to build on (default: the current one)' },
      strategy: { type: 'string', value: 'NAME', help: "the context strategy, instead of the role's" },
      workflow: { type: 'string', value: 'NAME|FILE', help: 'the workflow to follow (default: default)' },
      script: { ...SCRIPT, help: 'let the scripted worker follow this file' },
      limit: LIMIT,
      simulate: { type: 'boolean', help: 'simulate it: no worker, no cost, no change' },
      network: { type: 'boolean', help: 'allow the network while the environment is prepared' },
      detach: { type: 'boolean', help: 'work on it in the background; `supervisor attach` watches it' },
      'unsafe-no-sandbox': { type: 'boolean', help: 'run without a sandbox: the worker can do everything you can' },
    },
    notes: '`run -` reads the task from standard input; without TEXT, on a terminal, your $EDITOR opens.',
    examples: [
      'supervisor run "fix the parser"',
      'supervisor run "fix the parser" --cli codex,claude',
      'supervisor run "fix the parser" --gate tests="npm test" --files src/parser.js',
      'supervisor run "fix the parser" --detach',
      'supervisor run --simulate "add a health check"',
    ],
    load: () => import('../commands/run.ts'),
  },
  {
    name: 'roles',
    summary: 'roles of workers: list them, show one, validate a file, explain where each value comes from',
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
    load: () => import('../commands/roles.ts'),
  },
  {
    name: 'workflows',
    summary: 'workflows of tasks: list them, show one, draw its graph, validate a file',
    args: [
      { name: 'list|show|graph|validate', required: false },
      { name: 'NAME|FILE', required: false },
    ],
    flags: { mermaid: { type: 'boolean', help: 'with graph: as a Mermaid flowchart' } },
    notes:
      'Workflows are YAML files: of the project (.supervisor/workflows/), your own (~/.supervisor/workflows/) and built in. `show` and `graph` without a name mean the one that `run` takes. `validate` without a file checks all of them.',
    examples: [
      'supervisor workflows',
      'supervisor workflows show standard',
      'supervisor workflows graph enterprise --mermaid',
      'supervisor workflows validate .supervisor/workflows/release.yaml',
    ],
    load: () => import('../commands/workflows.ts'),
  },
  {
    name: 'pack',
    summary: 'the exact packet that a role would get for a task, with token counts',
    args: [{ name: 'TASK', required: false }],
    flags: {
      role: { type: 'string', value: 'ROLE', help: 'the role (default: implementer)' },
      files: { type: 'string', value: 'A,B', help: 'the files the task is about' },
      strategy: { type: 'string', value: 'NAME', help: "the context strategy, instead of the role's" },
      compare: { type: 'string', value: 'NAME', help: 'compare with this strategy, side by side' },
      cli: { type: 'string', value: 'CLI', help: 'count tokens as this CLI does' },
      onto: { type: 'string', value: 'BRANCH', help: 'the branch to build on (default: the current one)' },
    },
    notes:
      'TASK is the text of a task, or the id of one that was made. The packet goes to stdout, its statistics to stderr.',
    examples: [
      'supervisor pack "fix the parser" --files src/parser.js > packet.md',
      'supervisor pack "fix the parser" --role reviewer --json',
      'supervisor pack "fix the parser" --strategy implementer_targeted --compare explore',
    ],
    load: () => import('../commands/pack.ts'),
  },
];
