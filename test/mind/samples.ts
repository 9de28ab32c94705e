/** Commands and facts that many tests of the mind speak of: one task, one change step, one gate, unless they say otherwise. */
import { DEFAULT_LIMITS, type Limits } from '../../src/mind/domain/limits.ts';
import type { Project } from '../../src/mind/domain/project.ts';
import type { Task } from '../../src/mind/domain/task.ts';
import { NOT_MEASURED, type OutcomeClass } from '../../src/mind/domain/values.ts';
import { gateKind, gateWeight } from '../../src/mind/gates/kinds.ts';
import { categoryOf } from '../../src/mind/safeguards/category.ts';
import { signatureOf } from '../../src/mind/safeguards/signature.ts';
import type { WorkflowDefinition } from '../../src/mind/workflows/step.ts';
import { workflowHashOf } from '../../src/mind/workflows/workflow.ts';
import { type Fact, fact, type Input, NOON } from '../support/given.ts';

export type StepInput = WorkflowDefinition['steps'][number];

export function workflow(
  steps: readonly Partial<StepInput>[],
  over: Partial<WorkflowDefinition> = {},
): WorkflowDefinition {
  const filled = steps.map((step, n) => ({ id: `s${n + 1}`, kind: 'change', cli: ['claude'], ...step }) as StepInput);
  return { name: 'work', version: 1, steps: filled, ...over };
}

/** One change, no gates. */
export const BARE = workflow([{ id: 'build' }]);
/** One change, two gates. */
export const GATED = workflow([{ id: 'build', gates: ['lint', 'tests'] }]);

type Create = Extract<Input, { type: 'task.create' }>;
export function create(task = 't-1', over: Partial<Omit<Create, 'type' | 'task'>> = {}): Create {
  const text = { title: `task ${task}`, spec: { version: 1, text: 'do it' } } as const;
  return { type: 'task.create', task, ...text, onto: 'main', base: 'b0', workflow: BARE, ...over };
}

export const spec = (over: Partial<Create['spec']>): Pick<Create, 'spec'> => ({
  spec: { version: 1, text: 'do it', ...over },
});

export const grant: Input = { type: 'board.grant' };

export const CANDIDATE = { base: 'b0', tree: 'tree-1', change_id: 'change-1' };
export const FREE = { microusd: null, tokens_in: null, tokens_out: null };

type Report = Extract<Input, { type: 'attempt.report' }>;
/** How the attempt with this token ended. */
export function ended(token: number, outcome: OutcomeClass, over: Partial<Report> = {}): Report {
  const candidate = outcome === 'ok' ? candidateOf(token) : null;
  return { type: 'attempt.report', task: 't-1', step: 'build', token, class: outcome, candidate, cost: FREE, ...over };
}

export function gate(
  token: number,
  name: string,
  status: 'pass' | 'fail' | 'error',
  over: { task?: string; step?: string; excused?: number } = {},
): Input {
  return { type: 'gate.report', task: 't-1', step: 'build', token, gate: name, status, ...over };
}

export const limits = (over: Partial<Limits>): Input => ({
  type: 'board.configure',
  limits: { ...DEFAULT_LIMITS, ...over },
});
export const pause = (task = 't-1'): Input => ({ type: 'task.pause', task, reason: 'later' });
export const cancel = (task = 't-1'): Input => ({ type: 'task.cancel', task, reason: 'enough' });
export const resume = (task = 't-1'): Input => ({ type: 'task.resume', task, reason: 'again' });

type TimerFire = Extract<Input, { type: 'timer.fire' }>;
export function timer(name: TimerFire['timer'], over: Partial<TimerFire> = {}): TimerFire {
  return { type: 'timer.fire', task: 't-1', timer: name, step: name === 'age' ? null : 'build', token: 0, ...over };
}

type Started = Parameters<typeof fact<'attempt.started'>>[2];
/** An attempt that was granted. */
export function started(over: Partial<Started> = {}, task = 't-1'): Fact {
  const usual = { step: 'build', attempt: 1, token: 1, kind: 'change', cli: 'claude', reserve: 0 } as const;
  return fact(`task/${task}`, 'attempt.started', {
    ...usual,
    round: 1,
    on: null,
    locks: [],
    deadline: NOON + DEFAULT_LIMITS.wall_ms,
    ...over,
  });
}

