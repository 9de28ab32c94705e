/** The part of a task's evidence about its commits and landings: the queue's events, and git's commits and trees. */
import type { Store, StoredEvent } from '../../engine/ports/store.ts';
import type { Redact } from '../../engine/ports/surroundings.ts';
import type { ProjectId, TaskId } from '../../kernel/ids.ts';
import type { Member } from '../../mind/bundle/format.ts';
import { commitIn, looseObject, treeDiff } from '../../mind/bundle/git-objects.ts';
import { lineStream } from '../../mind/domain/stream-name.ts';
import { type GitCall, tryGit } from '../../os/git/git.ts';
import type { TaskView } from '../task-view.ts';
import { landingsIn } from './landings.ts';

/** The events of each line that are about the task, in the order of the log. */
export async function queueEvents(
  store: Store,
  project: ProjectId,
  { events, task }: TaskView,
): Promise<StoredEvent[]> {
  const lines = new Set(events.flatMap((event) => (event.type === 'task.landing' ? [event.data.onto] : [])));
  const found: StoredEvent[] = [];
  for (const line of lines) {
    const all = (await store.readStream(project, lineStream(line), 0)).events;
    found.push(...all.filter(({ data }) => isAbout(data, task.id)));
  }
  return found.sort((a, b) => a.seq - b.seq);
}

export const isAbout = (data: unknown, task: TaskId): boolean =>
  data !== null && typeof data === 'object' && 'task' in data && data.task === task;

/** Commits of the task with their first parents, and the trees that show the change between them. */
export async function objectMembers(
  { task, workflow }: TaskView,
  events: readonly StoredEvent[],
  { call, redact }: { readonly call: GitCall; readonly redact: Redact },
): Promise<Member[]> {
  const { candidate, closed } = task;
  if (candidate === null || closed?.commit == null) return [];
  const landings = landingsIn(events, task.id, workflow).flatMap((one) => (typeof one === 'string' ? [] : [one]));
  const pairs = [
    [candidate.base, closed.commit],
    ...landings.flatMap(({ lands, commit }) => (lands === null ? [] : [[lands.base, commit]])),
  ];
  const objects = new Map<string, string>();
  const fetch = async (type: 'commit' | 'tree', ids: readonly string[]) => {
    const wanted = [...new Set(ids)].filter((id) => !objects.has(id));
    for (const [id, body] of await read(type, wanted, call))
      if (type === 'tree' || (await isClean(body, redact))) objects.set(id, looseObject(type, body));
    return wanted.some((id) => objects.has(id));
  };
  await fetch('commit', pairs.flat());
  for (const [base = '', commit = ''] of pairs) {
    const [one, other] = [commitIn(objects, base), commitIn(objects, commit)];
    if (one === null || other === null) continue;
    let open = treeDiff(objects, one.tree, other.tree).missing;
    while (open.length > 0 && (await fetch('tree', open))) open = treeDiff(objects, one.tree, other.tree).missing;
  }
  return [...objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, content]) => ({ name: `git/${id}`, content }));
}

/** Reads the objects that exist, as byte strings. */
async function read(type: string, ids: readonly string[], call: GitCall): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  if (ids.length === 0) return found;
  const input = `${ids.join('\n')}\n`;
  const { code, stdout } = await tryGit(['cat-file', '--batch'], { ...call, input, encoding: 'latin1' });
  if (code !== 0) return found;
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf('\n', at);
    const [id = '', kind, size] = stdout.slice(at, end).split(' ');
    // `ID missing` has no contents.
    if (size === undefined) {
      at = end + 1;
      continue;
    }
    if (kind === type) found.set(id, stdout.slice(end + 1, end + 1 + Number(size)));
    at = end + 1 + Number(size) + 1;
  }
  return found;
}

/** A message or author with a secret in it cannot be shown: a redacted text would not match its hash. */
async function isClean(bytes: string, redact: Redact): Promise<boolean> {
  const text = Buffer.from(bytes, 'latin1').toString('utf8');
  const [clean] = await redact([text]);
  return clean === text;
}
