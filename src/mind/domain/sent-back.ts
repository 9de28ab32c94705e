/** What a step remembers of rejected attempts: which errors, how often, and the judged changes. */
import type { StepId } from '../../kernel/ids.ts';
import type { EventData } from './events/index.ts';
import type { Dismissed, Step, Task } from './task.ts';
import type { BlockingFinding, Candidate, DiffFacts } from './values.ts';

/** Logs older than signatures compare the sentences. */
export function isSameError(step: Step, { signature, reason }: EventData<'attempt.settled'>): boolean {
  return signature === undefined ? reason === step.feedback : step.errors?.[signature] !== undefined;
}

/** Only errors with a signature count, so that older logs fold as before. */
export function countedErrors(
  { errors = {}, tried = [], place }: Step,
  { signature }: EventData<'attempt.settled'>,
): Pick<Step, 'errors' | 'tried'> {
  if (signature === undefined) return {};
  const counted = { errors: { ...errors, [signature]: (errors[signature] ?? 0) + 1 } };
  const tree = place.at === 'checking' ? place.product.candidate?.tree : undefined;
  return tree === undefined || tried.includes(tree) ? counted : { ...counted, tried: [...tried, tree] };
}

/** A gate step sends the task back: it counts the failure, and the step that has to mend it is told of a repetition. */
export function countedNo(
  { errors = {} }: Step,
  signature: string | undefined,
): { readonly counted: Pick<Step, 'errors'>; readonly told: Pick<Step, 'repeated'> } {
  if (signature === undefined) return { counted: {}, told: {} };
  const before = errors[signature] ?? 0;
  return {
    counted: { errors: { ...errors, [signature]: before + 1 } },
    told: before > 0 ? { repeated: true } : {},
  };
}

/** The log stores dismissed findings of a diff under this name, as it stores those of a gate under the gate's. */
export const DIFF = 'diff';

/** The findings that still refuse a change; null if it was not refused for findings with ids. */
function stillBlocking(
  diff: DiffFacts | undefined,
  dismissed: readonly Dismissed[] = [],
  change: string,
): readonly BlockingFinding[] | null {
  if (diff?.blocks !== true || diff.blocked_by === undefined || diff.blocked_by.length === 0) return null;
  const gone = dismissed.filter((one) => one.gate === DIFF && one.change_id === change).map(({ id }) => id);
  return diff.blocked_by.filter(({ id }) => !gone.includes(id));
}

/** The same for the step's last change, if its text refused it. */
export function blockingSentBack({ verdict, dismissed }: Task, { sentBack }: Partial<Pick<Step, 'sentBack'>>) {
  if (sentBack === undefined || verdict?.on.change_id !== sentBack.change_id) return null;
  return stillBlocking(verdict.diff, dismissed, sentBack.change_id);
}

/** The step that waits for an analysis; undefined if none does any more. */
export const waitsForAnalysis = ({ open, steps }: Pick<Task, 'open' | 'steps'>, id: StepId): Step | undefined =>
  open
    .flatMap((other) => steps.get(other) ?? [])
    .find(({ place }) => place.at === 'ready' && place.awaits?.includes(id));

/** The change that it is about. */
export function analysedChange(task: Task, id: StepId): Candidate | null {
  const step = waitsForAnalysis(task, id);
  return step?.sentBack ?? step?.made?.at(-1)?.candidate ?? task.candidate;
}
