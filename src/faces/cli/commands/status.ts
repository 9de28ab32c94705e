/** `supervisor status`: reads the projection and little more, so it is quick and never in anybody's way. */
import { locateProject, openToRead } from '../../../app/open-store.ts';
import type { Store, StreamRow } from '../../../engine/ports/store.ts';
import type { ProjectId } from '../../../kernel/ids.ts';
import { quotaText } from '../../../mind/protocol/quota-text.ts';
import type { TaskSummary } from '../../../mind/protocol/task-summary.ts';
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
    const held = await heldBack(store, project.id, now);
    const waiting = tasks.filter(({ status }) => status === 'queued' || status === 'waiting').slice(0, EXPLAINED);
    const waits = await waitsOf(store, project.id, waiting, now);
    out.value({
      project: project.id,
      status: running ? 'running' : 'idle',
      goal,
      ...held,
      tasks: tasks.map(({ created_at: _, ...task }) => ({ ...task, waits_for: waits.get(task.task_id) ?? [] })),
    });
    out.heading(running ? `running (pid ${owner.pid})` : 'idle');
    if (goal !== null) out.entry('goal', goal);
    printHeld(out, held, now);
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

type Parking = { readonly cli: string; readonly until: number; readonly told: boolean };
type Held = { readonly parked: readonly Parking[]; readonly breakers: readonly string[] };

/** What the machine and the board know of CLIs: which take no work, and why. */
async function heldBack(store: Store, id: ProjectId, now: number): Promise<Held> {
  const [host] = await store.streams('host', 'host');
  const [board] = await store.streams(id, 'board');
  const { parked = [] } = (host?.summary ?? {}) as { parked?: Parking[] };
  const { breakers = [] } = (board?.summary ?? {}) as { breakers?: string[] };
  return { parked: parked.filter(({ until }) => until > now), breakers };
}

function printHeld(out: Output, { parked, breakers }: Held, now: number): void {
  for (const parking of parked) out.entry('parked', quotaText(parking.cli, parking, now), 'note');
  for (const lane of breakers)
    out.entry(
      'breaker',
      `${lane} is open after repeated failures; \`supervisor reset ${lane}\` when it works again`,
      'bad',
    );
}

/** The mind is asked only when somebody waits: to load it takes longer than all the rest. */
async function waitsOf(
  store: Store,
  id: ProjectId,
  waiting: readonly TaskSummary[],
  now: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (waiting.length === 0) return new Map();
  const { reasonsOf } = await import('../waits.ts');
  return reasonsOf(store, id, waiting, now);
}
