/** Adds the approval policies to a workflow: before each commit, or at the end of a workflow without one. */
import type { ApprovalPolicy } from './approval-policy.ts';
import type { StepDefinition, WorkflowDefinition } from './step.ts';
import { compileWorkflow, stepsBefore } from './workflow.ts';

const NAME = 'approval';

/** If a person is asked about the same change anyway, that step takes the policies. */
export function withApprovals(definition: WorkflowDefinition, policies: readonly ApprovalPolicy[]): WorkflowDefinition {
  if (policies.length === 0 || !definition.steps.some(({ kind }) => kind === 'change')) return definition;
  const steps = withNeeds(definition);
  const commits = steps.filter(({ kind }) => kind === 'commit');
  const whole = { ...definition, steps };
  const last = soleWord(steps);
  const added =
    commits.length === 0 && last !== null
      ? steps.map((one) => (one === last ? { ...one, policies: [...policies] } : one))
      : commits.length === 0
        ? [...steps, approval(whole, policies, { id: freeId(steps, NAME), needs: endsOf(steps) })]
        : commits.reduce((before, commit) => beforeCommit({ ...whole, steps: before }, policies, commit), steps);
  return { ...definition, steps: added };
}

/** The person whom a workflow without a commit step asks about the change at its very end. */
function soleWord(steps: readonly StepDefinition[]): StepDefinition | null {
  const ends = endsOf(steps);
  const last = steps.find(({ id }) => id === ends[0]);
  return ends.length === 1 && last?.kind === 'human' && last.about === undefined ? last : null;
}

/** A person approves before anything is committed. If one is asked about that very change anyway, once is enough. */
export function withWord(definition: WorkflowDefinition): WorkflowDefinition {
  if (!definition.steps.some(({ kind }) => kind === 'change')) return definition;
  const whole = { ...definition, steps: withNeeds(definition) };
  const commits = whole.steps.filter(({ kind }) => kind === 'commit');
  if (commits.length > 0) return commits.reduce(wordBefore, whole);
  const ends = endsOf(whole.steps);
  return isAsked(whole, ends) ? whole : { ...whole, steps: [...whole.steps, word(whole, ends)] };
}

function wordBefore(definition: WorkflowDefinition, { id, needs = [] }: StepDefinition): WorkflowDefinition {
  if (isAsked(definition, needs)) return definition;
  const step = word(definition, needs);
  const behind = (one: StepDefinition) => (one.id === id ? [step, { ...one, needs: [step.id] }] : [one]);
  return { ...definition, steps: definition.steps.flatMap(behind) };
}

function word(definition: WorkflowDefinition, needs: string[]): StepDefinition {
  const id = freeId(definition.steps, 'commit-word');
  const { policies: _, if_asked: __, ...step } = approval(definition, [], { id, needs });
  return { ...step, text: 'May this change be committed?' };
}

/** Whether a person sees the change after its last step and before those that need these. */
function isAsked(definition: WorkflowDefinition, needs: readonly string[]): boolean {
  const workflow = compileWorkflow(definition);
  const all = (ids: readonly string[]) => new Set(ids.flatMap((id) => [id, ...stepsBefore(workflow, id as never)]));
  const before = all(needs);
  const changes = definition.steps.filter(({ id, kind }) => kind === 'change' && before.has(id));
  return definition.steps.some(({ id, kind, about }) => {
    if (kind !== 'human' || about !== undefined || !before.has(id)) return false;
    const seen = all([id]);
    return changes.every((change) => seen.has(change.id));
  });
}

function beforeCommit(
  definition: WorkflowDefinition,
  policies: readonly ApprovalPolicy[],
  commit: StepDefinition,
): StepDefinition[] {
  const { steps } = definition;
  const asked = steps.find((one) => one.kind === 'human' && one.about === undefined && commit.needs?.includes(one.id));
  if (asked !== undefined) return steps.map((one) => (one === asked ? { ...one, policies: [...policies] } : one));
  const id = freeId(steps, `${commit.id}-${NAME}`);
  const step = approval(definition, policies, { id, needs: commit.needs ?? [] });
  return steps.flatMap((one) => (one.id === commit.id ? [step, { ...one, needs: [id] }] : [one]));
}

/** A rejection goes back to the last change before it. */
function approval(
  definition: WorkflowDefinition,
  policies: readonly ApprovalPolicy[],
  { id, needs }: { readonly id: string; readonly needs: string[] },
): StepDefinition {
  const workflow = compileWorkflow(definition);
  const before = new Set(needs.flatMap((need) => [need, ...stepsBefore(workflow, need as never)]));
  const change = definition.steps.findLast((one) => one.kind === 'change' && before.has(one.id));
  const step: StepDefinition = { id, kind: 'human', needs, policies: [...policies], if_asked: true };
  if (change !== undefined) step.on_reject = change.id;
  return step;
}

/** Every step lists its needs: a step that follows the one written before it would otherwise follow the new one. */
function withNeeds({ steps }: WorkflowDefinition): StepDefinition[] {
  return steps.map((step, n) => {
    const before = steps[n - 1];
    return { ...step, needs: step.needs ?? (before === undefined ? [] : [before.id]) };
  });
}

function endsOf(steps: readonly StepDefinition[]): string[] {
  const needed = new Set(steps.flatMap((step) => step.needs ?? []));
  return steps.flatMap(({ id }) => (needed.has(id) ? [] : [id]));
}

function freeId(steps: readonly StepDefinition[], wanted: string): string {
  const taken = new Set(steps.map(({ id }) => id));
  for (let n = 1; ; n++) {
    const id = n === 1 ? wanted : `${wanted}-${n}`;
    if (!taken.has(id)) return id;
  }
}
