/** Tries each gate of a project on a commit: whether it passes there, and whether it can fail. The last result is kept for `doctor`. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { HandContext } from '../engine/ports/hands.ts';
import { sha256 } from '../kernel/hash.ts';
import type { BlobHash, ProjectId } from '../kernel/ids.ts';
import { type ProbeProblem, probeProblems, type Tries } from '../mind/canary/sabotage.ts';
import type { GateConfig } from '../mind/gates/gate-config.ts';
import { gateKind } from '../mind/gates/kinds.ts';
import type { Environment } from './config/environment.ts';
import { readKept, writeKept } from './kept-json.ts';
import type { RealHands } from './real-hands.ts';

export type Probed = {
  readonly gate: string;
  readonly kind: string;
  readonly problems: readonly ProbeProblem[];
  readonly tries: Tries;
};

export type KeptProbe = {
  readonly commit: string;
  readonly settings: string;
  readonly at: string;
  readonly gates: readonly { readonly gate: string; readonly problems: readonly ProbeProblem[] }[];
};

export async function probeGates(
  real: Pick<RealHands, 'probe'>,
  ask: { readonly commit: string; readonly gates: readonly GateConfig[] },
  told: { trying(gate: string, what: string): void; done(probed: Probed): void },
  signal: AbortSignal,
): Promise<Probed[]> {
  const found: Probed[] = [];
  const spec = { version: 1 as const, text: 'gates check' };
  for (const [token, gate] of ask.gates.entries()) {
    const one = { task: 'gates-check', token, gate: gate.name, spec, base: ask.commit };
    const tries = await real.probe(one, contextOf(signal), (what) => told.trying(gate.name, what));
    if (tries === null || signal.aborted) break;
    const kind = gateKind(gate);
    const probed = { gate: gate.name, kind, problems: probeProblems(tries), tries };
    found.push(probed);
    told.done(probed);
  }
  return found;
}

/** Keeps texts in this process only; none of them is logged. */
function contextOf(signal: AbortSignal): HandContext {
  const texts = new Map<string, string>();
  return {
    signal,
    keep: async (text) => {
      const hash = sha256(text) as BlobHash;
      texts.set(hash, text);
      return hash;
    },
    read: async (hash) => texts.get(hash) ?? null,
  };
}

const fileOf = ({ stateDir }: Environment): string => join(stateDir, 'gates-check.json');

export function keepProbe(environment: Environment, project: ProjectId, probe: KeptProbe): void {
  mkdirSync(environment.stateDir, { recursive: true, mode: 0o700 });
  writeKept(fileOf(environment), { ...readKept<KeptProbe>(fileOf(environment)), [project]: probe });
}

export const keptProbe = (environment: Environment, project: ProjectId): KeptProbe | null =>
  readKept<KeptProbe>(fileOf(environment))[project] ?? null;

/** What each problem means, for people. */
export const PROBLEM_TEXT: Readonly<Record<ProbeProblem, string>> = {
  always_fails: 'fails on this commit: repair the code or the gate before tasks run',
  error: 'could not run',
  flaky: 'is unstable: runs on the same commit ended differently',
  no_tests: 'runs no tests, so a pass says nothing: check the paths in its command',
  cannot_fail:
    'passes although every source file is broken: let its command exit with a code other than 0 when a check fails',
  ignores_tests: 'passes although failing tests were planted: it does not run these test files, or hides their result',
  unnamed_tests:
    'fails when failing tests are planted, but does not name them, so no task can prove that it can fail: check its `ids` or `report`',
  passes_without_tests: 'passes without its test files: let its command fail when no test is found',
  accepts_bad_change: 'passes although a change was planted that it has to refuse',
  not_proven: 'passes here, but nothing shows that it can fail: name a failing test with `canary: {file, text}`',
};
