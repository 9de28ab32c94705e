/** Gives the checks of a candidate what they need from git: changed paths, the base's files, a few texts. */
import type { Captured, Workspaces } from '../engine/ports/workspace.ts';
import { checkCandidate, textsWanted } from '../mind/candidates/check.ts';
import { changedTests } from '../mind/candidates/test-paths.ts';
import { violationText } from '../mind/candidates/violation-text.ts';
import type { Settings } from '../mind/config/project-config.ts';
import type { WorkerRun } from '../mind/domain/effects.ts';
import type { Candidate } from '../mind/domain/values.ts';
import type { TreeCheck } from '../mind/workers/outcome.ts';

type Captures = Extract<Captured, { type: 'candidate' }>;

export function treeChecks(workspaces: Workspaces, settings: Settings, outputs: readonly string[]) {
  return {
    async check({ candidate, changed }: Captures, base: string, work: WorkerRun): Promise<TreeCheck> {
      const wanted = textsWanted(changed);
      const [basePaths, before, after] = await Promise.all([
        workspaces.paths(base),
        workspaces.read(base, wanted),
        workspaces.read(candidate.tree, wanted),
      ]);
      const texts = new Map(wanted.map((path, n) => [path, { before: before[n] ?? null, after: after[n] ?? null }]));
      const { violations, granted, touchedTests } = checkCandidate({
        ...{ changed, basePaths, settings, outputs, spec: work.spec },
        texts: (path) => texts.get(path) ?? { before: null, after: null },
      });
      if (violations.length > 0) return { ok: false, reason: violationText(violations) };
      const notes = granted.map(({ path, kind }) => `${path} was changed by a grant (${kind})`);
      return {
        ok: true,
        notes: [...notes, ...touchedTests.map((path) => `existing test ${path} differs from the base`)],
      };
    },
    changedTests: async (candidate: Candidate): Promise<readonly string[]> =>
      changedTests(await workspaces.changes(candidate), settings.testPaths),
  };
}
