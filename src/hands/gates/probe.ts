/** Tries whether a gate can fail: on a commit as it is, twice; with its sources broken; without its tests; with failing tests. */
import { broken, sourcesOf, type Tries, type Try } from '../../mind/canary/sabotage.ts';
import { testMatcher } from '../../mind/candidates/test-paths.ts';
import { checksOf, gateKind } from '../../mind/gates/kinds.ts';
import type { CanaryRuns } from './canary.ts';
import type { GateOn } from './part.ts';
import type { PlantedFile, Ran } from './ran.ts';
import type { Checked, GateRuns } from './runs.ts';

/** What stands for all checks of the gate: the worst of them. */
export async function probeGate(
  runs: GateRuns,
  canary: CanaryRuns,
  ground: GateOn,
  told: (what: string) => void,
): Promise<Tries> {
  const { workspaces } = runs.options;
  const { base } = ground.candidate;
  const checks = checksOf(ground.gate)
    .filter(({ appliesTo }) => appliesTo.length === 0)
    .map((check): Checked => ({ ...ground, check, paths: [] }));
  const none = { second: null, broken: null, withoutTests: null, planted: null };
  if (checks.length === 0)
    return {
      first: { status: 'pass', ended: 'it looks at changed files only, and a commit alone changes none' },
      ...none,
    };
  const tryAll = async (what: string, planted: readonly PlantedFile[]): Promise<Try> => {
    told(what);
    const found: Try[] = [];
    for (const checked of checks) {
      const { ran } = await runs.run(checked, planted.length === 0 ? 'r' : 'c', { base, tree: null }, planted);
      found.push(tryOf(ran));
    }
    return (
      found.find(({ status }) => status === 'error') ??
      found.find(({ status }) => status === 'fail') ??
      (found[0] as Try)
    );
  };
  const first = await tryAll('on the commit as it is', []);
  if (first.status === 'error') return { first, ...none };
  const second = await tryAll('once more', []);
  if (second.status !== 'pass' || first.status !== 'pass') return { first, ...none, second };
  const paths = await workspaces.paths(base);
  const { testPaths } = ground.settings;
  const sources = sourcesOf(paths, testPaths);
  const texts = await workspaces.read(base, sources);
  const wrecked = sources.flatMap((path, n) => (texts[n] == null ? [] : [{ path, text: broken(texts[n] ?? '') }]));
  const tests = gateKind(ground.gate) === 'tests' ? paths.filter(testMatcher(testPaths)) : [];
  return {
    first,
    second,
    broken: wrecked.length === 0 ? null : await tryAll(`with ${wrecked.length} source files broken`, wrecked),
    withoutTests:
      tests.length === 0
        ? null
        : await tryAll(
            `without its ${tests.length} test files`,
            tests.map((path) => ({ path, text: null })),
          ),
    planted: await canary.count(ground, told),
  };
}

function tryOf(ran: Ran): Try {
  if (ran.type === 'ended') return { status: ran.status, ended: ran.ended };
  // With exit code 0 and without tests or a report it is no pass, and it says so.
  const noTests = ran.noTests === true;
  return { status: 'error', ended: ran.problem, ...(noTests ? { noTests } : {}) };
}
