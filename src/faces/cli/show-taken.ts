/** Shows a person the step they took: where it is, what is red, and what to do next. */
import { loadSettings } from '../../app/config/files.ts';
import { feedbackOfTask } from '../../app/feedback.ts';
import { locateProject } from '../../app/open-store.ts';
import { redactorAnyway } from '../../app/redactor.ts';
import { redGatesIn, writeFeedback } from '../../app/take.ts';
import type { TaskView } from '../../app/task-view.ts';
import type { Store } from '../../engine/ports/store.ts';
import { personOf } from '../../mind/approvals/people.ts';
import type { Taken } from '../../mind/domain/taken.ts';

import { locateCheckout } from '../../os/git/locate.ts';
import type { CommandContext } from './command.ts';

/** `dir` of the context is the operator's own checkout. `quiet`: only writes the feedback file again. */
export async function tellTaken(
  { out, environment, dir }: CommandContext,
  store: Store,
  view: TaskView,
  { taken, already, quiet = false }: { readonly taken: Taken; readonly already: boolean; readonly quiet?: boolean },
): Promise<void> {
  const { task } = view;
  const documents = (await feedbackNow({ environment, dir }, store, view)).filter(({ step }) => step === taken.step);
  const gitDir = locateCheckout(taken.dir)?.gitDir ?? null;
  const file = gitDir === null ? null : writeFeedback(gitDir, task.id, documents);
  if (quiet) return;
  const gates = redGatesIn(documents);
  out.value({
    task_id: task.id,
    step: taken.step,
    by: personOf(taken.by),
    since: taken.at,
    dir: taken.dir,
    base: taken.base,
    change_id: taken.on?.change_id ?? null,
    feedback_file: file,
    gates,
    already,
  });
  out.entry('taken', `${task.id}: ${task.title} (step ${taken.step})`, 'good');
  out.entry('  in', taken.dir);
  out.entry('  begins with', taken.on === null ? `the base, ${taken.base.slice(0, 12)}` : changeText(taken.on));
  for (const { gate, status, command, at } of gates) {
    const where = at === null ? '' : ` at ${at}`;
    out.entry(`  gate ${gate}`, `${status === 'fail' ? 'red' : 'could not run'}${where}`, 'bad');
    if (command !== null) out.entry('    run it', command);
  }
  for (const { first_failure: first } of documents)
    for (const line of first.lines.slice(0, MOST_LINES)) out.line(`  | ${line}`, 'note');
  if (file !== null && documents.length > 0) out.entry('  feedback', file);
  out.line(`\`supervisor give\` there hands it in; \`supervisor take ${task.id} --drop\` leaves it to the workers`);
}

const MOST_LINES = 12;

const changeText = ({ change_id }: NonNullable<Taken['on']>): string =>
  `change ${change_id.slice(0, 12)}, staged: \`git diff --cached\` shows it`;

/** Uses the paths that are protected now; an unreadable config is reported by other commands. */
async function feedbackNow(
  { environment, dir }: Pick<CommandContext, 'environment' | 'dir'>,
  store: Store,
  view: TaskView,
) {
  const { id } = locateProject(dir);
  const settings = settingsAt(() => loadSettings(environment, { id, top: dir }).settings);
  return feedbackOfTask(view, { store, redact: redactorAnyway(environment), settings, now: Date.now() });
}

function settingsAt<T>(load: () => T): T | null {
  try {
    return load();
  } catch {
    return null;
  }
}
