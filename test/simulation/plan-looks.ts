/** Random steps that look at a change, keep it or send it back: reviews, votes, gates, people and commits. */
import type { ApprovalPolicy } from '../../src/mind/workflows/approval-policy.ts';
import { withApprovals } from '../../src/mind/workflows/approval-step.ts';
import type { StepDefinition, WorkflowDefinition } from '../../src/mind/workflows/step.ts';
import type { Random } from './random.ts';

export const ROLES = ['implementer', 'reviewer', 'planner'] as const;
export const PEOPLE = ['ana', 'ben', 'cem'] as const;

/** A gate as it is pinned: some are cheap and come first, some only warn, some end the task. */
export function staged(random: Random, name: string): NonNullable<StepDefinition['gates']>[number] {
  if (random.chance(0.4)) return name;
  const on_fail = random.weighted({ retry: 6, escalate: 1, block: 1, warn: 1 });
  return { name, stage: random.int(1, 3), on_fail, blocking: random.chance(0.85) };
}

/** A plan that a person approves before anything is changed. */
export function randomPlan(random: Random): StepDefinition[] {
  return [
    { id: 'plan', kind: 'answer', role: 'planner', gates: [], needs: [] },
    { id: 'agree', kind: 'human', needs: ['plan'], about: 'plan', on_reject: 'plan', rounds: random.int(1, 3) },
  ];
}

/** What comes after the last step that makes something: `back` is the last change. */
export function randomLooks(random: Random, after: string, back: string): StepDefinition[] {
  const steps: StepDefinition[] = [];
  let needs = [...new Set([after, back])];
  const add = (...more: StepDefinition[]) => {
    steps.push(...more);
    needs = [more.at(-1)?.id ?? after];
  };
  if (random.chance(0.25)) add({ id: 'save', kind: 'commit', needs, ...changelog(random, back) });
  add(...looks(random, needs, back));
  if (random.chance(0.25)) add(person(random, { id: 'sign', kind: 'human', needs, on_reject: back }));
  if (random.chance(0.25)) add({ id: 'keep', kind: 'commit', needs, ...changelog(random, back) });
  if (random.chance(0.1)) add(person(random, { id: 'offer', kind: 'pull_request', needs, on_reject: back }));
  return steps;
}

const person = (random: Random, step: StepDefinition): StepDefinition => ({
  ...step,
  rounds: random.int(1, 3),
  ...(random.chance(0.3) ? { on_failure: 'ask_human' } : {}),
});

/** A commit that is refused while an entry is missing. */
const changelog = (random: Random, back: string): Partial<StepDefinition> =>
  random.chance(0.3) ? { require_changelog: true, on_reject: back, rounds: random.int(2, 3) } : {};

function looks(random: Random, needs: string[], back: string): StepDefinition[] {
  const rounds = random.int(1, 3);
  const asks = random.chance(0.2) ? { on_failure: 'ask_human' as const } : {};
  const review = { kind: 'answer' as const, role: random.pick(ROLES), needs };
  const look = { on_reject: back, rounds, ...asks };
  switch (random.pick(['one', 'panel', 'vote', 'gates'] as const)) {
    case 'one':
      return [{ ...review, ...look, id: 'look' }];
    case 'panel':
      return [
        { ...review, id: 'look-a' },
        { ...review, id: 'look-b', attempts: 1 },
        { ...look, id: 'look', kind: 'join', needs: ['look-a', 'look-b'] },
      ];
    case 'vote':
      return [
        { ...review, id: 'vote-a', cli: ['claude'] },
        { ...review, id: 'vote-b', cli: ['codex'] },
        { ...review, id: 'vote-c', cli: ['gemini'], ...asks },
        { ...look, id: 'look', kind: 'join', require: 'consensus', needs: ['vote-a', 'vote-b', 'vote-c'] },
      ];
    case 'gates':
      return [{ id: 'look', kind: 'gate', needs, gates: [staged(random, 'e2e'), 'audit'], on_fail: back, rounds }];
  }
}

/** Small changes need nobody, middling ones wait for a while, large ones need two people of three. */
export function withRandomPolicy(random: Random, workflow: WorkflowDefinition): WorkflowDefinition {
  const file_count = (is: '<' | '>=', than: number) => ({ measure: 'file_count' as const, is, than });
  const group = random.chance(0.5) ? { approvers: ['owners'] } : {};
  const policy: ApprovalPolicy = {
    levels: {
      low_risk: { conditions: [file_count('<', 2)], action: 'auto_approve' },
      medium_risk: {
        conditions: [file_count('<', 4)],
        action: 'notify_and_timeout',
        timeout_ms: random.int(1, 60_000),
      },
      high_risk: { conditions: [file_count('>=', 4)], action: 'require_multi_approval', ...group },
    },
    groups: { owners: [...PEOPLE] },
    paths: {},
    expires_ms: random.pick([5_000, 86_400_000]),
  };
  return withApprovals(workflow, [policy]);
}
