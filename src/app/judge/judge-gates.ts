/** Runs gates on one change without a task, stage after stage as in a task. */
import type { GateReport, HandContext, Hands } from '../../engine/ports/hands.ts';
import { sha256 } from '../../kernel/hash.ts';
import type { TaskId } from '../../kernel/ids.ts';
import { type Candidate, NOT_MEASURED, type Spec } from '../../mind/domain/values.ts';
import { gateText } from '../../mind/feedback/gate-text.ts';
import { evidenceParts } from '../../mind/gates/evidence.ts';
import type { GateConfig } from '../../mind/gates/gate-config.ts';
import { canaryOf, canaryState, gateKind, gateStage, gateWeight } from '../../mind/gates/kinds.ts';
import { oldTestsAreRed } from '../../mind/gates/old-tests.ts';
import type { JudgedGate } from '../../mind/judgement/judgement.ts';

export type GateProgress = { begins(name: string): void; ended(gate: JudgedGate): void };

type GatesToJudge = {
  /** Unique, so that two judgements at once share nothing. */
  readonly name: string;
  readonly hand: Hands['gate'];
  readonly gates: readonly GateConfig[];
  /** Whether each gate is also tried with failing tests planted. */
  readonly canary: boolean;
  readonly candidate: Candidate;
  readonly spec: Spec;
  readonly context: HandContext;
  readonly progress: GateProgress;
};

type Planned = Omit<JudgedGate, 'status' | 'ms' | 'cached' | 'excused' | 'old_tests_red' | 'ended' | 'text'>;

const PARALLEL = 4;
const MAX_TEXT = 4_000;

export async function runGatesOn(asked: GatesToJudge): Promise<readonly JudgedGate[]> {
  const plan = planOf(asked);
  const judged: JudgedGate[] = [];
  for (const stage of [...new Set(plan.map((one) => one.stage))].sort((a, b) => a - b)) {
    const now = plan.filter((one) => one.stage === stage);
    const stopped = judged.some(({ blocking, status }) => blocking && status !== 'pass');
    if (asked.context.signal.aborted) break;
    if (stopped) judged.push(...now.map((one) => skipped(one, 'an earlier gate did not pass')));
    else judged.push(...(await sideBySide(now, (one) => runOne(asked, one, plan.indexOf(one)))));
  }
  return judged;
}

/** Canaries run last: together they take as long as the gates. */
function planOf({ gates, canary }: GatesToJudge): Planned[] {
  const own = gates.map((gate): Planned => {
    const { name, blocking, on_fail } = gate;
    const blocks = blocking && on_fail !== 'warn';
    const facts = { kind: gateKind(gate), stage: gateStage(gate), weight: gateWeight(gate), blocking: blocks };
    return { ...NOT_MEASURED, name, ...facts, proves: null };
  });
  if (!canary) return own;
  const last = Math.max(...own.map(({ stage }) => stage)) + 1;
  const proved = own.filter(({ name }) => gates.some((gate) => gate.name === name && canaryState(gate) === 'on'));
  return [...own, ...proved.map((one) => ({ ...one, name: canaryOf(one.name), stage: last, proves: one.name }))];
}

async function sideBySide<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let n = next++; n < items.length; n = next++) results[n] = await work(items[n] as T);
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, items.length) }, worker));
  return results;
}

async function runOne({ name, hand, candidate, spec, context, progress }: GatesToJudge, plan: Planned, token: number) {
  progress.begins(plan.name);
  const task = name as TaskId;
  const work = { kind: 'gate.run', attempt: 0, gate: plan.name, spec, candidate, answer: null } as const;
  const effect = { key: `${name}.${plan.name}`, stream: name, task, step: null, token, started: false, work };
  const began = performance.now();
  const report = await hand.run(effect, work, context);
  const judged = await judgedOf(plan, report, context, performance.now() - began);
  progress.ended(judged);
  return judged;
}

async function judgedOf(plan: Planned, report: GateReport, context: HandContext, took: number): Promise<JudgedGate> {
  const { status, evidence, score = null, tests = null, findings = null, flaky = null } = report;
  const text = evidence === undefined || evidence === null ? null : await context.read(evidence);
  const feedback = text === null || status === 'pass' ? '' : gateText({ gate: plan.name, status, text }, MAX_TEXT);
  return {
    ...plan,
    status,
    score,
    tests,
    findings,
    flaky,
    ms: Math.round(report.cached === true ? (report.ms ?? 0) : took),
    cached: report.cached === true,
    excused: report.excused ?? 0,
    old_tests_red: status === 'pass' && text !== null && oldTestsAreRed(text),
    ended: endedOf(text) ?? 'stopped before it ended',
    text: feedback,
  };
}

function endedOf(evidence: string | null): string | null {
  if (evidence === null) return null;
  return /^ended: (.*)$/m.exec(evidenceParts(evidence).head)?.[1] ?? null;
}

const skipped = (plan: Planned, ended: string): JudgedGate => ({
  ...plan,
  status: 'skipped',
  ms: null,
  cached: false,
  excused: 0,
  old_tests_red: false,
  ended,
  text: '',
});

export const JUDGE_PREFIX = 'judge-';

/** The name of a judgement and of everything made for it. */
export const judgementName = (id: string): string => `${JUDGE_PREFIX}${sha256(id).slice(0, 16)}`;
