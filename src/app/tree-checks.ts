/** Gives the checks of a candidate what they need from git: changed paths, the base's files, and a few texts. */
import type { Captured, Workspaces } from '../engine/ports/workspace.ts';
import { changeFactsOf } from '../mind/approvals/change-facts.ts';
import type { PathChange, Violation } from '../mind/candidates/change.ts';
import { checkCandidate, isNeverGranted, textsWanted } from '../mind/candidates/check.ts';
import { folded } from '../mind/candidates/fold.ts';
import { testMatcher } from '../mind/candidates/test-paths.ts';
import { violationText } from '../mind/candidates/violation-text.ts';
import type { Settings } from '../mind/config/project-config.ts';
import type { ChangeFacts } from '../mind/domain/risk-facts.ts';
import type { Candidate } from '../mind/domain/values.ts';
import type { WorkerRun } from '../mind/domain/worker-run.ts';
import { diffFactsOf, withDismissed } from '../mind/findings/blocking.ts';
import { ownWords } from '../mind/findings/granted-by-words.ts';
import { isPureInsertion } from '../mind/findings/pure-insertion.ts';
import type { TreeCheck } from '../mind/workers/outcome.ts';
import { baseOf, blockingText, findingsOf, findingText, namedPaths, offeredAt, textsBetween } from './diff-checks.ts';

type Captures = Extract<Captured, { type: 'candidate' }>;

export function treeChecks(workspaces: Workspaces, settings: Settings, outputs: readonly string[]) {
  return {
    /**
     * A step is judged by what it changed itself, against the tree it was given and not against the task's base. Files
     * that it made in an earlier round count as new: a reviewer may ask it to change its own tests.
     */
    async check(captured: Captures, base: string, work: WorkerRun, claims: readonly string[] = []): Promise<TreeCheck> {
      const { candidate } = captured;
      const from = work.input?.tree ?? base;
      const { all, mine, changed } = await changesOf(workspaces, captured, { from, base, made: work.made });
      const wanted = textsWanted(changed);
      const [{ basePaths, baseTexts }, before, after] = await Promise.all([
        baseOf(workspaces, from, mine),
        workspaces.read(from, wanted),
        workspaces.read(candidate.tree, wanted),
      ]);
      const texts = new Map(wanted.map((path, n) => [path, { before: before[n] ?? null, after: after[n] ?? null }]));
      const between = { base, from, tree: candidate.tree };
      const paths = changed.map(({ path }) => path);
      const files = (await textsBetween(workspaces, between, paths)).map((file) =>
        mine.has(file.path) ? { ...file, before: null } : file,
      );
      const words = ownWords(work.spec);
      const named = namedPaths(words, files);
      const isTest = testMatcher(settings.testPaths);
      const insertions = files.filter((file) => isTest(file.path) && isPureInsertion(file)).map(({ path }) => path);
      const { violations, granted, touchedTests, flags } = checkCandidate({
        changed,
        basePaths,
        baseTexts,
        settings,
        outputs,
        spec: work.spec,
        step: work,
        texts: (path) => texts.get(path) ?? { before: null, after: null },
        named: new Set(named.paths),
        insertions: new Set(insertions),
      });
      if (violations.length > 0) return refused(violations);
      const grants = [...(work.spec.allow ?? []), ...work.grants];
      const ask = { files, words, settings, grants, claims };
      const more = { mayPutOff: work.level !== undefined, secured: work.secured === true };
      const found = await findingsOf(workspaces, between, { ...ask, ...more });
      const { findings, gone } = withDismissed(found, work.dismissed ?? [], candidate.change_id);
      const refusal = blockingText(findings);
      const diff = diffFactsOf(findings);
      if (refusal !== null) return { ok: false, reason: refusal, paths: [], diff };
      const facts = await changeFacts(workspaces, settings, work, { base, candidate, changed: captured.changed });
      return {
        ok: true,
        diff,
        ...(work.handOver ? { own: await ownChanges(workspaces, work, candidate, all) } : {}),
        ...(facts === null ? {} : { facts }),
        notes: [
          ...named.because.map(({ what, words: said }) => `${what} may be changed, as the task names it: ${said}`),
          ...findings.map((finding) => `${finding.severity}: ${findingText(finding)}`),
          ...gone.map((finding) => `dismissed by a person: ${findingText(finding)}`),
          ...flags.map(({ path, line, sign }) => `${path}:${line} asks who is looking: ${sign}`),
          ...granted.map(({ path, kind }) => `${path} was changed by a grant (${kind})`),
          ...touchedTests.map((path) => `existing test ${path} differs from the base`),
        ],
      };
    },
    facts: async (candidate: Candidate, base: string, work: WorkerRun): Promise<ChangeFacts | null> =>
      changeFacts(workspaces, settings, work, { base, candidate, changed: await workspaces.changes(candidate) }),
  };
}

/** Treats files at these paths as new. */
const asNew = (all: readonly PathChange[], mine: ReadonlySet<string>): PathChange[] =>
  all.flatMap((change) => {
    if (!mine.has(change.path)) return [change];
    return change.after === null ? [] : [{ ...change, before: null }];
  });

/** The changes against the step's input, and those among them that this step made in an earlier round. */
async function changesOf(
  workspaces: Workspaces,
  { candidate, changed: sinceBase }: Captures,
  { from, base, made }: { readonly from: string; readonly base: string; readonly made: WorkerRun['made'] },
) {
  const all = from === base ? sinceBase : await workspaces.changesBetween(from, candidate.tree);
  const own = await ownFiles(workspaces, made);
  const mine = new Set(all.flatMap(({ path, before }) => (before !== null && own.get(path) === before ? [path] : [])));
  return { all, mine, changed: asNew(all, mine) };
}

/** The whole change of the task since its base: people approve what lands. Null if no policy asks about it. */
async function changeFacts(
  workspaces: Workspaces,
  { testPaths }: Settings,
  { classes }: WorkerRun,
  {
    base,
    candidate,
    changed,
  }: { readonly base: string; readonly candidate: Candidate; readonly changed: readonly PathChange[] },
): Promise<ChangeFacts | null> {
  if (classes === undefined) return null;
  const paths = changed.map(({ path }) => path);
  const files = await textsBetween(workspaces, { from: base, tree: candidate.tree }, paths);
  return changeFactsOf({ changed, files, testPaths, offered: await offeredAt(workspaces, base), classes });
}

/** Paths under a mount and paths that no grant covers are not offered to the operator. */
function refused(violations: readonly Violation[]): TreeCheck {
  const grantable = violations.filter(({ kind, path }) => kind !== 'environment' && !isNeverGranted(folded(path)));
  // Something lies where the environment is mounted, so no worker could start there.
  const unfit = violations.some(({ kind }) => kind === 'environment');
  const { findings } = diffFactsOf([]);
  const diff = { blocks: true, findings: { ...findings, high: violations.length }, rules: ['protected-path'] };
  return { ok: false, reason: violationText(violations), paths: grantable.map(({ path }) => path), unfit, diff };
}

/** What this attempt itself changed: it may have started from the tree of a rejected attempt. */
async function ownChanges(
  workspaces: Workspaces,
  { start }: Pick<WorkerRun, 'start'>,
  { tree }: Captures['candidate'],
  all: readonly PathChange[],
): Promise<readonly PathChange[]> {
  return start === null ? all : await workspaces.changesBetween(start.tree, tree);
}

/** Files that a step added in earlier rounds and that nothing else has changed since, with mode and blob id. */
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
