/**
 * Incidents of a project: read from the log, and written as files for people and their programs. A file can always be
 * made again.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../engine/ports/store.ts';
import type { BlobHash, TaskId } from '../kernel/ids.ts';
import type { TaskSummary } from '../mind/domain/task-summary.ts';
import { type Incident, incidentName, incidentOf } from '../mind/protocol/incident.ts';
import { namesIn } from '../os/files/names-in.ts';
import { writePrivateFile } from '../os/files/private-file.ts';
import { readTextFile } from '../os/files/text-file.ts';
import { type ProjectOf, projectDir } from './halt-request.ts';
import { viewTask } from './task-view.ts';

/** How many tasks of each status are read, latest change first. */
const MOST_TASKS = 200;
const MAX_EXCERPT = 4_000;
const MAX_FILE = 1 << 20;

export type KeptIncident = Incident & {
  /** Excerpts of what gates printed; they were redacted when they were stored. */
  readonly excerpts: readonly { readonly gate: string; readonly text: string }[];
  readonly file: string;
};

/** Unresolved incidents, newest first. */
export async function openIncidents(store: Store, of: ProjectOf): Promise<readonly KeptIncident[]> {
  const found: KeptIncident[] = [];
  for (const status of ['escalated', 'blocked', 'waiting'] as const) {
    const { rows } = await store.rows(of.project.id, {
      kind: 'task',
      status: [status],
      order: 'updated',
      limit: MOST_TASKS,
    });
    for (const row of rows) {
      const { task_id, resolved } = row.summary as unknown as TaskSummary;
      const incident = resolved === true ? null : await incidentOfTask(store, of, task_id as TaskId);
      if (incident !== null) found.push(incident);
    }
  }
  return found.sort((one, other) => other.opened_at - one.opened_at);
}

/** The incident of a task, resolved or not; writes its file. Null if it has none. */
export async function incidentOfTask(store: Store, of: ProjectOf, id: TaskId): Promise<KeptIncident | null> {
  const { task, events } = await viewTask(store, of.project.id, id);
  const incident = incidentOf(task, events);
  if (incident === null) return null;
  const excerpts = [];
  for (const { gate, status, evidence } of incident.evidence) {
    if (status === 'pass' || evidence === null) continue;
    const blob = await store.blob(evidence as BlobHash);
    if (blob.type === 'content') excerpts.push({ gate, text: blob.content.slice(-MAX_EXCERPT) });
  }
  const file = fileOf(of, incident);
  const kept = { ...incident, excerpts, file };
  settleFiles(of, incident.task, incident.opened_at);
  writePrivateFile(file, `${JSON.stringify(kept, null, 2)}\n`);
  return kept;
}

/** The task has gone on, so its earlier incidents are resolved. `openedAt`: when the incident it has now began. */
export function settleFiles(of: ProjectOf, task: string, openedAt: number | null): void {
  for (const name of namesIn(projectDir(of))) {
    if (!/^incident_\d{8}_\d{6}(_[a-z0-9_-]+)?\.json$/.test(name)) continue;
    const file = join(projectDir(of), name);
    const said = readIncident<KeptIncident>(file);
    if (said?.task !== task || said.status !== 'open' || said.opened_at === openedAt) continue;
    const resolved = { how: 'retry', by: '', notes: 'the task has gone on', at: null };
    writePrivateFile(file, `${JSON.stringify({ ...said, status: 'resolved', resolved }, null, 2)}\n`);
  }
}

/** Returns null if the file cannot be read: people may have edited it, and that must not stop a command. */
function readIncident<T extends object>(file: string): Partial<T> | null {
  const text = readTextFile(file, MAX_FILE);
  if (typeof text !== 'string') return null;
  try {
    const said: unknown = JSON.parse(text);
    return typeof said === 'object' ? (said as Partial<T> | null) : null;
  } catch {
    return null;
  }
}

/** Names have whole seconds: a file that is taken by another incident gets the task, then also the milliseconds. */
function fileOf(of: ProjectOf, { incident, task, opened_at }: Incident): string {
  const path = (...more: readonly string[]) => join(projectDir(of), `${[incident, ...more].join('_')}.json`);
  const free = (file: string) => {
    if (!existsSync(file)) return true;
    const kept = readIncident<KeptIncident>(file);
    return kept?.task === task && kept.opened_at === opened_at;
  };
  return [path(), path(task)].find(free) ?? path(task, `${opened_at % 1000}`);
}

type Damage = { readonly incident: string; readonly file: string; readonly findings: readonly string[] };

/** A damaged log cannot record its own incident, so it is only a file: one for each damage. */
export function keepDamage(of: ProjectOf, findings: readonly string[], now: number): Damage {
  const known = damagesIn(of).find((one) => JSON.stringify(one.findings) === JSON.stringify(findings));
  if (known !== undefined) return known;
  const incident = incidentName(now);
  const file = join(projectDir(of), `${incident}_log.json`);
  const suggested = ['supervisor verify', 'supervisor verify --rebuild', 'supervisor verify --reanchor'];
  const said = {
    incident,
    severity: 'critical',
    cause: 'log_damaged',
    status: 'open',
    opened_at: now,
    findings,
    suggested,
  };
  writePrivateFile(file, `${JSON.stringify({ ...said, file }, null, 2)}\n`);
  return { incident, file, findings };
}

/** Damage that `verify` found and that is not resolved. */
export function damagesIn(of: ProjectOf): readonly Damage[] {
  return namesIn(projectDir(of))
    .filter((name) => /^incident_\d{8}_\d{6}_log\.json$/.test(name))
    .sort()
    .flatMap((name) => {
      const said = readIncident<Damage & { readonly status: string }>(join(projectDir(of), name));
      if (said?.status !== 'open' || said.incident === undefined || said.file === undefined) return [];
      return [{ incident: said.incident, file: said.file, findings: said.findings ?? [] }];
    });
}

/** The log is whole again, or the operator has accepted it as it is. */
export function resolveDamage(
  { file }: Damage,
  said: { readonly by: string; readonly notes: string; readonly at: number },
): void {
  const before = readIncident<Damage>(file) ?? {};
  writePrivateFile(file, `${JSON.stringify({ ...before, status: 'resolved', resolved: said }, null, 2)}\n`);
}
