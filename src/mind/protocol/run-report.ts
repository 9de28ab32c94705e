/** The output of `run --json`, `resume --json` and `show --json`: one whole task, for programs. */
import { personOf } from '../approvals/people.ts';
import { type Question, questionsOf } from '../approvals/question.ts';
import type { NewEvent } from '../domain/events/index.ts';
import { blockingRed, isChecked } from '../domain/landable.ts';
import { type Degraded, degradedSteps, type RedGate, statusOf, type Task } from '../domain/task.ts';
import { type Cost, type Measured, UNKNOWN_COST } from '../domain/values.ts';
import type { Workflow } from '../workflows/workflow.ts';

type EvidenceReport = {
  gate: string;
  status: string;
  attempt: number;
  evidence: string | null;
  ms: number | null;
  /** The gate passed although this many tests failed: they fail at the base too. */
  excused: number;
  /** From an earlier run on the same tree. */
  cached: boolean;
  /** From 0 to 1. Null, as below, if not measured. */
  score: number | null;
  tests: Measured['tests'];
  findings: Measured['findings'];
  /** Some test was red first and then green on the same tree. */
  flaky: boolean | null;
};
/** One attempt, as far as it is known; null for what was not reported. */
export type ReportedAttempt = {
  attempt: number;
  /** Empty if no CLI was asked. */
  cli: string;
  /** The person who made it; absent if a worker did. */
  by?: string;
  /** How it ended; null while it runs, or if its task was closed first. */
  class: string | null;
  category: string | null;
  reason: string | null;
  duration_ms: number | null;
  cost: { usd: number | null; tokens_in: number | null; tokens_out: number | null };
};
export type StepReport = {
  id: string;
  kind: string;
  status: string;
  attempts: number;
  cli: string | null;
  /** How long it took; null if not measured. */
  duration_ms: number | null;
  evidence: EvidenceReport[];
  /** Every attempt, oldest first, including those lost with Supervisor. */
  history: ReportedAttempt[];
};

export type RunReport = {
  task_id: string;
  title: string;
  status: string;
  workflow: string;
  onto: string;
  branch: string | null;
  commit: string | null;
  base: string | null;
  candidate: string | null;
  change_id: string | null;
  /**
   * The task was accepted, and each of its changes passed at least one blocking gate for real, in a sandbox; none of
   * those gates is red.
   */
  verified: boolean;
  /** Tests that fail in the candidate and at its base; null if there are none. `kept`: by --keep-red. */
  red: { count: number; same_as_base: true; kept: boolean; gates: RedGate[]; tests: string[] } | null;
  /** Steps whose change covers only a part of what was asked; absent if none. */
  degraded?: Degraded[];
  /** Simulated: no process was started, no repository touched. */
  simulated: boolean;
  landed: { onto: string; commit: string } | null;
  /** The branch whose landing queue it is in. */
  landing?: string;
  steps: StepReport[];
  /** The person who took one of its steps, and their checkout; absent if there is none. */
  taken?: { by: string; step: string; since: number; dir: string };
  /** The open questions, and what to type to answer them. */
  waiting: Question[];
  /**
   * `decision` is null until the task is closed; `score`, `codes` and `notes` come from the newest recorded verdict.
   */
  verdict: {
    decision: 'APPROVE' | 'REJECT' | 'ESCALATE' | null;
    score: number | null;
    reasons: string[];
    codes: string[];
    notes: string[];
  };
  incident: { reason: string } | null;
  /** `estimated`: what budgets count beyond reported costs; absent if nothing. */
  cost: {
    usd: number | null;
    tokens_in: number | null;
    tokens_out: number | null;
    unpriced_attempts: number;
    estimated?: { usd: number; tokens: number };
    /** The cost of analyses of refused changes; absent if no model was asked. */
    analyses?: { attempts: number; usd: number | null; tokens_in: number | null; tokens_out: number | null };
  };
  refused_outcomes: number;
};

const DECISION = {
  accepted: 'APPROVE',
  rejected: 'REJECT',
  failed: 'REJECT',
  blocked: 'ESCALATE',
  escalated: 'ESCALATE',
  cancelled: null,
} as const;

/** `redTests`: names of red tests, which are in the evidence and in no event. */
export function runReport(
  task: Task,
  workflow: Workflow,
  events: readonly NewEvent[],
  redTests: readonly string[] = [],
): RunReport {
  const { closed, candidate, committed, cost, red = [], verdict } = task;
  const steps = stepReports(task, workflow, events);
  return {
    task_id: task.id,
    title: task.title,
    status: statusOf(task),
    workflow: workflow.name,
    onto: task.onto,
    // A commit step may have put it there, however the task ended later.
    branch: closed?.branch ?? committed?.branch ?? null,
    commit: closed?.commit ?? committed?.commit ?? null,
    base: task.base,
    candidate: candidate?.tree ?? null,
    change_id: candidate?.change_id ?? null,
    verified: closed?.status === 'accepted' && isChecked(task, workflow) && blockingRed(task, workflow).length === 0,
    red: red.length === 0 ? null : redReport(task, red, redTests),
    ...degradedReport(task),
    simulated: task.spec.simulated === true,
    landed: task.landed,
    ...(task.landing === undefined ? {} : { landing: task.landing.onto }),
    steps,
    ...takenReport(task),
    waiting: questionsOf(task, workflow),
    verdict: {
      decision: closed === null ? null : DECISION[closed.status],
      score: verdict?.score ?? null,
      reasons: closed === null ? [] : [closed.reason],
      codes: [...(verdict?.reasons ?? [])],
      notes: [...(verdict?.notes ?? [])],
    },
    incident: closed?.status === 'escalated' ? { reason: closed.reason } : null,
    cost: {
      ...costReport(cost),
      unpriced_attempts: task.unpriced,
      ...estimateReport(task),
      ...analysesReport(workflow, steps),
    },
    refused_outcomes: task.refused,
  };
}

