/** Everything that can be checked about a project's log, in one report. */
import { type Head, StoreError, type StoreFile, THIS_HOST } from '../engine/ports/store.ts';
import { projectionsOf } from '../engine/rebuild.ts';
import { unsound } from '../engine/verified-head.ts';
import { verifyLog } from '../engine/verify.ts';
import { dropAnchorRef, readAnchorRef, writeAnchorRef } from '../hands/anchor/git-ref.ts';
import type { Environment } from './config/environment.ts';
import { anchorPlace, sidecarOf } from './open.ts';
import { openStore, openToRead, type ProjectAt } from './open-store.ts';

type Anchored = { readonly source: string; readonly seq: number; readonly hash: string };
type LogProblem = { readonly seq: number; readonly problem: string };
export type CheckedLog = {
  readonly events: number;
  readonly head: Head | null;
  readonly anchors: readonly Anchored[];
  readonly findings: readonly LogProblem[];
};

/** What to rebuild before the check, as the flags say. */
type Repair = 'projections' | 'anchors' | null;

export async function checkLog(environment: Environment, project: ProjectAt, repair: Repair): Promise<CheckedLog> {
  try {
    const reader = await openToRead(environment, project);
    if (reader === null) return await checkAbsent(environment, project, repair);
    await reader.close();
    const store = await openStore(environment, { readOnly: repair === null });
    try {
      if (repair === 'projections') await store.rebuild(project.id, await projectionsOf(store, project.id));
      if (repair === 'anchors') await reanchor(environment, project, await store.head(project.id));
      return await check(environment, project, store);
    } finally {
      await store.close();
    }
  } catch (error) {
    // If the log cannot be read at all, that is a finding as well.
    if (!(error instanceof StoreError) || error.code !== 'corrupt') throw error;
    return { events: 0, head: null, anchors: [], findings: [{ seq: 0, problem: error.message }] };
  }
}

/** Throws what `run` throws: nothing may be removed on the strength of a damaged log. */
export async function refuseDamaged(environment: Environment, project: ProjectAt): Promise<void> {
  const [first] = (await checkLog(environment, project, null)).findings;
  if (first !== undefined) throw unsound(project.id, first.problem);
}

/** A missing log is fine at first use, but not if an anchor remembers one. */
async function checkAbsent(environment: Environment, project: ProjectAt, repair: Repair): Promise<CheckedLog> {
  if (repair === 'anchors') await reanchor(environment, project, null);
  const anchors = await anchorsOf(environment, project);
  const findings = anchors.map(({ source, seq }) => ({
    seq: 1,
    problem: `log_truncated: ${source} has seen event ${seq}, and there is no log`,
  }));
  return { events: 0, head: null, anchors, findings };
}

async function check(environment: Environment, project: ProjectAt, store: StoreFile): Promise<CheckedLog> {
  const anchors = await anchorsOf(environment, project);
  const damage = (await store.integrity()).map((problem) => ({ seq: 0, problem: `the file is damaged: ${problem}` }));
  const { events, head, findings } = await verifyLog(store, project.id, anchors);
  const host = (await verifyLog(store, THIS_HOST, [])).findings.map((one) => ({
    ...one,
    problem: `host: ${one.problem}`,
  }));
  return { events, head, anchors, findings: [...damage, ...findings, ...host] };
}

async function anchorsOf(environment: Environment, project: ProjectAt): Promise<Anchored[]> {
  const sidecar = sidecarOf(environment);
  const found = [
    { source: 'sidecar', anchor: sidecar.read(project.id) },
    { source: 'git ref', anchor: await readAnchorRef(anchorPlace(environment, project)) },
  ];
  sidecar.close();
  return found.flatMap(({ source, anchor }) =>
    anchor === null ? [] : [{ source, seq: anchor.seq, hash: anchor.hash }],
  );
}

async function reanchor(environment: Environment, project: ProjectAt, head: Head | null): Promise<void> {
  const sidecar = sidecarOf(environment);
  sidecar.replace(project.id, head);
  sidecar.close();
  const place = anchorPlace(environment, project);
  await (head === null ? dropAnchorRef(place) : writeAnchorRef(place, head));
}
