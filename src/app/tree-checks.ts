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
    /**
     * A step answers for what it did itself: it is judged against the tree it was given, not against the task's base.
     * Files that it made in an earlier round count as new: a reviewer may ask it to change its own tests.
     */
    async check(captured: Captures, base: string, work: WorkerRun): Promise<TreeCheck> {
      const { candidate } = captured;
      const from = work.input?.tree ?? base;
      const all = from === base ? captured.changed : await workspaces.changesBetween(from, candidate.tree);
      const own = await ownFiles(workspaces, work.made);
      const mine = new Set(
        all.flatMap(({ path, before }) => (before !== null && own.get(path) === before ? [path] : [])),
      );
      const changed = all.flatMap((change) => {
        if (!mine.has(change.path)) return [change];
        return change.after === null ? [] : [{ ...change, before: null }];
      });
      const wanted = textsWanted(changed);
      const [{ basePaths, baseTexts }, before, after] = await Promise.all([
        baseOf(workspaces, from, mine),
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

/** Files that a step added in earlier rounds and nobody else has changed since, with their mode and blob id. */
async function ownFiles(workspaces: Workspaces, made: WorkerRun['made']): Promise<ReadonlyMap<string, string>> {
  const own = new Map<string, string>();
  for (const { on, candidate } of made) {
    const changes = await workspaces.changesBetween(on?.tree ?? candidate.base, candidate.tree);
    for (const { path, before, after } of changes) {
      const isOwn = before === null || own.get(path) === before;
      if (isOwn && after !== null) own.set(path, after);
      else own.delete(path);
    }
  }
  return own;
}

async function baseOf(workspaces: Workspaces, base: string, leftOut: ReadonlySet<string>) {
  const basePaths = (await workspaces.paths(base)).filter((path) => !leftOut.has(path));
  const wanted = scriptFilesWanted(basePaths);
  const texts = await workspaces.read(base, wanted);
  const baseTexts = new Map(wanted.flatMap((path, n) => (typeof texts[n] === 'string' ? [[path, texts[n]]] : [])));
  return { basePaths, baseTexts };
}
