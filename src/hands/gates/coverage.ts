/** Adds coverage to a gate's run: against its targets, the base, and the lines that the change touches. */

import { addedLines } from '../../mind/changes/changed-file.ts';
import { readCoverage } from '../../mind/gates/coverage/index.ts';
import { COVERAGE_TARGETS, type CoverageScore, scoreCoverage } from '../../mind/gates/coverage/score.ts';
import type { GateConfig } from '../../mind/gates/gate-config.ts';
import { checksOf } from '../../mind/gates/kinds.ts';
import { changedTexts } from './change-texts.ts';
import { type CheckPart, type GateOn, NO_FINDINGS } from './check-part.ts';
import type { CheckRunResult } from './run-result.ts';
import type { CheckContext, GateRuns } from './runs.ts';

type CoverageConfig = NonNullable<GateConfig['coverage']>;

const NONE: ReadonlyMap<string, readonly number[]> = new Map();

export async function withCoverage(
  runs: GateRuns,
  checked: CheckContext,
  part: CheckPart,
  {
    ran,
    asked,
    blocking,
  }: {
    readonly ran: Extract<CheckRunResult, { type: 'ended' }>;
    readonly asked: CoverageConfig;
    readonly blocking: boolean;
  },
): Promise<CheckPart> {
  if (part.status !== 'pass') return part;
  const { candidate } = checked;
  const places = await placesOf(runs, candidate.tree);
  const now = readCoverage(asked.format, ran.kept ?? '', places);
  if (now.type === 'unusable')
    return {
      ...part,
      status: 'error',
      score: null,
      ended: `could not run: its coverage report cannot be used: ${now.problem}`,
    };
  const before = (await runs.base(checked)).ran;
  const old = before.type === 'ended' && before.kept !== null ? readCoverage(asked.format, before.kept, places) : null;
  const files = await changedTexts(runs, candidate);
  const changedLines = new Map(files.map((file) => [file.path, addedLines(file).map(({ line }) => line)] as const));
  const targets = { line: asked.line ?? COVERAGE_TARGETS.line, branch: asked.branch ?? COVERAGE_TARGETS.branch };
  const score = scoreCoverage(now.coverage, old?.type === 'coverage' ? old.coverage : null, { targets, changedLines });
  const { score: points, pass, line, delta } = score;
  const basePasses =
    old?.type === 'coverage' && scoreCoverage(old.coverage, null, { targets, changedLines: NONE }).pass;
  return {
    ...part,
    status: pass ? 'pass' : 'fail',
    score: points,
    coverage: { line, delta },
    ended: summary(score, targets),
    notes: [...notesOf(score), ...part.notes],
    findings: {
      ...NO_FINDINGS,
      high: !pass && basePasses && !blocking ? 1 : 0,
      medium: score.regressed ? 1 : 0,
      low: score.uncoveredChanged.length + (score.newlyExcluded > 0 ? 1 : 0),
    },
  };
}

/** Which lines a candidate's tests run, from a gate's coverage report. Null if no gate writes a usable one. */
export async function linesRun(
  runs: GateRuns,
  ground: GateOn,
  gates: readonly GateConfig[],
): Promise<((path: string, line: number) => boolean) | null> {
  const { base, tree } = ground.candidate;
  for (const gate of gates) {
    if (gate.coverage === undefined) continue;
    for (const check of checksOf(gate)) {
      const { ran } = await runs.aside({ ...ground, check, paths: [] }, 'g', { base, tree });
      if (ran.type === 'error' || ran.kept === null) continue;
      const read = readCoverage(gate.coverage.format, ran.kept, await placesOf(runs, tree));
      if (read.type === 'unusable') continue;
      const files = new Map(read.coverage.files.map(({ path, lines }) => [path, lines]));
      return (path, line) => (files.get(path)?.get(line) ?? 0) > 0;
    }
  }
  return null;
}

const percent = (part: number | null): string => (part === null ? 'unknown' : `${Math.round(part * 1000) / 10} %`);

function summary(
  { line, branch, delta }: CoverageScore,
  targets: { readonly line: number; readonly branch: number },
): string {
  const change =
    delta === null ? '' : `, ${delta >= 0 ? '+' : ''}${Math.round(delta * 10) / 10} points against the base`;
  return `lines ${percent(line)} of at least ${targets.line} %, branches ${percent(branch)} of at least ${targets.branch} %${change}`;
}

function notesOf({ uncoveredChanged, newlyExcluded, missing, changed }: CoverageScore): string[] {
  const where = uncoveredChanged.slice(0, 20).map(({ path, lines }) => `${path}: ${lines.slice(0, 20).join(', ')}`);
  return [
    ...(changed === null ? [] : [`changed lines that tests run: ${changed.covered} of ${changed.total}`]),
    ...(where.length === 0 ? [] : [`changed lines that no test runs: ${where.join('; ')}`]),
    ...(newlyExcluded === 0
      ? []
      : [`${newlyExcluded} lines were taken out of the measurement by a comment: they count as not covered`]),
    ...(missing.length === 0 ? [] : [`files that the report does not name: ${missing.slice(0, 20).join(', ')}`]),
  ];
}

/** Go names files by module; `go.mod` says where modules are. */
function placesOf(runs: GateRuns, tree: string) {
  return runs.once(`places ${tree}`, async () => {
    const { workspaces } = runs.options;
    const paths = await workspaces.paths(tree);
    const all = new Set(paths);
    const manifests = paths.filter((path) => path === 'go.mod' || path.endsWith('/go.mod')).slice(0, 100);
    const texts = await workspaces.read(tree, manifests);
    const goModules = new Map(
      manifests.flatMap((path, n) => {
        const name = /^module\s+(\S+)/m.exec(texts[n] ?? '')?.[1];
        return name === undefined ? [] : [[name, path.slice(0, -'go.mod'.length).replace(/\/$/, '')] as const];
      }),
    );
    return { isFile: (path: string) => all.has(path), goModules };
  });
}
