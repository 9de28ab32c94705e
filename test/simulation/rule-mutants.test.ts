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
    from: '{ ...sender, ...no.counted, reworks: sender.reworks + 1 }',
    to: '{ ...sender, ...no.counted }',
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
    rule: 'no worker starts on a step that a person has',
    file: 'src/mind/domain/holds.ts',
    from: ' && task.taken?.step !== id',
    to: '',
    found: ['whatIsHeldIsWhatTasksHave', 'noWorkerStartsOnATakenStep'],
  },
  {
    rule: 'what a person gave is no attempt of a worker',
    file: 'src/mind/decisions/decide-take.ts',
    from: '      given: { by, dir },\n',
    to: '',
    found: ['noWorkerStartsOnATakenStep'],
  },
  {
    rule: 'what a person gave is read again after a crash',
    file: 'src/mind/domain/work.ts',
    from: "work.kind === 'worker.run' && work.given !== undefined ? 'repeat' : RECOVERY[work.kind]",
    to: 'RECOVERY[work.kind]',
    found: ['aGiveIsCapturedOnce'],
  },
  {
    rule: 'one person at a time has a step',
    file: 'src/mind/decisions/decide-take.ts',
    from: 'if (taken !== undefined) {',
    to: 'if (taken?.by === by) {',
    found: ['nobodyTakesWhatSomebodyHas'],
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
    from: "const decision = goesOn(verdict) ? 'APPROVE' : 'REJECT';",
    to: "const decision = goesOn(verdict) ? 'APPROVE' : ('APPROVE' as string as 'APPROVE' | 'REJECT');",
    found: ['onlyApprovedChangesAreApplied', 'everyVoiceIsHeard'],
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
  {
    rule: 'the next attempt waits for the analyses of the change',
    file: 'src/mind/domain/holds.ts',
    from: "place.at === 'ready' && place.awaits === undefined &&",
    to: "place.at === 'ready' &&",
    found: ['analysesOnlyHelp', 'whatIsHeldIsWhatTasksHave'],
  },
  {
    rule: 'an analysis that fails is not tried again',
    file: 'src/mind/decisions/decide-settle.ts',
    from: "const isCut = outcomeClass === 'interrupted' ||",
    to: "const isCut = outcomeClass !== 'ok' ||",
    found: ['analysesOnlyHelp'],
  },
  {
    rule: 'an approval counts while it is fresh',
    file: 'src/mind/decisions/decide-person.ts',
    from: '.filter((one) => one.at + needed.expires_ms > draft.envelope.at)',
    to: '.filter((one) => one.at + needed.expires_ms > 0)',
    found: ['peopleAgreeAsAsked'],
  },
  {
    rule: 'where several have to agree, one is not enough',
    file: 'src/mind/approvals/required-approvals.ts',
    from: '(min_approvers ?? 2)',
    to: '(min_approvers ?? 1)',
    found: ['policiesAskByTheFacts'],
  },
  {
    rule: 'what a policy asks is not passed over',
    file: 'src/mind/decisions/decide-graph.ts',
    from: "definition.ifAsked && asked.action === 'auto_approve'",
    to: 'definition.ifAsked',
    found: ['policiesAskByTheFacts'],
  },
  {
    rule: 'an answer about another change than the one that is asked about counts for nothing',
    file: 'src/mind/decisions/decide-person.ts',
    from: 'if ((command.about ?? shown) !== shown) return',
    to: "if ((command.about ?? shown) === 'never') return",
    found: ['answersCountForWhatWasShown'],
  },
  {
    rule: 'a change that came after the commit is committed too',
    file: 'src/mind/decisions/decide-close.ts',
    from: 'else if (committed?.candidate.change_id === candidate.change_id) acceptTask',
    to: 'else if (committed !== undefined) acceptTask',
    found: ['appliedExactlyOnce'],
  },
  {
    rule: 'a gate that failed counts as a pass only when a person took back every finding',
    file: 'src/mind/decisions/decide-outcome.ts',
    from: "isCleared(report, dismissed, on?.change_id ?? '')",
    to: 'report.blocked_by !== undefined',
    found: ['onlyPassedCandidatesAreApplied', 'stagesComeInOrder'],
  },
  {
    rule: 'what people approved lands, and no other change',
    file: 'src/mind/approvals/landing-approval.ts',
    from: 'if (lands.change_id !== candidate.change_id) {',
    to: "if (lands.change_id === 'never') {",
    found: ['onlyApprovedChangesLand'],
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
