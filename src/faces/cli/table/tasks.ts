/** Commands: what people do with a task. */
import type { CommandSpec } from '../command.ts';
import { LIMIT, NEWEST, SCRIPT, TASK } from './shared.ts';

const NETWORK = { type: 'boolean', help: 'let the preparation of the environment use the network' } as const;
const HALT = {
  now: { type: 'boolean', help: 'cut attempts under way of all tasks; they start again later, and cost again' },
  reason: { type: 'string', value: 'TEXT', help: 'why, for the record' },
} as const;
const STEP_OF = [...TASK, { name: 'STEP', required: false }];
const OF = { type: 'string', value: 'ID', help: 'what you have looked at: the id that `show` prints' } as const;

export const TASKS: readonly CommandSpec[] = [
  {
    name: 'resume',
    summary:
      'go on with a task that was paused, stopped, failed or escalated; without TASK: set a halted project running',
    args: NEWEST,
    flags: {
      script: {
        ...SCRIPT,
        help: 'let the scripted worker do what this file says, instead of what the task was made with',
      },
      say: { type: 'string', value: 'TEXT', help: 'answer what the worker asked, or add to the task' },
      allow: { type: 'string', value: 'A,B', help: 'further protected paths that the task may change' },
      cli: { type: 'string', value: 'A,B', help: 'who goes on with it, instead of who was chosen before' },
      from: {
        type: 'string',
        value: 'last|line',
        help: 'start in the change that was sent back, or anew where the step began',
      },
      limit: LIMIT,
      dismiss: {
        type: 'string',
        value: 'ID,ID',
        help: 'findings that do not count for this change, by the ids that `show` prints',
      },
      reason: { type: 'string', value: 'TEXT', help: 'why they are dismissed; stays on record' },
      network: NETWORK,
    },
    notes:
      '--fix-base and --keep-red are flags of `run`, or the answer to its question; `land --unverified` lands one that stayed red.',
    examples: [
      'supervisor resume',
      'supervisor resume t-abc',
      'supervisor resume t-abc --say "use the second way"',
      'supervisor resume t-abc --allow test/parser.test.js --cli codex',
      'supervisor resume t-abc --dismiss f-1a2b3c4d --reason "a made-up key of the test"',
    ],
    load: () => import('../commands/resume.ts'),
  },
  {
    name: 'retry',
    summary: 'try once more: a task that failed, asks whether to try again, or waits for its next attempt',
    args: TASK,
    flags: { network: NETWORK },
    examples: ['supervisor retry t-abc'],
    load: () => import('../commands/retry.ts'),
  },
  {
    name: 'answer',
    summary: 'answer what the worker of a task asks, and go on with the task',
    args: [...TASK, { name: 'TEXT', required: true }],
    flags: { network: NETWORK },
    notes: 'The same as `resume TASK --say TEXT`, also from another terminal than the one that runs the task.',
    examples: ['supervisor answer t-abc "keep the old format"'],
    load: () => import('../commands/answer.ts'),
  },
  {
    name: 'approvals',
    summary: 'all that waits for you; on a terminal, a screen to answer it',
    args: [],
    flags: { list: { type: 'boolean', help: 'print the list, also on a terminal' } },
    notes:
      'Keys: A approves (a change of high risk wants a typed word), R rejects with a reason, D shows the change, C adds a comment, S skips, B approves all of low and medium risk. Pasted text approves nothing.',
    examples: ['supervisor approvals', 'supervisor approvals --json'],
    load: () => import('../commands/approvals.ts'),
  },
  {
    name: 'approve',
    summary: 'say yes to a step that waits for a person, and go on with the task',
    args: STEP_OF,
    flags: {
      of: OF,
      reason: { type: 'string', value: 'TEXT', help: 'why, for the record' },
      network: NETWORK,
    },
    notes:
      'STEP may be left out while one question is open; `land` in its place approves what would land. With --of, the answer counts only if the question is still about that change or answer.',
    examples: ['supervisor approve t-abc', 'supervisor approve t-abc plan --of 1d46e10240af'],
    load: () => import('../commands/approve.ts'),
  },
  {
    name: 'reject',
    summary: 'say no to a step that waits for a person: the task goes back, or ends',
    args: STEP_OF,
    flags: {
      of: OF,
      reason: { type: 'string', value: 'TEXT', help: 'what is wrong; the next worker is told' },
      network: NETWORK,
    },
    notes: 'Where it goes back to is said by the workflow (`on_reject`); without a way back the task is rejected.',
    examples: ['supervisor reject t-abc plan --reason "too large, take the parser first"'],
    load: () => import('../commands/reject.ts'),
  },
  {
    name: 'land',
    summary: 'move a branch to the commit of an accepted task',
    args: NEWEST,
    flags: {
      all: { type: 'boolean', help: 'every accepted task that has not landed, one after the other' },
      onto: { type: 'string', value: 'BRANCH', help: 'the branch to move (default: the one the task was built on)' },
      yes: { type: 'boolean', help: 'move a clean checkout of the branch too, without asking' },
      as: {
        type: 'string',
        value: 'MODE',
        help: 'fast-forward, merge or squash (default: `git.landing` of the config)',
      },
      unverified: { type: 'boolean', help: 'land it though no gate checked it, or tests are red as at its base' },
      unstable: { type: 'boolean', help: 'land it though a gate was red and then green on the same tree' },
    },
    notes:
      'A clean checkout of the branch moves with it, after a question or with --yes; one with changes is not touched.',
    examples: ['supervisor land t-abc', 'supervisor land t-abc --onto main', 'supervisor land --all --yes'],
    load: () => import('../commands/land.ts'),
  },
  {
    name: 'lines',
    summary: 'the landing queue of each branch, and what each task in it waits for',
    args: [{ name: 'BRANCH', required: false }],
    flags: {},
    examples: ['supervisor lines', 'supervisor lines main --json'],
    load: () => import('../commands/lines.ts'),
  },
  {
    name: 'pull',
    summary: "a draft pull request of a task's branch, and what people and checks say of it",
    args: [
      { name: 'open|sync', required: true },
      { name: 'TASK', required: true },
    ],
    flags: {},
    notes:
      'It uses `gh` and your login there; push the branch first. `open` makes the draft, with the record as its text and a status for each gate. `sync` sends comments and red checks back to the task, or lets it go on when the pull request was merged.',
    examples: ['supervisor pull open t-abc', 'supervisor pull sync t-abc'],
    load: () => import('../commands/pull.ts'),
  },
  {
    name: 'undo',
    summary: 'take back what a landed task had changed, checked by the gates',
    args: TASK,
    flags: {
      onto: { type: 'string', value: 'BRANCH', help: 'the branch to undo it on (default: the one it landed on)' },
      network: NETWORK,
    },
    notes:
      'It makes a task of its own, without a worker; when its gates pass, `supervisor land` lands it as any other.',
    examples: ['supervisor undo t-abc'],
    load: () => import('../commands/undo.ts'),
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
    args: NEWEST,
    flags: { all: { type: 'boolean', help: 'halt the whole project, as `supervisor halt` does' }, ...HALT },
    notes:
      'An attempt under way is cut; after `supervisor resume TASK` it starts again, and costs again. With --all it may finish.',
    examples: ['supervisor pause t-abc', 'supervisor pause --all'],
    load: () => import('../commands/pause.ts'),
  },
  {
    name: 'halt',
    summary: 'start nothing new in this project, until `supervisor resume`',
    args: [],
    flags: HALT,
    notes:
      'Attempts under way may finish, and what they made is checked and committed. A file PAUSE_REQUESTED in the state directory of the project (`status --json` names it) halts it too.',
    examples: ['supervisor halt --reason "release day"', 'supervisor halt --now'],
    load: () => import('../commands/halt.ts'),
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
    name: 'incidents',
    summary: 'what stopped and needs you: list it, show all that is known of it, resolve it',
    args: [
      { name: 'list|show|resolve', required: false },
      { name: 'INCIDENT|TASK', required: false },
    ],
    flags: {
      retry: { type: 'boolean', help: 'with resolve: go on with the task, with fresh attempts' },
      notes: {
        type: 'string',
        value: 'TEXT',
        help: 'with resolve: go on, and tell the next worker this; or why it is skipped',
      },
      skip: { type: 'boolean', help: 'with resolve: leave the task as it is' },
      abandon: { type: 'boolean', help: 'with resolve: give the task up for good' },
    },
    notes: 'Each incident is a file incident_YYYYMMDD_HHMMSS.json in the state directory of the project, too.',
    examples: [
      'supervisor incidents',
      'supervisor incidents show t-abc',
      'supervisor incidents resolve t-abc --notes "take the second way"',
      'supervisor incidents resolve t-abc --skip',
    ],
    load: () => import('../commands/incidents.ts'),
  },
  {
    name: 'proposals',
    summary: 'what models propose: list it, show what it would do, accept or reject it',
    args: [
      { name: 'list|show|accept|reject', required: false },
      { name: 'ID', required: false },
    ],
    flags: { reason: { type: 'string', value: 'TEXT', help: 'why, for the record' } },
    notes: 'A proposal is decided again when it is accepted: what it would do today is what `show` tells.',
    examples: ['supervisor proposals', 'supervisor proposals show p-1a2b', 'supervisor proposals accept p-1a2b'],
    load: () => import('../commands/proposals.ts'),
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
