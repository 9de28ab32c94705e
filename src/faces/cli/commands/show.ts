/** `supervisor show TASK`: one task, whole. */
import { locateProject, openToRead } from '../../../app/open-store.ts';
import { findTask, viewTask } from '../../../app/task-view.ts';
import { runReport } from '../../../mind/protocol/run-report.ts';
import { waitsFor } from '../../../mind/scheduler/explain.ts';
import { type CommandRun, EXIT } from '../command.ts';
import { printReport } from '../report.ts';

export const run: CommandRun = async ({ args, out, environment, dir }) => {
  const project = locateProject(dir);
  const store = await openToRead(environment, project);
  if (store === null) {
    out.error('unknown_task', 'this project has no tasks yet');
    return EXIT.failed;
  }
  try {
    const id = await findTask(store, project.id, args[0] ?? '');
    if (typeof id !== 'string') {
      out.error(id.code, id.message);
      return EXIT.failed;
    }
    const view = await viewTask(store, project.id, id);
    const report = runReport(view.task, view.workflow, view.events);
    const waits = waitsFor(view.project, view.task, view.task.updated);
    out.value({ ...report, spec: view.task.spec, waits_for: waits });
    printReport(out, report);
    for (const line of waits) out.entry('  waits for     ', line, 'note');
    for (const [step, { feedback }] of view.task.steps)
      if (feedback !== null) out.entry('  feedback      ', `${step}: ${feedback}`);
    if (report.refused_outcomes > 0)
      out.entry('  refused       ', `${report.refused_outcomes} outcome(s) that came too late`);
    return EXIT.done;
  } finally {
    await store.close();
  }
};
