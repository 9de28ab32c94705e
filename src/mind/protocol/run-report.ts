/** What `run --json`, `resume --json` and `show --json` print: one task, whole, for programs. */
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
  /** It passed, and so many tests failed all the same: they fail at the base too. */
  excused: number;
  /** Found by an earlier run on the same tree. */
  cached: boolean;
  /** From 0 to 1. Null, as below: not measured. */
  score: number | null;
  tests: Measured['tests'];
  findings: Measured['findings'];
  /** Some test was red first and then green on the same tree. */
  flaky: boolean | null;
};
/** One attempt, as far as it is known: what is null nobody told. */
export type AttemptReport = {
  attempt: number;
  cli: string;
  /** Null while it is under way, and for one that was given up when its task was closed. */
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
  /** Null while nothing was measured. */
  duration_ms: number | null;
  evidence: EvidenceReport[];
  /** Every attempt, oldest first, also those that were lost with Supervisor. */
  history: AttemptReport[];
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
  /** It was accepted, and every change of it passed at least one gate that can block, for real and behind a wall; none of those is red. */
  verified: boolean;
  /** Tests that fail in the candidate and at its base; null when there are none. `kept`: by --keep-red. */
  red: { count: number; same_as_base: true; kept: boolean; gates: RedGate[]; tests: string[] } | null;
  /** Steps whose change is only a part of what was asked. Absent: none. */
  degraded?: Degraded[];
  /** Played: no process was started, no repository touched. */
  simulated: boolean;
  landed: { onto: string; commit: string } | null;
  /** The branch in whose landing queue it is. */
  landing?: string;
  steps: StepReport[];
  /** What a person is asked now, and what they type to answer. */
  waiting: Question[];
  /** `decision` is null until the task is closed; `score`, `codes` and `notes` are those of the newest verdict on record. */
  verdict: {
    decision: 'APPROVE' | 'REJECT' | 'ESCALATE' | null;
    score: number | null;
    reasons: string[];
    codes: string[];
    notes: string[];
  };
  incident: { reason: string } | null;
  /** `estimated`: what budgets count beyond what the workers told; absent when that is nothing. */
  cost: {
    usd: number | null;
    tokens_in: number | null;
    tokens_out: number | null;
    unpriced_attempts: number;
    estimated?: { usd: number; tokens: number };
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
  return {
    task_id: task.id,
    title: task.title,
    status: statusOf(task),
    workflow: workflow.name,
    onto: task.onto,
    // A commit step may have put it there, however the task ended after that.
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
    steps: stepReports(task, workflow, events),
    waiting: questionsOf(task, workflow),
    verdict: {
      decision: closed === null ? null : DECISION[closed.status],
      score: verdict?.score ?? null,
      reasons: closed === null ? [] : [closed.reason],
      codes: [...(verdict?.reasons ?? [])],
      notes: [...(verdict?.notes ?? [])],
    },
    incident: closed?.status === 'escalated' ? { reason: closed.reason } : null,
    cost: { ...costReport(cost), unpriced_attempts: task.unpriced, ...estimateReport(task) },
    refused_outcomes: task.refused,
  };
}

function degradedReport(task: Task): Pick<RunReport, 'degraded'> {
  const degraded = degradedSteps(task);
  return degraded.length === 0 ? {} : { degraded };
}

function estimateReport({ estimated }: Task): Pick<RunReport['cost'], 'estimated'> {
  if (estimated === undefined) return {};
  return { estimated: { usd: estimated.microusd / 1e6, tokens: estimated.tokens } };
}

function costReport({ microusd, tokens_in, tokens_out }: Cost): AttemptReport['cost'] {
  return { usd: microusd === null ? null : microusd / 1e6, tokens_in, tokens_out };
}

function redReport({ spec }: Task, red: readonly RedGate[], tests: readonly string[]): NonNullable<RunReport['red']> {
  const count = red.reduce((sum, one) => sum + one.count, 0);
  return { count, same_as_base: true, kept: spec.red_base === 'keep', gates: [...red], tests: [...tests] };
}

function stepReports(task: Task, workflow: Workflow, events: readonly NewEvent[]): StepReport[] {
  const reports = new Map<string, StepReport>();
  for (const { id, kind } of workflow.steps.values()) {
    const at = task.steps.get(id)?.place.at ?? 'pending';
    // The task has ended: what was under way is no longer.
    const status = task.closed !== null && at !== 'done' && at !== 'pending' ? 'stopped' : at;
    reports.set(id, { id, kind, status, attempts: 0, cli: null, duration_ms: null, evidence: [], history: [] });
  }
  const started = new Map<number, { at: number; entry: AttemptReport }>();
  for (const event of events) {
    if (event.type === 'attempt.started') {
      const { attempt, cli, token } = event.data;
      const entry = { ...UNDER_WAY, attempt, cli, cost: costReport(UNKNOWN_COST) };
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
