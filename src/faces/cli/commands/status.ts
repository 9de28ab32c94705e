/**
 * `supervisor status`: reads little more than one page of the projection, so it is quick and blocks no other process.
 */
import { haltRequested, type ProjectOf, projectDir } from '../../../app/halt-request.ts';
import { locateProject, openToRead } from '../../../app/open-store.ts';
import type { RowCursor, Store } from '../../../engine/ports/store.ts';
import type { ProjectId } from '../../../kernel/ids.ts';
import { terminalLine } from '../../../kernel/terminal-text.ts';
import { GOAL } from '../../../mind/domain/stream-name.ts';
import type { TaskSummary } from '../../../mind/domain/task-summary.ts';
import type { TaskStatus } from '../../../mind/domain/values.ts';
import { askedNow, printAsked } from '../asked-now.ts';
import { type CommandRun, EXIT, text, UsageError, wholeNumber } from '../command.ts';
import { heldBack, printHalted, printHeld, REQUESTED } from '../held-back.ts';
import type { Output } from '../output.ts';
import { whyEnded } from '../why-ended.ts';

/** How many tasks are shown without -n. */
const PAGE = 20;
/** How many are read at once for --all. */
const ALL_PAGE = 500;
/** `show` has the whole reason. */
const MAX_WHY = 200;
/** Explains the wait of at most this many tasks. */
const EXPLAINED = 20;

export const run: CommandRun = async ({ flags, out, environment, dir }) => {
  const all = flags['all'] === true;
  const limit = wholeNumber('-n', flags['limit']) ?? (all ? ALL_PAGE : PAGE);
  let place = placeOf(text(flags['after']));
  const project = locateProject(dir);
  const of = { environment, project };
  const store = await openToRead(environment, project);
  if (store === null) return nothingYet(out, of);
  try {
    const { owner, expired } = await store.lease(project.id);
    const running = owner !== null && !expired;
    const counts = await store.countRows(project.id, 'task');
    const unfinished = ['queued', 'waiting', 'running'].reduce((sum, one) => sum + (counts.get(one) ?? 0), 0);
    const stopped = !running && unfinished > 0;
    const goal = await goalOf(store, project.id);
    const now = Date.now();
    const { halted: inLog, ...held } = await heldBack(store, project.id, now);
    const halted = inLog ?? (haltRequested(of) ? REQUESTED : null);
    if (halted !== null) printHalted(out, halted);
    const { asking, asked } = await askedNow(store, project.id, counts);
    // No process could go on with a task that waits for an answer.
    const rest = unfinished > asking ? STOPPED : ALL_ASK;
    out.heading(running ? `running (pid ${owner.pid})` : stopped ? rest : 'idle');
    if (goal !== null) out.entry('goal', goal);
    printHeld(out, held, now);
    printAsked(out, asked);
    const isAsked = new Set<string | null>(asked.map(({ task_id }) => task_id));
    const shown: object[] = [];
    let count = 0;
    let next: string | null;
    do {
      const page = await pageAt(store, project.id, place, limit);
      const tasks = page.tasks.map((task) => asItStands(task, running));
      const waits = await waitsOf(store, project.id, tasks, { stopped, now, most: EXPLAINED - count });
      if (!out.json) await printTasks(out, tasks, { waits, isAsked, ends: await whyEnded(store, project.id, tasks) });
      else
        for (const { created_at: _, ...task } of tasks)
          shown.push({ ...task, waits_for: waits.get(task.task_id) ?? [] });
      count += tasks.length;
      place = page.next;
      next = place === null ? null : placeText(place);
    } while (all && place !== null);
    out.value({
      project: project.id,
      status: halted !== null ? 'halted' : running ? 'running' : stopped ? 'stopped' : 'idle',
      halted,
      state_dir: projectDir(of),
      goal,
      ...held,
      asks: asked,
      counts: Object.fromEntries(running ? counts : withoutDriver(counts)),
      tasks: shown,
      next,
    });
    const total = counts.values().reduce((sum, one) => sum + one, 0);
    if (total === 0) out.line('  no tasks');
    if (next !== null)
      out.line(
        `  ${count} of ${total} tasks. The next ones: \`supervisor status --after ${next}\`; all of them: --all`,
      );
    return EXIT.done;
  } finally {
    await store.close();
  }
};

function nothingYet(out: Output, of: ProjectOf): number {
  const halted = haltRequested(of) ? REQUESTED : null;
  const nothing = { goal: null, parked: [], breakers: [], asks: [], counts: {}, tasks: [], next: null };
  const status = halted === null ? 'empty' : 'halted';
  out.value({ project: of.project.id, status, halted, state_dir: projectDir(of), ...nothing });
  if (halted !== null) printHalted(out, halted);
  out.line('nothing here yet: `supervisor run --simulate "…"` starts a first task');
  return EXIT.done;
}

const NO_DRIVER = 'a process that works on it';
const ALL_ASK = 'stopped: what is left waits for an answer';
const STOPPED = 'stopped: `supervisor resume TASK` goes on, and so does the next `supervisor run`';

/** Tasks are listed in these groups, newest first. */
const GROUPS = ['active', 'queued', 'ended'] as const;
type StatusGroup = (typeof GROUPS)[number];
const GROUP_OF: Readonly<Record<TaskStatus, StatusGroup>> = {
  running: 'active',
  waiting: 'active',
  paused: 'active',
  queued: 'queued',
  proposed: 'queued',
  blocked: 'ended',
  escalated: 'ended',
  accepted: 'ended',
  rejected: 'ended',
  failed: 'ended',
  cancelled: 'ended',
};

