/**
 * Tries whether a gate can fail: on a commit as it is, several times; with its sources broken; without its tests; with
 * failing tests; and, for a gate with built-in checks, on a change that it has to refuse.
 */
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { badChanges } from '../../mind/canary/bad-changes.ts';
import { testsOfGate } from '../../mind/canary/gate-tests.ts';
import { broken, sourcesOf, type Tries, type TryResult } from '../../mind/canary/sabotage.ts';
import { matcher } from '../../mind/fields/globs.ts';
import { checksOf, gateKind } from '../../mind/gates/kinds.ts';
import { gateStatusOf } from '../../mind/gates/outcome.ts';
import { summaryIn } from '../../mind/gates/totals.ts';
import type { CanaryRuns } from './canary.ts';
import type { CheckPart, GateOn } from './check-part.ts';
import type { CheckRunResult, PlantedFile } from './run-result.ts';
import { type CheckContext, type GateRuns, workspaceName } from './runs.ts';

type Probing = {
  readonly runs: GateRuns;
  readonly canary: CanaryRuns;
  /** Runs the gate on a candidate, as for a task. */
  readonly parts: (ground: GateOn) => Promise<readonly CheckPart[]>;
  readonly told: (what: string) => void;
};
type ProbeRun = { readonly found: TryResult; readonly ms: number; readonly output: string };

/**
 * A quicker gate runs on the commit `MOST_RUNS` times: one that is red every other time is then caught 31 times of 32.
 */
const QUICK_MS = 10_000;
const MOST_RUNS = 6;
/** Files that a check of changed files gets, and how many are tried one by one if all together are red. */
const MOST_FILES = 100;
const MOST_SINGLE = 8;

const NONE = { second: null, broken: null, withoutTests: null, planted: null, change: null };

/** The worst check stands for all checks of the gate. */
export async function probeGate(probing: Probing, ground: GateOn): Promise<Tries> {
  const change = await onBadChanges(probing, ground);
  const checks = await checksToTry(probing.runs, ground);
  if (checks.length === 0)
    return {
      first: { status: 'pass', ended: 'it looks at changed files only, and HEAD has none of them' },
      ...NONE,
      change,
    };
  const { first, second, output, settled } = await plainRuns(probing, checks);
  if (second?.status !== 'pass' || first.status !== 'pass') return { first, ...NONE, second };
  return {
    first,
    second,
    broken: await withBrokenSources(probing, settled, ground),
    withoutTests: await withoutTests(probing, settled, ground, output),
    planted: await probing.canary.count(ground, probing.told),
    change,
  };
}

/** A check of changed files gets the commit's files that it applies to. Built-in checks are tried on planted files. */
async function checksToTry({ options }: GateRuns, ground: GateOn): Promise<readonly CheckContext[]> {
  const { gate, candidate } = ground;
  const { workspaces } = options;
  if (gate.command === undefined && gate.checks === undefined) return [];
  const found = checksOf(gate).map(async (check): Promise<CheckContext | null> => {
    if (check.appliesTo.length === 0) return { ...ground, check, paths: [] };
    const all = (await workspaces.paths(candidate.base)).filter(matcher(check.appliesTo)).slice(0, MOST_FILES);
    const texts = await workspaces.read(candidate.base, all);
    const paths = all.filter((_, n) => texts[n] != null);
    return paths.length === 0 ? null : { ...ground, check, paths };
  });
  return (await Promise.all(found)).filter((one) => one !== null);
}

async function plainRuns(probing: Probing, checks: readonly CheckContext[]) {
  const { told } = probing;
  told('on the commit as it is');
  const settled: CheckContext[] = [];
  for (const checked of checks) settled.push(await withGreenFiles(probing.runs, checked));
  const { found: first, ms, output } = await runAll(probing.runs, settled, []);
  if (first.status === 'error') return { first, second: null, output, settled };
  let second = first;
  for (let n = 1; n < (ms < QUICK_MS ? MOST_RUNS : 2) && second.status === first.status; n += 1) {
    told('once more');
    second = (await runAll(probing.runs, settled, [])).found;
  }
  return { first, second, output, settled };
}

/** A task only brings changed files: an old file that this check refuses does not make the check broken. */
async function withGreenFiles(runs: GateRuns, checked: CheckContext): Promise<CheckContext> {
  const isRed = async (paths: readonly string[]) =>
    (await runAll(runs, [{ ...checked, paths }], [])).found.status === 'fail';
  if (checked.paths.length < 2 || !(await isRed(checked.paths))) return checked;
  for (const path of checked.paths.slice(0, MOST_SINGLE))
    if (!(await isRed([path]))) return { ...checked, paths: [path] };
  return checked;
}

