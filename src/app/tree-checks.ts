/** Gives the checks of a candidate what they need from git: changed paths, the base's files, a few texts. */
import type { Captured, Workspaces } from '../engine/ports/workspace.ts';
import { scriptFilesWanted } from '../mind/candidates/base-scripts.ts';
import { checkCandidate, isNeverGranted, textsWanted } from '../mind/candidates/check.ts';
import { folded } from '../mind/candidates/fold.ts';
import { violationText } from '../mind/candidates/violation-text.ts';
import type { Settings } from '../mind/config/project-config.ts';
import type { WorkerRun } from '../mind/domain/effects.ts';
import type { TreeCheck } from '../mind/workers/outcome.ts';

type Captures = Extract<Captured, { type: 'candidate' }>;

export function treeChecks(workspaces: Workspaces, settings: Settings, outputs: readonly string[]) {
  return {
    /** A step answers for what it did itself: it is judged against the tree it was given, not against the task's base. */
    async check(captured: Captures, base: string, work: WorkerRun): Promise<TreeCheck> {
      const { candidate } = captured;
      const from = work.input?.tree ?? base;
      const changed = from === base ? captured.changed : await workspaces.changesBetween(from, candidate.tree);
      const wanted = textsWanted(changed);
      const [{ basePaths, baseTexts }, before, after] = await Promise.all([
        baseOf(workspaces, from),
        workspaces.read(from, wanted),
        workspaces.read(candidate.tree, wanted),
      ]);
      const texts = new Map(wanted.map((path, n) => [path, { before: before[n] ?? null, after: after[n] ?? null }]));
      const { violations, granted, touchedTests, flags } = checkCandidate({
        changed,
        basePaths,
        baseTexts,
        settings,
        outputs,
        spec: work.spec,
        step: work,
        texts: (path) => texts.get(path) ?? { before: null, after: null },
      });
      if (violations.length > 0) {
        // What lies under a mount, and what no grant covers, is not offered to the operator.
        const grantable = violations.filter(
          ({ kind, path }) => kind !== 'environment' && !isNeverGranted(folded(path)),
        );
        return { ok: false, reason: violationText(violations), paths: grantable.map(({ path }) => path) };
      }
      return {
        ok: true,
        notes: [
          ...flags.map(({ path, line, sign }) => `${path}:${line} asks who is looking: ${sign}`),
          ...granted.map(({ path, kind }) => `${path} was changed by a grant (${kind})`),
          ...touchedTests.map((path) => `existing test ${path} differs from the base`),
        ],
      };
    },
  };
}

async function baseOf(workspaces: Workspaces, base: string) {
  const basePaths = await workspaces.paths(base);
  const wanted = scriptFilesWanted(basePaths);
  const texts = await workspaces.read(base, wanted);
  const baseTexts = new Map(wanted.flatMap((path, n) => (typeof texts[n] === 'string' ? [[path, texts[n]]] : [])));
  return { basePaths, baseTexts };
}