const statusesIn = (group: StatusGroup): string[] =>
  Object.entries(GROUP_OF).flatMap(([status, of]) => (of === group ? [status] : []));

/** The next page starts in this group, after this row. */
type PagePosition = { readonly group: StatusGroup; readonly after: RowCursor | null };

const placeText = ({ group, after }: PagePosition): string =>
  after === null ? group : `${group}.${after.at}.${after.stream.slice('task/'.length)}`;

function placeOf(cursor: string | undefined): PagePosition | null {
  if (cursor === undefined) return { group: GROUPS[0], after: null };
  const [, group, at, id] = /^(active|queued|ended)(?:\.(\d{1,16})\.([a-z0-9_-]+))?$/.exec(cursor) ?? [];
  if (group === undefined) throw new UsageError(`--after ${cursor}: use the cursor that \`supervisor status\` printed`);
  return { group: group as StatusGroup, after: id === undefined ? null : { at: Number(at), stream: `task/${id}` } };
}

async function pageAt(
  store: Store,
  id: ProjectId,
  from: PagePosition | null,
  limit: number,
): Promise<{ readonly tasks: readonly TaskSummary[]; readonly next: PagePosition | null }> {
  const tasks: TaskSummary[] = [];
  for (let place = from; place !== null; ) {
    const { group, after } = place;
    const query = { kind: 'task', status: statusesIn(group), after } as const;
    const left = limit - tasks.length;
    // After a full page, one more row shows whether anything follows.
    const { rows, next } = await store.rows(id, { ...query, limit: Math.max(left, 1) });
    if (left === 0 && rows.length > 0) return { tasks, next: place };
    tasks.push(...rows.map(({ summary }) => summary as unknown as TaskSummary));
    if (next !== null) return { tasks, next: { group, after: next } };
    const following = GROUPS[GROUPS.indexOf(group) + 1];
    place = following === undefined ? null : { group: following, after: null };
  }
  return { tasks, next: null };
}

/** After a kill the row still says that an attempt is running; in fact it waits for a process. */
const asItStands = (task: TaskSummary, driven: boolean): TaskSummary =>
  task.status === 'running' && !driven ? { ...task, status: 'waiting' } : task;

function withoutDriver(counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const killed = counts.get('running') ?? 0;
  if (killed === 0) return counts;
  const rest = [...counts].filter(([status]) => status !== 'running' && status !== 'waiting');
  return new Map([...rest, ['waiting', killed + (counts.get('waiting') ?? 0)]]);
}

async function printTasks(
  out: Output,
  tasks: readonly TaskSummary[],
  about: {
    readonly waits: ReadonlyMap<string, readonly string[]>;
    readonly isAsked: ReadonlySet<string | null>;
    readonly ends: Awaited<ReturnType<typeof whyEnded>>;
  },
): Promise<void> {
  const takenText = await takenTextFor(tasks);
  for (const task of tasks) {
    const { task_id: id } = task;
    // Open questions are printed at the top.
    printTask(out, task, about.isAsked.has(id) ? [] : (about.waits.get(id) ?? []), takenText);
    const why = about.ends.get(id);
    if (why !== undefined) out.entry(`      ${why.label}`, terminalLine(why.text, MAX_WHY), 'note');
  }
}

type TakenText = (task: string, taken: NonNullable<TaskSummary['taken']>) => string;

/** Loaded only if a person has taken a task on the page. */
const takenTextFor = async (tasks: readonly TaskSummary[]): Promise<TakenText> =>
  tasks.some(({ taken }) => taken !== undefined)
    ? (await import('../../../mind/approvals/taken-text.ts')).takenText
    : () => '';

function printTask(out: Output, task: TaskSummary, waits: readonly string[], takenText: TakenText): void {
  const { task_id: id, status, title, attempts, landed, landing, taken } = task;
  const tone = status === 'accepted' ? 'good' : GROUP_OF[status] === 'ended' ? 'bad' : 'note';
  const queued = landing === undefined ? '' : `, in the landing queue of ${landing}`;
  const where = landed === null ? queued : `, landed on ${landed.onto}${queued}`;
  out.entry(
    `  ${id}  ${status.padEnd(9)}`,
    `${title}  (${attempts} attempt${attempts === 1 ? '' : 's'}${where})`,
    tone,
  );
  if (taken !== undefined) out.entry('      taken', takenText(id, taken), 'note');
  else for (const why of waits) out.entry('      waits for', why, 'note');
}

async function goalOf(store: Store, id: ProjectId): Promise<string | null> {
  const summary = (await store.row(id, GOAL))?.summary as { text?: string | null } | null | undefined;
  return summary?.text ?? null;
}

/** Asks the mind only about a few tasks that wait or are paused: loading it takes longer than all the rest. */
async function waitsOf(
  store: Store,
  id: ProjectId,
  tasks: readonly TaskSummary[],
  { stopped, now, most }: { readonly stopped: boolean; readonly now: number; readonly most: number },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const waiting = tasks.filter(({ status }) => status === 'queued' || status === 'waiting');
  const asked = waiting.slice(0, Math.max(0, most));
  const { reasonsOf } = asked.length === 0 ? { reasonsOf: async () => [] } : await import('../wait-reasons.ts');
  const waits = new Map(await reasonsOf(store, id, asked, now));
  if (stopped) for (const { task_id } of waiting) if (!waits.has(task_id)) waits.set(task_id, [NO_DRIVER]);
  const paused = tasks.filter(({ status }) => status === 'paused');
  if (paused.length === 0) return waits;
  const { waitsForResume } = await import('../../../mind/scheduler/explain.ts');
  for (const { task_id } of paused) waits.set(task_id, [waitsForResume(task_id)]);
  return waits;
}
