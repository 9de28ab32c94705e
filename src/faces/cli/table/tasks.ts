/** Commands that people use on a task. */
import type { CommandSpec } from '../command.ts';
import { LIMIT, NEWEST, SCRIPT, TASK } from './shared.ts';

const NETWORK = { type: 'boolean', help: 'allow the network while the environment is prepared' } as const;
const HALT = {
  now: { type: 'boolean', help: 'stop running attempts of all tasks; they start again later, and cost again' },
  reason: { type: 'string', value: 'TEXT', help: 'the reason, for the record' },
} as const;
const STEP_OF = [...TASK, { name: 'STEP', required: false }];
const OF = {
  type: 'string',
  value: 'ID',
  help: 'the id of the change or answer that you looked at; `show` prints it',
} as const;
const SIGNED = {
  sign: { type: 'string', value: 'KEY', help: 'sign the answer with this SSH key' },
  as: { type: 'string', value: 'NAME', help: 'the name that the file of allowed signers knows the key by' },
  print: { type: 'boolean', help: 'print what has to be signed, and answer nothing' },
  signature: { type: 'string', value: 'FILE', help: 'FILE.sig of `ssh-keygen -Y sign`, with the text beside it' },
} as const;

export const TASKS: readonly CommandSpec[] = [
  {
    name: 'resume',
    summary:
      'continue a task that was paused, stopped, failed or escalated; without TASK: let a halted project run again',
    args: NEWEST,
    flags: {
      script: {
        ...SCRIPT,
        help: 'let the scripted worker follow this file instead of the script that the task was made with',
      },
      say: { type: 'string', value: 'TEXT', help: 'answer what the worker asked, or add to the task' },
      allow: { type: 'string', value: 'A,B', help: 'further protected paths that the task may change' },
      cli: { type: 'string', value: 'A,B', help: 'the CLI to continue with, instead of the one chosen before' },
      from: {
        type: 'string',
        value: 'last|line',
        help: 'last: start from the change that was sent back; line: start where the step began',
      },
      limit: LIMIT,
      dismiss: {
        type: 'string',
        value: 'ID,ID',
        help: 'dismiss these findings for this change; `show` prints their ids',
      },
      reason: { type: 'string', value: 'TEXT', help: 'why they are dismissed; it is recorded' },
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
    summary: 'try again now: a task that failed, asks whether to try again, or waits for its next attempt',
    args: TASK,
    flags: { network: NETWORK },
    examples: ['supervisor retry t-abc'],
    load: () => import('../commands/retry.ts'),
  },
  {
    name: 'answer',
    summary: 'answer the question of a worker, and continue the task',
    args: [...TASK, { name: 'TEXT', required: true }],
    flags: { network: NETWORK },
    notes: 'The same as `resume TASK --say TEXT`, also from another terminal than the one that runs the task.',
    examples: ['supervisor answer t-abc "keep the old format"'],
    load: () => import('../commands/answer.ts'),
  },
  {
    name: 'approvals',
    summary: 'everything that waits for you; on a terminal, a screen to answer it',
    args: [],
    flags: { list: { type: 'boolean', help: 'print the list, also on a terminal' } },
    notes:
      'Keys: A approves (a change of high risk wants a typed word), R rejects with a reason, D shows the change, C adds a comment, S skips, B approves all of low and medium risk. Pasted text approves nothing.',
    examples: ['supervisor approvals', 'supervisor approvals --json'],
    load: () => import('../commands/approvals.ts'),
  },
  {
    name: 'approve',
    summary: 'approve a step that waits for a person, and continue the task',
    args: STEP_OF,
    flags: {
      of: OF,
      reason: { type: 'string', value: 'TEXT', help: 'the reason, for the record' },
      ...SIGNED,
      network: NETWORK,
    },
    notes:
      'STEP may be left out while one question is open; `land` in its place approves what would land. With --of, the answer counts only if the question is still about that change or answer.',
    examples: [
      'supervisor approve t-abc',
      'supervisor approve t-abc plan --of 1d46e10240af',
      'supervisor approve t-abc --sign ~/.ssh/id_ed25519',
    ],
    load: () => import('../commands/approve.ts'),
  },
  {
    name: 'reject',
    summary: 'reject a step that waits for a person: the task goes back, or ends',
    args: STEP_OF,
    flags: {
      of: OF,
      reason: { type: 'string', value: 'TEXT', help: 'what is wrong; the next worker reads it' },
      ...SIGNED,
      network: NETWORK,
    },
    notes: '`on_reject` of the workflow says where the task goes back to; without it the task ends as rejected.',
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
      unverified: { type: 'boolean', help: 'land it although no gate checked it, or its tests are red as at the base' },
      unstable: { type: 'boolean', help: 'land it although a gate was red and then green on the same tree' },
    },
    notes:
      'A clean checkout of the branch moves too, after a question or with --yes. A checkout with changes stays as it is.',
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
    summary: 'open a draft pull request for the branch of a task, or fetch comments and checks from it',
    args: [
      { name: 'open|sync', required: true },
      { name: 'TASK', required: true },
    ],
    flags: {},
    notes:
      'It uses `gh` and your login there; push the branch first. `open` makes the draft, with the record as its text and a status for each gate. `sync` sends reviews that request changes, comments and red checks back to the task, or lets it go on when the pull request was merged. Only what owners, members and collaborators of the repository wrote counts, and each review counts for its commit.',
    examples: ['supervisor pull open t-abc', 'supervisor pull sync t-abc'],
    load: () => import('../commands/pull.ts'),
  },
  {
    name: 'undo',
    summary: 'revert a landed task, checked by the gates',
    args: TASK,
    flags: {
      onto: { type: 'string', value: 'BRANCH', help: 'the branch to undo it on (default: the one it landed on)' },
      network: NETWORK,
    },
    notes: 'It creates a task without a worker; once its gates pass, `supervisor land` lands it.',
    examples: ['supervisor undo t-abc'],
    load: () => import('../commands/undo.ts'),
  },
  {
    name: 'take',
    summary: 'do the work of a task yourself: a checkout of its change, with the gate that is red and why',
    args: [
      { name: 'TASK', required: false },
      { name: 'DIR', required: false },
    ],
    flags: {
      step: { type: 'string', value: 'STEP', help: 'which step, where several could be taken' },
      drop: { type: 'boolean', help: 'leave it to the workers again; the checkout stays where it is' },
      reason: { type: 'string', value: 'TEXT', help: "with --drop: why, for the record; needed for another person's" },
    },
    notes:
      'DIR is a new directory, by default one beside the repository. While you have the task, no worker starts on it. `give` hands in what you made. In the checkout, TASK may be left out.',
    examples: ['supervisor take t-abc', 'supervisor take t-abc ../fix', 'supervisor take t-abc --drop'],
    load: () => import('../commands/take.ts'),
  },
  {
    name: 'give',
    summary: 'hand in what you made in the checkout of a task that you took: the next attempt, checked as any other',
    args: NEWEST,
    flags: { network: NETWORK },
    notes:
      'In the checkout, TASK may be left out. What is not accepted stays with you: mend it and give it again, or `take --drop`.',
    examples: ['supervisor give', 'supervisor give t-abc'],
    load: () => import('../commands/give.ts'),
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
    summary: 'pause a task until you resume it, even while another process works on it',
    args: NEWEST,
    flags: { all: { type: 'boolean', help: 'halt the whole project, as `supervisor halt` does' }, ...HALT },
    notes:
      'A running attempt is stopped; after `supervisor resume TASK` it starts again, and costs again. With --all it may finish.',
    examples: ['supervisor pause t-abc', 'supervisor pause --all'],
    load: () => import('../commands/pause.ts'),
  },
  {
    name: 'halt',
    summary: 'start nothing new in this project, until `supervisor resume`',
    args: [],
    flags: HALT,
    notes:
      'Running attempts may finish; their work is checked and committed. A file PAUSE_REQUESTED in the state directory of the project (`status --json` names it) also halts it.',
    examples: ['supervisor halt --reason "release day"', 'supervisor halt --now'],
    load: () => import('../commands/halt.ts'),
  },
  {
    name: 'cancel',
    summary: 'stop a task for good, even while another process works on it',
    args: TASK,
    flags: { reason: { type: 'string', value: 'TEXT', help: 'the reason, for the record' } },
    examples: ['supervisor cancel t-abc --reason "no longer needed"'],
    load: () => import('../commands/cancel.ts'),
  },
  {
    name: 'incidents',
    summary: 'tasks that stopped and need you: list them, show one in detail, resolve it',
    args: [
      { name: 'list|show|resolve', required: false },
      { name: 'INCIDENT|TASK', required: false },
    ],
    flags: {
      retry: { type: 'boolean', help: 'with resolve: continue the task with new attempts' },
      notes: {
        type: 'string',
        value: 'TEXT',
        help: 'with resolve: continue, with this note for the next worker; with --skip: the reason',
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
    summary: 'proposals of models: list them, show what one would do, accept or reject it',
    args: [
      { name: 'list|show|accept|reject', required: false },
      { name: 'ID', required: false },
    ],
    flags: { reason: { type: 'string', value: 'TEXT', help: 'the reason, for the record' } },
    notes: 'A proposal is decided again when you accept it; `show` says what it would do today.',
    examples: ['supervisor proposals', 'supervisor proposals show p-1a2b', 'supervisor proposals accept p-1a2b'],
    load: () => import('../commands/proposals.ts'),
  },
  {
    name: 'reset',
    summary: 'let a CLI work again after its quota or its breaker stopped it',
    args: [{ name: 'CLI', required: true }],
    flags: {},
    examples: ['supervisor reset claude', 'supervisor reset implementer/codex'],
    load: () => import('../commands/reset.ts'),
  },
];
