/** What waits for a person, as `status` lists it first: questions of tasks, incidents, proposals, red branches. */
import type { RowCursor, RowPage, Store } from '../../engine/ports/store.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { TaskSummary } from '../../mind/domain/task-summary.ts';
import type { Output } from './output.ts';
import type { TaskQuestion } from './wait-reasons.ts';

/** How many rows are read at once. */
const PAGE = 500;
const MOST_INCIDENTS = 20;

type Asked = {
  readonly asked: readonly TaskQuestion[];
  /** How many tasks wait for an answer. */
  readonly asking: number;
};

/** What waits for a person: questions of tasks come first, the oldest task's before others. */
export async function askedNow(store: Store, id: ProjectId, counts: ReadonlyMap<string, number>): Promise<Asked> {
  const { asked, asking } = await askedByTasks(store, id);
  const others = [
    ...(await incidentsNow(store, id, counts)),
    ...(await proposed(store, id)),
    ...(await stoppedLines(store, id)),
  ];
  return { asked: [...asked, ...others], asking };
}

/** Unresolved incidents, newest first, as many as fit a page. */
async function incidentsNow(store: Store, id: ProjectId, counts: ReadonlyMap<string, number>): Promise<TaskQuestion[]> {
  const status = ['escalated', 'blocked'];
  if (status.every((one) => (counts.get(one) ?? 0) === 0)) return [];
  const { rows } = await store.rows(id, { kind: 'task', status, limit: MOST_INCIDENTS });
  return rows.flatMap(({ summary }) => {
    const { task_id, title, status: stands, resolved } = summary as unknown as TaskSummary;
    const answer = `supervisor incidents show ${task_id}`;
    return resolved === true ? [] : [{ task_id, title, step: null, text: `it is ${stands} and needs you`, answer }];
  });
}

async function proposed(store: Store, id: ProjectId): Promise<TaskQuestion[]> {
  if ((await store.countRows(id, 'proposal')).size === 0) return [];
  const { proposedNow } = await import('../../app/proposals.ts');
  return (await proposedNow(store, id)).map(({ proposal, text, by }) => ({
    task_id: null,
    title: proposal,
    step: null,
    text: `${by} proposes to ${text}`,
    answer: `supervisor proposals show ${proposal}`,
  }));
}

/** Branches that are red by themselves: their landing queues wait until a person has repaired them. */
async function stoppedLines(store: Store, id: ProjectId): Promise<TaskQuestion[]> {
  const { rows } = await store.rows(id, { kind: 'line', limit: PAGE });
  if (rows.every(({ status }) => status === 'idle')) return [];
  const { readLines } = await import('../../app/lines.ts');
  return (await readLines(store, id)).flatMap(({ name, stopped, queue: [first] }) => {
    if (stopped === undefined || first === undefined) return [];
    const text = `${name} is red by itself (gate ${stopped.gates.join(', ')}): repair it, then its landing queue goes on`;
    return [{ task_id: first.task, title: name, step: null, text, answer: `supervisor land ${first.task}` }];
  });
}

/** Loads the mind only if a task asks something. */
async function askedByTasks(store: Store, id: ProjectId): Promise<Asked> {
  const asked: TaskQuestion[] = [];
  let asking = 0;
  for (let after: RowCursor | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
    const page: RowPage = await store.rows(id, { kind: 'task', asks: true, order: 'oldest', after, limit: PAGE });
    if (page.rows.length === 0) break;
    const { questionsNow } = await import('./wait-reasons.ts');
    const tasks = page.rows.map(({ summary }) => summary as unknown as TaskSummary);
    asked.push(...(await questionsNow(store, id, tasks)));
    asking += tasks.filter(({ status }) => status === 'waiting').length;
    after = page.next;
  }
  return { asked, asking };
}

export function printAsked(out: Output, asked: readonly TaskQuestion[]): void {
  if (asked.length === 0) return;
  out.heading('waits for you');
  for (const { task_id: id, title, text, answer } of asked) {
    out.entry(`  ${id ?? title}`, text, 'note');
    out.entry('      answer', answer);
  }
}
