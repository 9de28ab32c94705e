/** What the text of a change says about it, before any gate runs. */
import type { ChangedPath, Workspaces } from '../engine/ports/workspace.ts';
import { isNeverGranted } from '../mind/candidates/check.ts';
import { folded } from '../mind/candidates/fold.ts';
import { testMatcher } from '../mind/candidates/test-paths.ts';
import type { ChangedFile } from '../mind/changes/changed-file.ts';
import { removedIn } from '../mind/changes/removed-in.ts';
import type { Settings } from '../mind/config/project-config.ts';
import type { Candidate } from '../mind/domain/values.ts';
import { diffFindings, type RuleFinding } from '../mind/findings/index.ts';
import { dangerousFindings } from '../mind/gates/security/dangerous.ts';
import { secretFindings } from '../mind/gates/security/secrets.ts';
import { findSecrets } from '../mind/secrets/scan.ts';
import { recentPatches } from '../os/git/revisions.ts';
import { offeredAt } from './diff-checks.ts';

const MAX_FILES = 2_000;
/** Work that landed longer ago is nobody's surprise. */
const RECENT_COMMITS = 50;
/** More are no single piece of work, and an argument list has an end. */
const MAX_TOUCHED = 500;

type Asked = {
  readonly workspaces: Workspaces;
  readonly commonDir: string;
  readonly candidate: Candidate;
  readonly changed: readonly ChangedPath[];
  readonly task: string;
  readonly settings: Pick<Settings, 'testPaths'>;
};

/** In the order of what matters most. */
export async function findingsOf(asked: Asked): Promise<readonly RuleFinding[]> {
  const { workspaces, commonDir, candidate, changed, task, settings } = asked;
  const paths = changed.slice(0, MAX_TOUCHED).map(({ path }) => path);
  const [files, patches, offered] = await Promise.all([
    textsOf(workspaces, candidate.base, candidate.tree, changed),
    recentPatches(commonDir, candidate.base, { paths, most: RECENT_COMMITS }),
    offeredAt(workspaces, candidate.base),
  ]);
  const secrets = files.map(({ after }) => (after === null ? [] : findSecrets(after)));
  const isTest = testMatcher(settings.testPaths);
  return [
    ...secretFindings(files, secrets, isTest).map((one) => asRule(one, one.severity === 'critical')),
    ...changed.flatMap(({ path }) => (isNeverGranted(folded(path)) ? [ownConfig(path)] : [])),
    ...diffFindings({
      files,
      task,
      testPaths: settings.testPaths,
      claims: [],
      grants: [],
      recent: removedIn(patches),
      offered,
      generated: () => null,
    }),
    ...dangerousFindings(files).map((one) => asRule(one, one.severity === 'critical')),
  ];
}

/** It decides what is checked next time, so a person should look. What judges this change is the checkout's own. */
const ownConfig = (path: string): RuleFinding => ({
  rule: 'supervisor-config',
  severity: 'medium',
  path,
  line: null,
  message: 'changes how later changes are judged: read it before you accept it',
  tool: 'diff',
  blocks: false,
});

function asRule(
  { rule, severity, path, line, message, tool }: Omit<RuleFinding, 'blocks'>,
  blocks: boolean,
): RuleFinding {
  return { rule, severity, path, line, message, tool, blocks };
}

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
