/** `run --detach`: a driver for one task that outlives the terminal it was started from. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TaskId } from '../kernel/ids.ts';
import { startDetached } from '../os/process/detached.ts';
import { childVariables, type Environment } from './config/environment.ts';
import { NotReady } from './not-ready.ts';
import type { OpenedProject } from './open.ts';
import type { ProjectAt } from './open-store.ts';
import { lastLines, taskTranscripts } from './transcripts.ts';

type Driver = { readonly pid: number; readonly log: string };

/** How long a new driver may take to get the lease, or to find another process that has it. */
const START_MS = 30_000;

/** The task exists already; the driver continues it as `supervisor resume` does. */
export async function detachDriver(
  environment: Environment,
  project: ProjectAt,
  { store }: OpenedProject,
  driven: { readonly task: TaskId; readonly dir: string; readonly flags: readonly string[] },
): Promise<Driver> {
  const { task, dir, flags } = driven;
  const log = join(taskTranscripts(environment, project.id, task), 'driver.log');
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 });
  const [program = ''] = process.argv.slice(1);
  const driver = await startDetached(
    process.execPath,
    [...process.execArgv, program, 'resume', task, '--project', dir, ...flags],
    { env: childVariables(environment), cwd: dir, log },
  );
  let ended = false;
  driver.exited.then(() => {
    ended = true;
  });
  const until = Date.now() + START_MS;
  for (;;) {
    const { owner, expired } = await store.lease(project.id);
    if (owner !== null && !expired) return { pid: driver.pid, log };
    if (ended || Date.now() > until) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  // Either it is slow to start, or a short task ended before the first look.
  if (!ended || (await driver.exited) === 0) return { pid: driver.pid, log };
  const why = lastLines(log, 3).join(' ') || `its output is in ${log}`;
  throw new NotReady(`the background process for ${task} ended: ${why}`);
}