type Settled = Parameters<typeof fact<'attempt.settled'>>[2];
/** The end of an attempt and what follows from it. */
export function settled(over: Pick<Settled, 'class' | 'next'> & Partial<Settled>, task = 't-1'): Fact {
  const category = categoryOf(over.class);
  const signature = over.class === 'invalid' ? signatureOf(over.reason ?? '') : null;
  return fact(`task/${task}`, 'attempt.settled', {
    step: 'build',
    token: 1,
    ...(category === null ? {} : { category }),
    reason: '',
    ...(signature === null ? {} : { signature }),
    candidate: null,
    answer: null,
    record: null,
    said: null,
    cost: FREE,
    ...over,
  });
}

type Verdict = Parameters<typeof fact<'verdict.given'>>[2];
/** The verdict on the gates of `build`, which weigh as their names say. */
export function verdict(
  over: Pick<Verdict, 'decision' | 'reasons'> & Partial<Verdict>,
  ...gates: readonly (readonly [string, 'pass' | 'fail' | 'error'])[]
): Fact {
  const records = gates.map(([name, status]): Verdict['gates'][number] => ({
    ...{ gate: name, kind: gateKind({ name }), weight: gateWeight({ name }), blocking: true, proven: 'unknown' },
    ...{ status, excused: 0, ...NOT_MEASURED },
  }));
  return fact('task/t-1', 'verdict.given', {
    ...{ step: 'build', token: 1, on: CANDIDATE, round: 1, attempts: 1, rejections: 0 },
    ...{ score: 0, notes: gates.some(([, status]) => status === 'pass') ? ['unproven'] : [] },
    ...{ gates: records, reviews: [], tests: null, coverage_delta: null },
    ...over,
  });
}

/** An attempt that ended and is followed by another, or by the end of the task. */
export const again = (
  outcome: OutcomeClass,
  token: number,
  counter: 'candidates' | 'crash' | 'lost' | 'unknown' | 'none',
  cli = 0,
): Fact => settled({ class: outcome, token, next: { do: 'retry', at: null, cli, counter } });
export const ends = (outcome: OutcomeClass, token: number, status: 'failed' | 'escalated' | 'blocked'): Fact =>
  settled({ class: outcome, token, next: { do: 'close', status } });

/** A task after these outcomes, each followed by the next attempt. */
export function history(outcomes: readonly OutcomeClass[], definition = BARE, ...setup: Input[]): Input[] {
  const attempts = outcomes.flatMap((outcome, n): Input[] => [grant, ended(n + 1, outcome)]);
  return [...setup, create('t-1', { workflow: definition }), ...attempts, grant];
}

type ClosedFact = Parameters<typeof fact<'task.closed'>>[2];
export const closed = (status: ClosedFact['status'], reason = '', over: Partial<ClosedFact> = {}, task = 't-1'): Fact =>
  fact(`task/${task}`, 'task.closed', { status, reason, commit: null, branch: null, ...over });

export const TOO_OLD = 'the task is older than task_age allows (24 h 0 m), and one more try did not end it';
/** At the limit itself, unless it was late. */
export const warnedOfAge = (count = DEFAULT_LIMITS.task_age_ms, task = 't-1'): Fact =>
  fact(`task/${task}`, 'task.warned', {
    guard: { name: 'age', state: 'warn', count, limit: DEFAULT_LIMITS.task_age_ms },
  });

/** Another candidate for each attempt: the same one is not judged twice. */
export const candidateOf = (token: number): typeof CANDIDATE => ({
  base: 'b0',
  tree: `tree-${token}`,
  change_id: `change-${token}`,
});

export const applying = (token: number, task = 't-1', candidate = CANDIDATE): Fact =>
  fact(`task/${task}`, 'task.applying', { token, candidate, branch: branchName(task) });

/** By the title that `create` gives a task. */
export const branchName = (task = 't-1'): string => `ai/${task}-task-${task}`;

export const counted = (lane: string, at = NOON): Fact => fact('board', 'breaker.counted', { lane, at });

export const hashOf = workflowHashOf;

/** The state of one task. */
export function taskIn(project: Project, id = 't-1'): Task {
  const task = project.tasks.get(id);
  if (task === undefined) throw new Error(`no task ${id}`);
  return task;
}

export const placeIn = (project: Project, step = 'build', id = 't-1') => taskIn(project, id).steps.get(step)?.place;

/** The tasks that a decision started attempts for, in order. */
export function startedTasks(events: readonly { readonly type: string; readonly stream: string }[]): string[] {
  return events.filter((event) => event.type === 'attempt.started').map((event) => event.stream.slice('task/'.length));
}