async function runAll(
  runs: GateRuns,
  checks: readonly CheckContext[],
  planted: readonly PlantedFile[],
): Promise<ProbeRun> {
  const found: TryResult[] = [];
  const outputs: string[] = [];
  let ms = 0;
  for (const checked of checks) {
    const { base } = checked.candidate;
    const { ran } = await runs.run(checked, planted.length === 0 ? 'r' : 'c', { base, tree: null }, planted);
    found.push(tryOf(ran));
    outputs.push(ran.output);
    ms += ran.type === 'ended' ? ran.ms : 0;
  }
  return { found: worstOf(found), ms, output: outputs.join('\n') };
}

const worstOf = (found: readonly TryResult[]): TryResult =>
  found.find(({ status }) => status === 'error') ??
  found.find(({ status }) => status === 'fail') ??
  (found[0] as TryResult);

async function withBrokenSources({ runs, told }: Probing, checks: readonly CheckContext[], ground: GateOn) {
  const { workspaces } = runs.options;
  const { base } = ground.candidate;
  const sources = sourcesOf(await workspaces.paths(base), ground.settings.testPaths);
  const own = checks.filter(({ paths }) => paths.length === 0 || paths.some((path) => sources.includes(path)));
  const texts = await workspaces.read(base, sources);
  const wrecked = sources.flatMap((path, n) =>
    texts[n] == null ? [] : [{ path, text: broken(path, texts[n] ?? '') }],
  );
  if (wrecked.length === 0 || own.length === 0) return null;
  told(`with ${wrecked.length} source files broken`);
  return (await runAll(runs, own, wrecked)).found;
}

async function withoutTests(
  { runs, told }: Probing,
  checks: readonly CheckContext[],
  { gate, candidate, settings }: GateOn,
  output: string,
): Promise<TryResult | null> {
  const own = checks.filter(({ paths }) => paths.length === 0);
  const before = summaryIn({ stdout: output, stderr: '' });
  const paths = await runs.options.workspaces.paths(candidate.base);
  const { testPaths } = settings;
  const tests = testsOfGate(gate, paths, { testPaths, printedSummary: before !== null });
  if (tests.length === 0 || own.length === 0) return null;
  told(`without its ${tests.length} test files`);
  const without = await runAll(
    runs,
    own,
    tests.map((path) => ({ path, text: null })),
  );
  const after = summaryIn({ stdout: without.output, stderr: '' });
  // The same number of tests: its tests are not in the removed files.
  const others = gateKind(gate) !== 'tests' && after !== null && after.ran === before?.ran;
  return others ? null : without.found;
}

/** Runs the gate on a change that it has to refuse; null if it has no built-in checks. */
async function onBadChanges({ runs, parts, told }: Probing, ground: GateOn): Promise<TryResult | null> {
  const { workspaces } = runs.options;
  const { base } = ground.candidate;
  const changes = badChanges(ground.gate, await workspaces.paths(base), () => randomInt(2 ** 32) / 2 ** 32);
  const found: TryResult[] = [];
  for (const { what, path, text } of changes) {
    told(`on a change that adds ${what}`);
    const name = workspaceName(path, ground.prefix, 'p', ground.gate.name);
    const workspace = await workspaces.make(name, { base, tree: null });
    try {
      writeFileSync(join(workspace.tree, path), text, { flag: 'wx' });
      const captured = await workspace.capture();
      // The project ignores this path, so no task can bring such a file either.
      if (captured.type !== 'candidate') continue;
      const judged = await parts({ ...ground, candidate: captured.candidate });
      const status = gateStatusOf(judged);
      const worst = judged.find((part) => part.status === status);
      found.push({ status, ended: status === 'pass' ? `it passes a change that adds ${what}` : (worst?.ended ?? '') });
    } finally {
      await workspace.remove();
      await workspaces.release(name);
    }
  }
  return found.length === 0 ? null : (found.find(({ status }) => status === 'pass') ?? worstOf(found));
}

function tryOf(ran: CheckRunResult): TryResult {
  if (ran.type === 'ended') return { status: ran.status, ended: ran.ended };
  // An exit code of 0 without tests or a report is no pass, and the gate says so.
  const noTests = ran.noTests === true;
  return { status: 'error', ended: ran.problem, ...(noTests ? { noTests } : {}) };
}
