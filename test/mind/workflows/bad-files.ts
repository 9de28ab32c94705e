/** Workflow files that are wrong, each in one way. `»` marks the place that the error has to name. */
export type BadFile = {
  /** What is wrong with it. */
  readonly what: string;
  /** With `»` in front of the place. */
  readonly text: string;
  /** What the message has to hold: the word to write, the name that was meant. */
  readonly says: string;
  readonly others?: Readonly<Record<string, string>>;
  readonly gates?: readonly string[];
  readonly maxSteps?: number;
};

export const STEPS = `steps:
  plan: {role: planner}
  implement: {role: implementer}
`;

/** Three steps, so that something can go wrong with a fourth. */
export const after = (lines: string): string => `${STEPS}${lines.replace(/^\n/, '')}`;

export const BASE = `steps:
  plan: {role: planner, required: true, next: implement}
  implement: {role: implementer, required: true, next: review}
  review: {role: reviewer, next: commit, on_reject: implement}
  commit: {kind: commit}
`;

export const BAD_STEPS: readonly BadFile[] = [
  // The file as a whole.
  { what: 'nothing', text: '»', says: 'is empty' },
  { what: 'a list at its top', text: '»- a\n', says: 'must hold keys and values at its top' },
  { what: 'no YAML', text: 'steps:\n  plan: {role: planner\n»', says: 'end with a }' },
  { what: 'a key twice', text: 'steps:\n  plan: {role: planner}\n  »plan: {role: planner}\n', says: 'is there twice' },
  { what: 'two documents', text: `${STEPS}»---\n${STEPS}`, says: 'more than one document' },
  { what: 'a misspelt key', text: `»setings: {auto_pr: true}\n${STEPS}`, says: 'did you mean `settings`?' },
  {
    what: 'two mistakes, of which the earlier one counts',
    text: 'initial_step: »plan\nsteps:\n  plan: {role: planner, gate: BOTH_APPROVED}\n',
    says: 'begins with the step that needs no other',
  },
  { what: 'no steps', text: '»description: Nothing.\n', says: 'has no steps' },
  { what: 'an empty list of steps', text: 'steps: »[]\n', says: 'write a step' },
  { what: 'steps as a word', text: 'steps: »plan\n', says: 'must be a list of steps, or steps by their ids' },
  {
    what: 'the keys one level too deep',
    text: `workflow: »{steps: {plan: {role: planner}}}\n`,
    says: 'at the top of the file',
  },
  { what: 'a first step by name', text: `initial_step: »plan\n${STEPS}`, says: 'leave it out' },
  {
    what: 'overrides in a file',
    text: `extends: base\noverrides: »{}\n`,
    says: 'write the changed steps under `steps`',
    others: { base: BASE },
  },
  {
    what: 'overrides in a file, over several lines',
    text: `extends: base\n»overrides:\n  implement: {attempts: 2}\n`,
    says: 'write the changed steps under `steps`',
    others: { base: BASE },
  },
  {
    what: 'a step that is misspelt and so a new one',
    text: `extends: base\nsteps:\n  implment: »{attempts: 2}\n`,
    says: '`position: after STEP`; did you mean implement?',
    others: { base: BASE },
  },
  {
    what: 'a change that what it builds on cannot take',
    text: `extends: »base\nsteps:\n  implement: {role: planner}\n`,
    says: 'does not fit together with the changes made here: steps.commit',
    others: { base: BASE },
  },
  {
    what: 'a parent that is wrong by itself',
    text: `extends: base\nsteps:\n  implement: {attempts: 2}\n`,
    says: 'comes before any change',
    others: { base: 'steps:\n  commit: »{kind: commit}\n  implement: {role: implementer}\n' },
  },
  { what: 'a version that is no number', text: `version: »one\n${STEPS}`, says: 'whole number' },
  { what: 'an unknown end', text: `on_exhausted: »stop\n${STEPS}`, says: 'known: fail, escalate, block' },
  { what: 'a setting that is no switch', text: `settings: {auto_pr: »draft}\n${STEPS}`, says: 'must be true or false' },
  {
    what: 'an unknown setting',
    text: `settings: {»require_test: true}\n${STEPS}`,
    says: 'did you mean `require_tests`?',
  },
  { what: 'an unknown hook', text: `hooks: {»pre_comit: [lint]}\n${STEPS}`, says: 'did you mean `pre_commit`?' },

  // One step.
  { what: 'a step without an id in a list', text: 'steps:\n  - »role: planner\n', says: 'id' },
  { what: 'a bad id', text: 'steps:\n  »Plan: {role: planner}\n', says: 'lower-case letters' },
  {
    what: 'a step that does nothing',
    text: after('\n  rest: »{description: Wait.}\n'),
    says: 'does not say what it does',
  },
  { what: 'an empty step', text: after('\n  rest: »\n'), says: 'must be keys and values' },
  {
    what: 'a misspelt key of a step',
    text: after('\n  check: {»comand: make test}\n'),
    says: 'did you mean `command`?',
  },
  {
    what: 'a misspelt key of a step in a list',
    text: 'steps:\n  - id: plan\n    »rol: planner\n',
    says: 'did you mean `role`?',
  },
  { what: 'an unknown kind', text: after('\n  check: {kind: »gates}\n'), says: 'did you mean gate?' },
  { what: 'a role that there is not', text: 'steps:\n  plan: {role: »nobody}\n', says: 'there is no role nobody' },
  {
    what: 'a reviewer that there is not',
    text: after('\n  review: {review: [reviewer, »nobody]}\n'),
    says: 'there is no role nobody',
  },
  {
    what: 'a reviewer that changes files',
    text: after('\n  review: {review: [reviewer, »implementer]}\n'),
    says: 'a review only reads',
  },
  {
    what: 'a hand-over of an answer that nothing is checked of',
    text: 'steps:\n  implement: {role: implementer}\n  look: {role: reviewer, hand_over: »true}\n',
    says: 'nothing is checked of an answer of the form review',
  },
  { what: 'a role of the other kind', text: 'steps:\n  plan: {kind: change, role: »planner}\n', says: 'only answers' },
  { what: 'a review without roles', text: after('\n  review: {review: »[]}\n'), says: 'name a role' },
  {
    what: 'a role and a review',
    text: after('\n  review: {role: »reviewer, review: [reviewer]}\n'),
    says: 'in one list',
  },
  {
    what: 'two words for the reviewers',
    text: after('\n  review: {review: [reviewer], roles: »[reviewer]}\n'),
    says: 'leave one out',
  },
  {
    what: 'a consensus of one',
    text: after('\n  review: {review: [reviewer], require: »consensus}\n'),
    says: 'needs several roles',
  },
  {
    what: 'a change that sends itself back',
    text: 'steps:\n  plan: {role: planner}\n  implement: {role: implementer, on_fail: »plan}\n',
    says: 'gate step after it',
  },
  {
    what: 'a gate with on_reject',
    text: after('\n  check: {command: make test, on_reject: »implement}\n'),
    says: 'write `on_fail`',
  },
  {
    what: 'a review with on_fail',
    text: after('\n  review: {review: [reviewer], on_fail: »implement}\n'),
    says: 'write `on_reject`',
  },
  {
    what: 'attempts of a gate',
    text: after('\n  check: {command: make test, attempts: »2}\n'),
    says: 'write `rounds`',
  },
  {
    what: 'two bounds of one way',
    text: after('\n  check: {command: make test, on_fail: implement, rounds: 2, max_retries: »3}\n'),
    says: 'leave one out',
  },
  {
    what: 'a bound without a way',
    text: after('\n  check: {command: make test, max_retries: »3}\n'),
    says: 'add `on_fail: STEP`',
  },
  {
    what: 'too many rounds',
    text: after('\n  check: {command: make test, on_fail: implement, rounds: »1000}\n'),
    says: 'from 1 to 20',
  },
  {
    what: 'an unknown retry policy',
    text: 'steps:\n  implement: {role: implementer, retry_policy: »agressive}\n',
    says: 'did you mean aggressive?',
  },
  {
    what: 'a policy that asks somebody else',
    text: 'steps:\n  implement: {role: implementer, retry_policy: {on_failure: »ask_lead}}\n',
    says: 'known: ask_human',
  },
  {
    what: 'two numbers of attempts',
    text: 'steps:\n  implement: {role: implementer, attempts: »2, retry_policy: {max_attempts: 3}}\n',
    says: 'leave one out',
  },
  {
    what: 'levels that do not go down',
    text: 'steps:\n  implement: {role: implementer, degrade: »[minimal, simplified]}\n',
    says: '[simplified, minimal]',
  },
  {
    what: 'a level that there is not',
    text: 'steps:\n  implement: {role: implementer, degrade: [»simplifed]}\n',
    says: 'did you mean simplified?',
  },
  {
    what: 'one name where a list belongs',
    text: 'steps:\n  plan: {role: planner}\n  implement: {role: implementer, needs: »plan}\n',
    says: 'must be a list of names: write [plan]',
  },
  {
    what: 'several mistakes: the first is told, also before a misspelt key',
    text: 'on_exhausted: »escalated\nsteps:\n  implement: {role: implementer, attempt: 3}\n',
    says: 'did you mean escalate?',
  },
  {
    what: 'paths that an answering role may change',
    text: 'steps:\n  plan: {role: planner, write_scope: »[docs/**]}\n',
    says: 'its role only answers',
  },
  {
    what: 'an analysis by a role that there is not',
    text: 'steps:\n  implement: {role: implementer, analyses: [planner, »nobody]}\n',
    says: 'there is no role nobody',
  },
  {
    what: 'an analysis by a role that changes files',
    text: 'steps:\n  implement: {role: implementer, analyses: [»implementer]}\n',
    says: 'an analysis only reads',
  },
  {
    what: 'the same analysis twice',
    text: 'steps:\n  implement: {role: implementer, analyses: »[planner, planner]}\n',
    says: 'names a role twice',
  },
  {
    what: 'four analyses',
    text: 'steps:\n  implement: {role: implementer, analyses: »[a, b, c, d]}\n',
    says: 'has more than 3 roles',
  },
  {
    what: 'analyses at a gate step',
    text: after('\n  check: {gates: [tests], on_fail: implement, analyses: »[planner]}\n'),
    says: 'write `analyses` at the step that its failure leads back to',
  },
  {
    what: 'analyses of an answer',
    text: 'steps:\n  plan: {role: planner, analyses: »[planner]}\n',
    says: 'its role only answers',
  },
  {
    what: 'levels of a step that only answers',
    text: 'steps:\n  plan: {role: planner, degrade: »[minimal]}\n',
    says: 'its role only answers',
  },
  {
    what: 'rounds that are none',
    text: after('\n  check: {kind: gate, on_fail: implement, rounds: »0}\n'),
    says: 'from 1 to 20',
  },
  {
    what: 'retries of its own in no duration',
    text: 'steps:\n  implement: {role: implementer, retry_policy: {first: »soon}}\n',
    says: 'duration',
  },
  {
    what: 'an unknown key of a retry policy',
    text: 'steps:\n  implement: {role: implementer, retry_policy: {»retries: 3}}\n',
    says: 'retries',
  },
  {
    what: 'a scope of context that there is not',
    text: 'steps:\n  implement: {role: implementer, context_scope: »component}\n',
    says: 'known: component_only',
  },
  {
    what: 'a tree that there is not',
    text: 'steps:\n  implement: {role: implementer, from: »base}\n',
    says: 'known: last, line',
  },
  {
    what: 'settings for a worker that are a list',
    text: 'steps:\n  implement: {role: implementer, config: »[tdd]}\n',
    says: 'keys and values',
  },
  {
    what: 'outputs that are no list',
    text: 'steps:\n  implement: {role: implementer, outputs: »code}\n',
    says: 'must be a list of names',
  },
  {
    what: 'an approval that is no switch',
    text: 'steps:\n  implement: {role: implementer, human_approval: »always}\n',
    says: 'must be true or false',
  },
  {
    what: 'a grant outside of the repository',
    text: 'steps:\n  implement: {role: implementer, grants: [»../x]}\n',
    says: 'must not leave the repository',
  },
  { what: 'a person with a role', text: after('\n  ok: {kind: human, role: »reviewer}\n'), says: 'leave `role` out' },
  {
    what: 'a person who approves a person',
    text: after('\n  ok: {kind: human, human_approval: »true}\n'),
    says: 'it is one already',
  },
  {
    what: 'a step side by side with nobody',
    text: after('\n  look: {role: reviewer, parallel: »true}\n'),
    says: 'no use for it',
  },
  { what: 'an empty command', text: after('\n  check: {command: »""}\n'), says: 'empty' },
  {
    what: 'a commit with a command',
    text: after('\n  commit: {kind: commit, command: »git commit}\n'),
    says: 'Supervisor commits by itself',
  },

  // Words of others.
  {
    what: 'both approved, as a magic string',
    text: after('\n  review:\n    parallel: true\n    roles: [reviewer, reviewer_codex]\n    gate: »"BOTH_APPROVED"\n'),
    says: '`require: all`',
  },
  {
    what: 'both passed, as a magic string',
    text: after('\n  review: {roles: [reviewer, reviewer_codex], gate: »BOTH_PASSED}\n'),
    says: '`require: all`',
  },
  {
    what: 'a status, as a magic string',
    text: after('\n  review: {role: reviewer, gate: »"REVIEW_STATUS: APPROVED"}\n'),
    says: '`on_reject: STEP`',
  },
  {
    what: 'a security status, as a magic string',
    text: after('\n  review: {role: security_auditor, gate: »"SECURITY_STATUS: PASSED"}\n'),
    says: '`on_reject: STEP`',
  },
  {
    what: 'a gate of a format',
    text: after('\n  review: {role: reviewer, gate: »structured_json_only}\n'),
    says: 'every answer is read strictly',
  },
  { what: 'a single gate', text: after('\n  check: {gate: »tests}\n'), says: '`gates: [tests]`' },
  {
    what: 'an orchestrator gate',
    text: after('\n  check: {type: »orchestrator_gate, command: make test}\n'),
    says: '`kind: gate`',
  },
  { what: 'a human gate', text: after('\n  wait: {type: »human_gate}\n'), says: '`kind: human`' },
  {
    what: 'a gate type',
    text: after('\n  check: {gate_type: »orchestrator, command: make test}\n'),
    says: '`kind: gate`',
  },
  { what: 'a terminal step', text: after('\n  commit: {kind: commit, terminal: »true}\n'), says: 'leave it out' },
  {
    what: 'an approval without anybody',
    text: after('\n  review: {role: reviewer, auto_approve: »true}\n'),
    says: 'no step approves itself',
  },
  { what: 'git commit as a gate', text: after('\n  commit: {command: »git commit}\n'), says: '`kind: commit`' },
  { what: 'gh as a gate', text: after('\n  pr: {command: »"gh pr create --title x"}\n'), says: '`kind: pull_request`' },
  { what: 'a file in a command', text: after('\n  check: {command: »"lint {file}"}\n'), says: 'applies_to' },
  {
    what: 'a task in a command',
    text: after('\n  check: {command: »"run \u0024{TASK_ID}"}\n'),
    says: 'nothing is put into a command',
  },
];
