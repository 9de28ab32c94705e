/** Collects the evidence of one task for `supervisor export`: what others need to check it without the log. */

import type { Store, StoredEvent } from '../../engine/ports/store.ts';
import type { Redact } from '../../engine/ports/surroundings.ts';
import { GENESIS } from '../../kernel/hash.ts';
import type { BlobHash, ProjectId } from '../../kernel/ids.ts';
import { canonicalJson } from '../../kernel/json.ts';
import type { FileChange, FileSide } from '../../mind/bundle/file-change.ts';
import type { Member } from '../../mind/bundle/format.ts';
import { parseRawDiff, type RawEntry } from '../../mind/candidates/raw-diff.ts';
import { taskStream, workflowStream } from '../../mind/domain/stream-name.ts';
import type { Candidate } from '../../mind/domain/values.ts';
import { runReport } from '../../mind/protocol/run-report.ts';
import { type GitCall, git, tryGit } from '../../os/git/git.ts';
import { ownerOf } from '../../os/git/owner.ts';
import { redTests, type TaskView } from '../task-view.ts';
import { objectMembers, queueEvents } from './export-landing.ts';

/** Larger files are listed by hash only. */
const MAX_FILE = 1 << 20;

type From = {
  readonly store: Store;
  readonly project: { readonly id: ProjectId; readonly commonDir: string };
  readonly view: TaskView;
  readonly redact: Redact;
};

/** The order is fixed, so that one state of the log always gives the same bundle. */
export async function evidenceOf({ store, project, view, redact }: From): Promise<Member[]> {
  const { task, workflow, events } = view;
  const own = (await store.readStream(project.id, taskStream(task.id), 0)).events;
  const queue = await queueEvents(store, project.id, view);
  const [chained, landing] = [
    await chainedEvents(store, project.id, own),
    await chainedEvents(store, project.id, queue),
  ];
  const texts = await textsOf(store, [...chained, ...landing]);
  const report = runReport(task, workflow, events, await redTests(store, view));
  const members: Member[] = [
    { name: 'events', content: linesOf(chained) },
    ...(landing.length === 0 ? [] : [{ name: 'landing/events', content: linesOf(landing) }]),
    { name: 'workflow', content: canonicalJson(await pinned(store, project.id, task.workflow)) },
    { name: 'report', content: canonicalJson(report) },
    { name: 'absent', content: canonicalJson(texts.absent) },
    ...texts.members,
  ];
  const { candidate } = task;
  if (candidate === null) return members;
  const call = { dir: project.commonDir, owner: ownerOf(project.commonDir) };
  const objects = await objectMembers(view, [...own, ...queue], { call, redact });
  return [...members, ...(await changeMembers(candidate, call, redact)), ...objects];
}

const linesOf = (chained: readonly ChainedEvent[]): string => chained.map((one) => canonicalJson(one)).join('\n');

/** An event, and the hash that it builds on: events of other tasks lie between. */
export type ChainedEvent = { readonly before: string; readonly event: StoredEvent };

function chainedEvents(store: Store, project: ProjectId, events: readonly StoredEvent[]): Promise<ChainedEvent[]> {
  return Promise.all(
    events.map(async (event) => {
      const [last] = event.seq === 1 ? [] : await store.readLog(project, event.seq - 2, 1);
      return { before: last?.hash ?? GENESIS, event };
    }),
  );
}

async function pinned(store: Store, project: ProjectId, workflow: string): Promise<unknown> {
  const { events } = await store.readStream(project, workflowStream(workflow as never), 0);
  const data = events[0]?.data as { readonly definition?: unknown } | undefined;
  return data?.definition ?? null;
}

const HASH = /^[0-9a-f]{64}$/;

/** Every text that the events name, and the packets that their records name. */
async function textsOf(store: Store, chained: readonly ChainedEvent[]) {
  const queue = [...new Set(chained.flatMap(({ event }) => textNames(event.data)))];
  const seen = new Set(queue);
  const members: Member[] = [];
  const absent: { hash: string; state: string }[] = [];
  for (const hash of queue) {
    const blob = await store.blob(hash as BlobHash);
    if (blob.type !== 'content') {
      absent.push({ hash, state: blob.type });
      continue;
    }
    members.push({ name: `text/${hash}`, content: blob.content });
    for (const further of packetsIn(blob.content)) {
      if (seen.has(further)) continue;
      seen.add(further);
      queue.push(further);
    }
  }
  return { members, absent };
}

/** The fields of events that name a text. Other hashes, such as a change id, name none. */
const TEXT_FIELDS = new Set(['answer', 'evidence', 'record', 'feedback_document']);

export function textNames(data: unknown): string[] {
  if (data === null || typeof data !== 'object') return [];
  if (Array.isArray(data)) return data.flatMap(textNames);
  return Object.entries(data).flatMap(([key, value]) =>
    TEXT_FIELDS.has(key) && typeof value === 'string' && HASH.test(value) ? [value] : textNames(value),
  );
}

/** The record of an attempt is one line of JSON; it names the packet that the worker received. */
export function packetsIn(text: string): string[] {
  if (!text.startsWith('{"version":')) return [];
  return [...text.matchAll(/"packet":"([0-9a-f]{64})"/g)].map((match) => match[1] as string);
}

async function changeMembers({ base, tree }: Candidate, call: GitCall, redact: Redact): Promise<Member[]> {
  const form = ['-r', '-z', '--raw', '--no-renames', '--full-index'];
  const { code, stdout: raw } = await tryGit(['diff-tree', ...form, base, tree, '--'], { ...call, encoding: 'latin1' });
  if (code !== 0) return [];
  const patch = await git(
    ['diff-tree', '-r', '--no-ext-diff', '--no-textconv', '--no-renames', '-p', base, tree, '--'],
    call,
  );
  const [shown = ''] = await redact([patch]);
  const files: FileChange[] = [];
  const side = (entry: RawEntry | null) => (entry === null ? null : sideOf(entry, call, redact));
  for (const { path, before, after } of parseRawDiff(raw))
    files.push({ path, before: await side(before), after: await side(after) });
  return [
    { name: 'change/raw', content: raw },
    { name: 'change/files', content: canonicalJson(files) },
    { name: 'change/diff', content: shown },
  ];
}

async function sideOf({ id, mode }: RawEntry, call: GitCall, redact: Redact): Promise<FileSide> {
  const none = (why: FileSide['why']): FileSide => ({ id, mode, text: null, why });
  // A link only holds a path, and a submodule holds no text of this repository.
  if (mode === '160000') return none('gone');
  const size = await tryGit(['cat-file', '-s', id], call);
  if (size.code !== 0) return none('gone');
  if (Number(size.stdout) > MAX_FILE) return none('large');
  const { stdout: bytes } = await tryGit(['cat-file', 'blob', id], { ...call, encoding: 'latin1' });
  const text = decoded(bytes);
  if (text === null) return none('binary');
  const [clean = ''] = await redact([text]);
  return clean === text ? { id, mode, text, why: null } : none('redacted');
}

function decoded(bytes: string): string | null {
  if (bytes.includes('\0')) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return null;
  }
}
