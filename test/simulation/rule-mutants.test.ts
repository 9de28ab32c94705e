/**
 * Rules of the domain, broken on purpose in a copy of the source: the simulation has to notice each. The checker's other
 * mutants (mutants.ts) break what stands around the domain; these break the domain itself.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

type RuleMutant = {
  readonly rule: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly from: string;
  readonly to: string;
  /** Invariants of which at least one must report it. */
  readonly found: readonly string[];
};

const MUTANTS: readonly RuleMutant[] = [
  {
    rule: 'rounds count the first candidate too',
    file: 'src/mind/decisions/decide-graph.ts',
    from: 'step.reworks + 1 < rework.rounds',
    to: 'step.reworks < rework.rounds',
    found: ['reworkIsBounded'],
  },
  {
    rule: 'a step that sends back counts it',
    file: 'src/mind/domain/evolve-back.ts',
    from: '{ ...sender, reworks: sender.reworks + 1 }',
    to: '{ ...sender }',
    found: ['reworkIsBounded'],
  },
  {
    rule: 'what lies behind the step that is done again is void',
    file: 'src/mind/domain/evolve-back.ts',
    from: "{ ...anew(step), place: { at: 'void' } }",
    to: 'anew(step)',
    found: ['onlyApprovedChangesAreApplied', 'everythingComesToRest', 'whatIsHeldIsWhatTasksHave'],
  },
  {
    rule: 'a step opens when all that it needs is done',
    file: 'src/mind/decisions/lookup.ts',
    from: '?.needs.every(isDone)',
    to: '?.needs.some(isDone)',
    found: ['theMindMeetsNoDefect', 'onlyApprovedChangesAreApplied', 'whatIsHeldIsWhatTasksHave'],
  },
  {
    rule: 'a reviewer who says no is heard',
    file: 'src/mind/decisions/decide-graph.ts',
    from: "const decision = verdict.next === 'accept' ? 'APPROVE' : 'REJECT';",
    to: "const decision = verdict.next === 'accept' ? 'APPROVE' : ('APPROVE' as string as 'APPROVE' | 'REJECT');",
    found: ['onlyApprovedChangesAreApplied'],
  },
  {
    rule: 'a change whose gate failed on the integrated tree does not land',
    file: 'src/mind/decisions/decide-landing-gates.ts',
    from: "reports.filter(({ status }) => status === 'fail')",
    to: "reports.filter(({ status }) => status === ('never' as string))",
    found: ['onlyCheckedChangesLand'],
  },
  {
    rule: 'a review that comes late counts for nobody',
    file: 'src/mind/decisions/decide-outcome.ts',
    from: "step.place.at !== 'working' || attemptOf(step).token !== token)",
    to: "step.place.at !== 'working')",
    found: ['oldOutcomesChangeNothing', 'outcomesBelongToTheirAttempt', 'theMindMeetsNoDefect'],
  },
  {
    rule: 'a gate that reports late counts for nobody',
    file: 'src/mind/decisions/decide-outcome.ts',
    from: "place.at !== 'checking' || place.attempt.token !== token)",
    to: "place.at !== 'checking')",
    found: ['oldOutcomesChangeNothing', 'outcomesBelongToTheirAttempt', 'theMindMeetsNoDefect'],
  },
];

let copy = '';

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'rule-mutants-'));
  for (const part of ['src', 'test/simulation', 'test/support', 'package.json'])
    cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
});
afterAll(() => rmSync(copy, { recursive: true }));

/** Which invariants fail, by their names. */
async function findings(seeds: number): Promise<string[]> {
  const simulation = ['test/simulation/main.ts', '--seeds', String(seeds), '--until-found'];
  const { stderr } = await run(process.execPath, simulation, { cwd: copy, timeout: 120_000 }).catch(
    (error: { stderr: string }) => error,
  );
  return [...stderr.matchAll(/^seed \d+ failed: (\w+):/gm)].map(([, name = '']) => name);
}

describe('a rule of the domain that is broken on purpose is found', () => {
  it('and without a defect nothing is found', async () => {
    expect(await findings(100)).toEqual([]);
  });

  it.each(MUTANTS.map((mutant) => [mutant.rule, mutant] as const))('%s', async (_, { file, from, to, found }) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    expect(source.split(from), `${file} has this text once; if the rule moved, move the mutant`).toHaveLength(2);
    writeFileSync(join(copy, file), source.replace(from, to));
    try {
      const reported = await findings(1_000);
      expect(found, reported.join(', ')).toContain(reported[0]);
    } finally {
      writeFileSync(join(copy, file), source);
    }
  });
});