function takenReport({ taken }: Task): Pick<RunReport, 'taken'> {
  if (taken === undefined) return {};
  const { by, step, at, dir } = taken;
  return { taken: { by: personOf(by), step, since: at, dir } };
}

function degradedReport(task: Task): Pick<RunReport, 'degraded'> {
  const degraded = degradedSteps(task);
  return degraded.length === 0 ? {} : { degraded };
}

function estimateReport({ estimated }: Task): Pick<RunReport['cost'], 'estimated'> {
  if (estimated === undefined) return {};
  return { estimated: { usd: estimated.microusd / 1e6, tokens: estimated.tokens } };
}

function analysesReport({ steps }: Workflow, reports: readonly StepReport[]): Pick<RunReport['cost'], 'analyses'> {
  const costs = reports
    .filter(({ id }) => (steps.get(id)?.analyses ?? null) !== null)
    .flatMap(({ history }) => history.map(({ cost }) => cost));
  if (costs.length === 0) return {};
  const sum = (of: 'usd' | 'tokens_in' | 'tokens_out') => {
    const known = costs.flatMap((cost) => cost[of] ?? []);
    return known.length === 0 ? null : known.reduce((a, b) => a + b, 0);
  };
  const analyses = {
    attempts: costs.length,
    usd: sum('usd'),
    tokens_in: sum('tokens_in'),
    tokens_out: sum('tokens_out'),
  };
  return { analyses };
}

function costReport({ microusd, tokens_in, tokens_out }: Cost): ReportedAttempt['cost'] {
  return { usd: microusd === null ? null : microusd / 1e6, tokens_in, tokens_out };
}

function redReport({ spec }: Task, red: readonly RedGate[], tests: readonly string[]): NonNullable<RunReport['red']> {
  const count = red.reduce((sum, one) => sum + one.count, 0);
  return { count, same_as_base: true, kept: spec.red_base === 'keep', gates: [...red], tests: [...tests] };
}

function stepReports(task: Task, workflow: Workflow, events: readonly NewEvent[]): StepReport[] {
  const reports = new Map<string, StepReport>();
  for (const { id, kind, analyses } of workflow.steps.values()) {
    // No step waits for an analysis before gates have failed.
    if (analyses !== null && !task.steps.has(id)) continue;
    const at = task.steps.get(id)?.place.at ?? 'pending';
    // The task has ended, so nothing runs any more.
    const status = task.closed !== null && at !== 'done' && at !== 'pending' ? 'stopped' : at;
    reports.set(id, { id, kind, status, attempts: 0, cli: null, duration_ms: null, evidence: [], history: [] });
  }
  const started = new Map<number, { at: number; entry: ReportedAttempt }>();
  for (const event of events) {
    if (event.type === 'attempt.started') {
      const { attempt, cli, token, given } = event.data;
      const by = given === undefined ? {} : { by: personOf(given.by) };
      const entry = { ...UNDER_WAY, attempt, cli, ...by, cost: costReport(UNKNOWN_COST) };
      started.set(token, { at: event.time, entry });
      const report = reports.get(event.data.step);
      if (report === undefined) continue;
      Object.assign(report, { attempts: attempt, cli });
      report.history.push(entry);
    } else if (event.type === 'attempt.produced') {
      const known = started.get(event.data.token);
      if (known !== undefined) known.entry.cost = costReport(event.data.cost);
    } else if (event.type === 'gate.reported') {
      const { step, token, ...found } = event.data;
      const attempt = started.get(token)?.entry.attempt ?? 0;
      reports.get(step)?.evidence.push(evidenceReport(found, attempt));
    } else if (event.type === 'attempt.settled') {
      const { class: outcome, category = null, reason, cost, token } = event.data;
      const known = started.get(token);
      const took = Math.max(0, event.time - (known?.at ?? event.time));
      const report = reports.get(event.data.step);
      if (report !== undefined) report.duration_ms = (report.duration_ms ?? 0) + took;
      if (known !== undefined)
        Object.assign(known.entry, { class: outcome, category, reason, duration_ms: took, cost: costReport(cost) });
    }
  }
  return [...reports.values()];
}

type Reported = Extract<NewEvent, { type: 'gate.reported' }>['data'];

function evidenceReport(found: Omit<Reported, 'step' | 'token'>, attempt: number): EvidenceReport {
  const { gate, status, evidence, ms, excused, cached, score, tests, findings, flaky } = found;
  return { gate, status, attempt, evidence, ms, excused, cached, score, tests, findings, flaky };
}

const UNDER_WAY = { class: null, category: null, reason: null, duration_ms: null } as const;
