/** Whether an accepted task may land, and which gates check it again on a line that has moved. */
import { type Rejection, rejected } from '../../kernel/result.ts';
import { uncheckedChanges, type Workflow } from '../workflows/workflow.ts';
import { type RedGate, redText, statusOf, type Task } from './task.ts';

/** Blocking gates of changes and of gate steps. */
export function blockingGates({ steps }: Workflow): string[] {
  const checked = [...steps.values()].filter((step) => step.kind === 'change' || step.kind === 'gate');
  return [...new Set(checked.flatMap((step) => step.gates.filter((gate) => !step.advisory.has(gate))))];
}

/** Blocking gates that are red because the base is: such a task is accepted but not verified. */
export function blockingRed({ red = [] }: Pick<Task, 'red'>, workflow: Workflow): readonly RedGate[] {
  const blocking = new Set(blockingGates(workflow));
  return red.filter(({ gate }) => blocking.has(gate));
}

/** Whether blocking gates check every change, for real and in a sandbox. A task without them never lands by itself. */
export function isChecked({ spec }: Pick<Task, 'spec'>, workflow: Workflow): boolean {
  if (spec.simulated === true || spec.unsafe_no_sandbox === true) return false;
  return uncheckedChanges(workflow).length === 0;
}

/** Why the task may not land; null if it may. `redTests`: names for the message, if the caller knows them. */
export function landRefusal(
  task: Task,
  workflow: Workflow,
  { unverified, redTests = [] }: { readonly unverified: boolean; readonly redTests?: readonly string[] },
): Rejection | null {
  const { closed, candidate } = task;
  if (closed === null)
    return rejected('not_accepted', `task ${task.id} has not ended and has no commit: nothing can land`);
  if (closed.status !== 'accepted' || closed.commit === null || candidate === null)
    return rejected('not_accepted', `task ${task.id} is ${statusOf(task)} and has no commit: nothing can land`);
  if (!isChecked(task, workflow) && !unverified)
    return rejected(
      'unverified',
      `no gate checked task ${task.id} in a sandbox (--no-gates or --unsafe-no-sandbox): look at ${closed.branch}, then pass --unverified`,
    );
  if (blockingRed(task, workflow).length === 0) return null;
  return redRefusal(task, { unverified, red: task.red ?? [], redTests, look: `look at ${closed.branch}` });
}

/** What to do about tests that are red on the line itself. */
export const LOOK_AT_LINE = 'nothing was landed; look at the branch it would land on';

/** A change that is red because its base is lands only if the operator allowed it, at creation or now. */
export function redRefusal(
  { spec }: Pick<Task, 'spec'>,
  ask: {
    readonly unverified: boolean;
    readonly red: readonly RedGate[];
    readonly redTests?: readonly string[];
    readonly look: string;
  },
): Rejection | null {
  if (ask.red.length === 0 || ask.unverified || spec.red_base === 'keep') return null;
  const { redTests = [] } = ask;
  const shown = redTests.slice(0, 5).join(', ');
  const names =
    redTests.length === 0 ? '' : ` (${shown}${redTests.length > 5 ? ` and ${redTests.length - 5} more` : ''})`;
  return rejected(
    'unverified',
    `${ask.red.map(redText).join('; ')}${names}: ${ask.look}, then pass --unverified; \`run --keep-red\` allows it beforehand, \`run --fix-base\` requires them to pass`,
  );
}
