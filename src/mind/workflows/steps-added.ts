/**
 * Steps that no file contains: the gates of `hooks.pre_commit`, and those of the settings `auto_pr` and
 * `require_changelog`.
 */
import type { StepDraft } from './extend.ts';
import type { StepDefinition } from './step.ts';

/** A step and the file's step that it stands for; null if a setting or a hook made it. */
export type WrittenStep = { readonly step: StepDefinition; readonly draft: StepDraft | null };

export const HOOK = 'pre_commit';
const PULL_REQUEST = 'pull_request';

/** A gate step before the commit, and before the person who approves it; without a commit step, at the end. */
export function withHook(written: readonly WrittenStep[]): WrittenStep[] {
  const steps = written.map(({ step }) => step);
  const commit = steps.find((step) => step.kind === 'commit');
  const person = steps.find(
    (step) => step.kind === 'human' && commit?.needs?.includes(step.id) === true && step.id === `${commit.id}-approval`,
  );
  const before = person ?? commit;
  const needs = before === undefined ? endsOf(steps) : (before.needs ?? []);
  const hook: StepDefinition = { id: HOOK, kind: 'gate', needs };
  const back = backTo(steps, needs);
  if (back !== null) hook.on_fail = back;
  const added: WrittenStep = { step: hook, draft: null };
  if (before === undefined) return [...written, added];
  return written.flatMap((one) =>
    one.step === before ? [added, { ...one, step: { ...one.step, needs: [HOOK] } }] : [one],
  );
}

/** After the commit, unless the workflow has one. */
export function withPullRequest(written: readonly WrittenStep[]): WrittenStep[] {
  const steps = written.map(({ step }) => step);
  const commit = steps.find((step) => step.kind === 'commit');
  if (commit === undefined || steps.some((step) => step.kind === 'pull_request')) return [...written];
  return [...written, { step: { id: PULL_REQUEST, kind: 'pull_request', needs: [commit.id] }, draft: null }];
}

/** A commit without a changelog entry sends the task back to its last change. */
export function withChangelog(written: readonly WrittenStep[]): WrittenStep[] {
  const steps = written.map(({ step }) => step);
  return written.map((one) => {
    if (one.step.kind !== 'commit') return one;
    const change = nearest(steps, one.step.needs ?? [], (step) => step.kind === 'change');
    return change === null ? one : { ...one, step: { ...one.step, require_changelog: true, on_reject: change.id } };
  });
}

function endsOf(steps: readonly StepDefinition[]): string[] {
  const needed = new Set(steps.flatMap((step) => step.needs ?? []));
  return steps.flatMap(({ id }) => (needed.has(id) ? [] : [id]));
}

/** Where a failed check sends the change: like the nearest earlier gate step, else to the last change. */
function backTo(steps: readonly StepDefinition[], to: readonly string[]): string | null {
  const gate = nearest(steps, to, (step) => step.kind === 'gate' && step.on_fail !== undefined);
  return gate?.on_fail ?? nearest(steps, to, (step) => step.kind === 'change')?.id ?? null;
}

/** The first matching step on the way back. */
function nearest(
  steps: readonly StepDefinition[],
  from: readonly string[],
  fits: (step: StepDefinition) => boolean,
): StepDefinition | null {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const queue = [...from];
  const before = new Set<StepDefinition>();
  for (const id of queue) {
    const step = byId.get(id);
    if (step === undefined || before.has(step)) continue;
    if (fits(step)) return step;
    before.add(step);
    queue.push(...(step.needs ?? []));
  }
  return null;
}
