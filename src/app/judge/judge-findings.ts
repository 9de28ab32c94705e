/** Findings in the text of a change, before any gate runs. */
import type { ChangedPath, Workspaces } from '../../engine/ports/workspace.ts';
import { isNeverGranted } from '../../mind/candidates/check.ts';
import { folded } from '../../mind/candidates/fold.ts';
import { testMatcher } from '../../mind/candidates/test-paths.ts';
import type { ChangedFile } from '../../mind/changes/changed-file.ts';
import { removedIn } from '../../mind/changes/removed-in.ts';
import type { Settings } from '../../mind/config/project-config.ts';
import type { Candidate } from '../../mind/domain/values.ts';
import { addedDangers } from '../../mind/findings/added-dangers.ts';
import { diffFindings, type RuleFinding } from '../../mind/findings/index.ts';
import { gateChanges } from '../../mind/judgement/gate-changes.ts';
import { placeOf } from '../../mind/judgement/judgement-text.ts';
import { recentPatches } from '../../os/git/revisions.ts';
import { baseOf, namedPaths, offeredAt, sourceOfGenerated } from '../diff-checks.ts';

const MAX_FILES = 2_000;
/** Older landings are left out. */
const RECENT_COMMITS = 50;
/** More paths are not one piece of work; argument lists have a limit as well. */
const MAX_TOUCHED = 500;

type FindingsRequest = {
  readonly workspaces: Workspaces;
  readonly commonDir: string;
  readonly candidate: Candidate;
  readonly changed: readonly ChangedPath[];
  readonly task: string;
  readonly settings: Settings;
  /** Where the environment is mounted. */
  readonly outputs: readonly string[];
};

/** Most important first. */
export async function findingsOf(asked: FindingsRequest): Promise<{
  readonly findings: readonly RuleFinding[];
  /** Paths that the task mentions. */
  readonly named: ReadonlySet<string>;
}> {
  const { workspaces, commonDir, candidate, changed, task, settings, outputs } = asked;
  const paths = changed.slice(0, MAX_TOUCHED).map(({ path }) => path);
  const [files, patches, offered, base, now] = await Promise.all([
    textsOf(workspaces, candidate.base, candidate.tree, changed),
    recentPatches(commonDir, candidate.base, { paths, most: RECENT_COMMITS }),
    offeredAt(workspaces, candidate.base),
    baseOf(workspaces, candidate.base, new Set()),
    workspaces.paths(candidate.tree),
  ]);
  const named = new Set(namedPaths(task, files).paths);
  const { secrets, calls } = addedDangers(files, testMatcher(settings.testPaths));
  const ofDiff = diffFindings({
    files,
    task,
    testPaths: settings.testPaths,
    claims: [],
    grants: [],
    recent: removedIn(patches),
    offered,
    generated: sourceOfGenerated(new Set(now)),
  });
  const ofGates = gateChanges({ ...base, changed, files, words: task, named, settings, outputs });
  const findings = [
    ...secrets,
    ...changed.flatMap(({ path }) => (isNeverGranted(folded(path)) ? [ownConfig(path)] : [])),
    ...ofDiff,
    ...ofGates.filter((one) => !ofDiff.some((other) => other.blocks && placeOf(other) === placeOf(one))),
    ...calls,
  ];
  return { findings, named };
}

/**
 * This file decides what is checked next time, so a person should look at it. The checkout's own copy judges this
 * change.
 */
const ownConfig = (path: string): RuleFinding => ({
  rule: 'supervisor-config',
  severity: 'medium',
  path,
  line: null,
  message: 'changes how later changes are judged: read it before you accept it',
  tool: 'diff',
  blocks: false,
});

async function textsOf(
  workspaces: Workspaces,
  before: string,
  after: string,
  changed: readonly ChangedPath[],
): Promise<ChangedFile[]> {
  const paths = changed.slice(0, MAX_FILES).map(({ path }) => path);
  const [old, now] = await Promise.all([workspaces.read(before, paths), workspaces.read(after, paths)]);
  return paths.map((path, n) => ({ path, before: old[n] ?? null, after: now[n] ?? null }));
}
