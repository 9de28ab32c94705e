/** `supervisor status`: reads the projection and little more, so it is quick and never in anybody's way. */
import { locateProject, openToRead } from '../../../app/open-store.ts';
import { loadStream } from '../../../engine/loading.ts';
import type { Store, StreamRow } from '../../../engine/ports/store.ts';
import type { ProjectId, TaskId } from '../../../kernel/ids.ts';
import { parkedAt } from '../../../mind/domain/host.ts';
import { EMPTY_PROJECT, type Project, taskStream } from '../../../mind/domain/project.ts';
import type { TaskSummary } from '../../../mind/protocol/task-summary.ts';
import { quotaText } from '../../../mind/scheduler/chain.ts';
import { waitsForClis } from '../../../mind/scheduler/explain.ts';
import { type CommandRun, EXIT } from '../command.ts';
import type { Output } from '../output.ts';

const CLOSED = new Set(['accepted', 'rejected', 'failed', 'cancelled']);
/** How many closed tasks are shown without --all. */
const NEWEST = 10;
/** Of how many waiting tasks the reason is looked up. */
const EXPLAINED = 20;

export const run: CommandRun = async ({ flags, out, environment, dir }) => {
  const project = locateProject(dir);
  const store = await openToRead(environment, project);
  if (store === null) {
    out.value({ project: project.id, status: 'empty', goal: null, parked: [], breakers: [], tasks: [] });
    out.line('nothing here yet: `supervisor run --simulate "…"` starts a first task');
    return EXIT.done;
  }
  try {
    const tasks = (await store.streams(project.id, 'task/'))
      .map((row) => row.summary as unknown as TaskSummary)
      .sort((a, b) => a.created_at - b.created_at);
    const goal = goalOf(await store.streams(project.id, 'goal'));
    const { owner, expired } = await store.lease(project.id);
    const running = owner !== null && !expired;
    const now = Date.now();
    const shared = await sharedFacts(store, project.id);
    const held = heldBack(shared, now);
    const waits = await waitsOf(store, project.id, shared, tasks, now);
    out.value({
      project: project.id,
      status: running ? 'running' : 'idle',
      goal,
      ...held,
      tasks: tasks.map(({ created_at: _, ...task }) => ({ ...task, waits_for: waits.get(task.task_id) ?? [] })),
    });
    out.heading(running ? `running (pid ${owner.pid})` : 'idle');
    if (goal !== null) out.entry('goal', goal);
    printHeld(out, shared, held, now);
    const closed = tasks.filter((task) => CLOSED.has(task.status));
    const hidden = flags['all'] === true ? [] : closed.slice(0, Math.max(0, closed.length - NEWEST));
    for (const task of tasks) {
      if (hidden.includes(task)) continue;
      const tone =
        task.status === 'accepted' ? 'good' : CLOSED.has(task.status) || task.status === 'escalated' ? 'bad' : 'note';
      out.entry(
        `  ${task.task_id}  ${task.status.padEnd(9)}`,
        `${task.title}  (${task.attempts} attempt${task.attempts === 1 ? '' : 's'})`,
        tone,
      );
      for (const why of waits.get(task.task_id) ?? []) out.entry('      waits for', why, 'note');
    }
    if (tasks.length === 0) out.line('  no tasks');
    if (hidden.length > 0) out.line(`  and ${hidden.length} older closed ones (--all)`);
    return EXIT.done;
  } finally {
    await store.close();
  }
};

function goalOf(rows: readonly StreamRow[]): string | null {
  const summary = rows[0]?.summary as { text?: string | null } | null | undefined;
  return summary?.text ?? null;
}

/** What the machine and the board know of CLIs: which take no work, and why. */
async function sharedFacts(store: Store, id: ProjectId): Promise<Project> {
  const { project } = await loadStream(store, 'host', 'host', EMPTY_PROJECT);
  return (await loadStream(store, id, 'board', project)).project;
}

type Held = {
  readonly parked: readonly { readonly cli: string; readonly until: number; readonly told: boolean }[];
  readonly breakers: readonly string[];
};

function heldBack({ host, board }: Project, now: number): Held {
  const parked = [...host.parked.keys()].flatMap((cli) => {
    const parking = parkedAt(host, cli, now);
    return parking === null ? [] : [{ cli, until: parking.until, told: parking.told }];
  });
  return { parked, breakers: [...board.breakers].flatMap(([lane, { open }]) => (open ? [lane] : [])) };
}

function printHeld(out: Output, { host }: Project, { parked, breakers }: Held, now: number): void {
  for (const { cli } of parked) {
    const parking = parkedAt(host, cli, now);
    if (parking !== null) out.entry('parked', quotaText(cli, parking, now), 'note');
  }
  for (const lane of breakers)
    out.entry(
      'breaker',
      `${lane} is open after repeated failures; \`supervisor reset ${lane}\` when it works again`,
      'bad',
    );
}

/** Why tasks wait, as far as it hangs on CLIs; of the first few, so that a long queue costs no more than a short one. */
async function waitsOf(
  store: Store,
  id: ProjectId,
  shared: Project,
  tasks: readonly TaskSummary[],
  now: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  const waiting = tasks.filter(({ status }) => status === 'queued' || status === 'waiting').slice(0, EXPLAINED);
  for (const { task_id } of waiting) {
    const { project } = await loadStream(store, id, taskStream(task_id as TaskId), shared);
    const task = project.tasks.get(task_id);
    if (task === undefined) continue;
    const known = await loadStream(store, id, `workflow/${task.workflow.slice(0, 12)}`, project);
    const why = waitsForClis(known.project, task, now);
    if (why.length > 0) found.set(task_id, why);
  }
  return found;
}
