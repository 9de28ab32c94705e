/** Workflow files whose steps are right by themselves and wrong together. `»` marks the place that the error has to name. */
import { after, BASE, type BadFile, STEPS } from './bad-files.ts';

export const BAD_GRAPHS: readonly BadFile[] = [
  // The graph.
  {
    what: 'a next that is no step',
    text: 'steps:\n  plan: {role: planner, next: »implment}\n  implement: {role: implementer}\n',
    says: 'did you mean implement?',
  },
  {
    what: 'a need that is no step',
    text: 'steps:\n  implement: {role: implementer}\n  review: {role: reviewer, needs: [implement, »tests]}\n',
    says: 'there is no step tests',
  },
  {
    what: 'a way back to no step',
    text: after('\n  review: {role: reviewer, on_reject: »implementer}\n'),
    says: 'did you mean implement?',
  },
  {
    what: 'an input that is no step',
    text: 'steps:\n  plan: {role: planner}\n  implement: {role: implementer, inputs: [»plans]}\n',
    says: 'did you mean plan?',
  },
  {
    what: 'a step that nothing leads to',
    text: 'steps:\n  plan: {role: planner, next: implement}\n  docs: »{role: documenter, kind: answer}\n  implement: {role: implementer}\n',
    says: 'nothing leads to step docs',
  },
  {
    what: 'a loop without a bound',
    text: 'steps:\n  plan: {role: planner}\n  implement: {role: implementer}\n  review: {role: reviewer, next: »implement}\n',
    says: '`on_reject: implement`',
  },
  {
    what: 'a loop through a list',
    text: 'steps:\n  implement: {role: implementer}\n  test: {command: make test, next: [done, »implement]}\n  done: {kind: commit, needs: [test]}\n',
    says: '`on_fail: implement`',
  },
  {
    what: 'steps that wait for each other',
    text: 'steps:\n  a: {role: implementer, needs: [»b]}\n  b: {role: reviewer, needs: [a]}\n',
    says: 'in a circle',
  },
  { what: 'a step that needs itself', text: 'steps:\n  a: {role: implementer, needs: [»a]}\n', says: 'in a circle' },
  {
    what: 'a need twice',
    text: after('\n  review: {role: reviewer, needs: [implement, »implement]}\n'),
    says: 'twice',
  },
  {
    what: 'two steps of one id',
    text: 'steps:\n  - {id: a, role: implementer}\n  - {id: »a, role: reviewer}\n',
    says: 'written twice',
  },
  {
    what: 'an id that a review takes',
    text: after('\n  review: {review: [reviewer, reviewer_codex]}\n  review-reviewer: »{role: reviewer}\n'),
    says: 'there are two steps review-reviewer',
  },
  {
    what: 'changes side by side',
    text: 'steps:\n  plan: {role: planner}\n  a: {role: implementer, needs: [plan]}\n  b: »{role: implementer, needs: [plan]}\n',
    says: 'make one need the other',
  },
  {
    what: 'a gate before any change',
    text: 'steps:\n  check: »{command: make test}\n  implement: {role: implementer}\n',
    says: 'before any change',
  },
  {
    what: 'a way back that leads forward',
    text: 'steps:\n  implement: {role: implementer}\n  review: {role: reviewer, on_reject: »docs}\n  docs: {role: implementer}\n',
    says: 'does not come before it',
  },
  {
    what: 'a pull request without a commit',
    text: after('\n  pr: »{kind: pull_request}\n'),
    says: 'a step of kind commit',
  },
  {
    what: 'a person who is shown nothing',
    text: 'steps:\n  ok: »{kind: human, text: Go?}\n  implement: {role: implementer}\n',
    says: 'name in about',
  },
  {
    what: 'a join of nothing',
    text: 'steps:\n  implement: {role: implementer}\n  all: {kind: join, needs: »[implement]}\n',
    says: 'needs no answer',
  },
  {
    what: 'too many steps',
    text: '»steps:\n  a: {role: implementer}\n  b: {role: reviewer}\n  c: {role: reviewer}\n',
    says: 'at most 2',
    maxSteps: 2,
  },

  // Gates.
  {
    what: 'a gate that nobody declared',
    text: after('\n  check: {gates: [lint, »test]}\n'),
    says: 'did you mean tests?',
    gates: ['tests', 'lint'],
  },
  {
    what: 'a gate by a rule that nobody declared',
    text: after('\n  check: {gates: [»{name: e2e, blocking: true}]}\n'),
    says: 'there is no gate e2e',
    gates: ['tests'],
  },
  {
    what: 'a kind of gate that there is not',
    text: after('\n  check: {gates: [»{kind: test}]}\n'),
    says: 'did you mean tests?',
  },
  { what: 'a gate without a name', text: after('\n  check: {gates: [»{blocking: false}]}\n'), says: 'names no gate' },
  {
    what: 'a command named as a gate of the config',
    text: after('\n  tests: {command: »make test}\n'),
    says: '`gates: [tests]`',
    gates: ['tests'],
  },
  {
    what: 'gates and a command',
    text: after('\n  check: {command: make test, gates: »[tests]}\n'),
    says: 'leave `gates` out',
  },
  {
    what: 'a hook of an unknown kind',
    text: `hooks: {pre_commit: [»{kind: type}]}\n${STEPS}`,
    says: 'did you mean types?',
  },

  // What builds on something.
  {
    what: 'a base that there is not',
    text: 'extends: »enterprize\n',
    says: 'did you mean enterprise?',
    others: { enterprise: BASE },
  },
  { what: 'a base that is itself', text: 'extends: »w\n', says: 'no other workflow w' },
  {
    what: 'a circle of bases',
    text: 'extends: a\n',
    says: 'in a circle: w > a > b > a',
    others: { a: 'extends: b\n', b: 'extends: »a\n' },
  },
  {
    what: 'a mistake in its base',
    text: 'extends: a\n',
    says: 'did you mean `role`?',
    others: { a: 'steps:\n  plan: {»rol: planner}\n' },
  },
  {
    what: 'a new step without a place',
    text: 'extends: base\nsteps:\n  docs: »{role: documenter, kind: answer}\n',
    says: 'position: after STEP',
    others: { base: BASE },
  },
  {
    what: 'a place that is no step',
    text: 'extends: base\nsteps:\n  docs: {role: implementer, position: »after reviews}\n',
    says: 'did you mean review?',
    others: { base: BASE },
  },
  {
    what: 'a place in other words',
    text: 'extends: base\nsteps:\n  docs: {role: implementer, position: »before review}\n',
    says: '`after STEP`',
    others: { base: BASE },
  },
  {
    what: 'a place of a step that has one',
    text: 'extends: base\nsteps:\n  review: {position: »after plan}\n',
    says: 'has its place already',
    others: { base: BASE },
  },
  {
    what: 'a required step disabled',
    text: 'extends: base\ndisable: [review, »implement]\n',
    says: 'is required',
    others: { base: BASE },
  },
  {
    what: 'a step disabled that there is not',
    text: 'extends: base\ndisable: [»reviews]\n',
    says: 'did you mean review?',
    others: { base: BASE },
  },
  {
    what: 'the target of a way back disabled',
    text: `${BASE.replace('implementer, required: true', 'implementer')}disable: [»implement]\n`,
    says: 'give it another `on_reject`',
  },
  {
    what: 'a security review that is asked for and missing',
    text: `settings: {security_review: »true}\n${STEPS}`,
    says: 'security_review',
  },
  {
    what: 'two reviewers that are asked for, and one',
    text: `settings: {dual_review: true}\n${after('\n  review: {review: »[reviewer]}\n')}`,
    says: 'two different roles',
  },
  {
    what: 'a changelog entry that is asked for, without a commit',
    text: `settings: {require_changelog: »true}\n${STEPS}`,
    says: 'no step commits',
  },
  {
    what: 'a pull request that is asked for, without a commit',
    text: `settings: {auto_pr: »true}\n${STEPS}`,
    says: 'no step commits',
  },
  {
    what: 'an approval of the commit that is asked for, without a commit',
    text: `settings: {human_approval: »true}\n${STEPS}`,
    says: 'no step commits',
  },
  {
    what: 'two reviewers that are asked for, and no review',
    text: `settings: {dual_review: »true}\n${STEPS}`,
    says: 'no step is a review',
  },
  {
    what: 'an input that comes later',
    text: 'steps:\n  implement: {role: implementer, inputs: »[docs]}\n  docs: {role: implementer}\n',
    says: 'does not come before it',
  },
  {
    what: 'a person about a step that answers nothing',
    text: after('\n  check: {command: make test}\n  ok: {kind: human, about: »check}\n'),
    says: 'answers nothing',
  },
  {
    what: 'an answer by a gate as an input',
    text: after('\n  check: {command: make test}\n  docs: {role: implementer, inputs: [plan, »check]}\n'),
    says: 'answers nothing',
  },
  {
    what: 'every step disabled',
    text: `${STEPS}disable: [plan, »implement]\n`,
    says: 'leave one',
  },
  {
    what: 'a way back to itself',
    text: after('\n  look: {role: reviewer, on_reject: »look}\n'),
    says: 'does not come before it',
  },
  {
    what: 'a command named like a canary',
    text: after('\n  tests-canary: »{command: make test}\n'),
    says: 'rename the step',
  },
];
