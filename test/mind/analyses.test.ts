/** Analyses: roles that say why gates refused a change, before the next attempt starts. They help, and hold nothing up. */
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/kernel/hash.ts';
import { DEFAULT_LIMITS } from '../../src/mind/domain/limits.ts';
import type { Project } from '../../src/mind/domain/project.ts';
import { attemptOf, type Step, statusOf } from '../../src/mind/domain/task.ts';
import type { OutcomeClass } from '../../src/mind/domain/values.ts';
import { workerRun } from '../../src/mind/domain/worker-run.ts';
import { waitsFor } from '../../src/mind/scheduler/explain.ts';
import { given, type Input, NOON } from '../support/given.ts';
import {
  candidateOf,
  create,
  ended,
  gate,
  grant,
  limits,
  pause,
  placeIn,
  resume,
  startedTasks,
  taskIn,
  timer,
  workflow,
} from './samples.ts';

const CAUSE = 'build-analysis-cause';
const SHAPE = 'build-analysis-shape';
const ANALYSES = [
  { role: 'cause', cli: ['codex'] },
  { role: 'shape', cli: ['gemini'] },
];
const FLOW = workflow([{ id: 'build', gates: ['tests'], analyses: ANALYSES }]);
const LATER = workflow([
  { id: 'build', analyses: ANALYSES },
  { id: 'check', kind: 'gate', gates: ['tests'], on_fail: 'build' },
]);
const WIDE = limits({ slots: { total: 4, per_cli: {} } });
const LATE = NOON + DEFAULT_LIMITS.task_age_ms;
const ANSWER = sha256('the loop never ends');

const red: Input[] = [grant, ended(1, 'ok'), gate(1, 'tests', 'fail')];
const failed: Input[] = [WIDE, create('t-1', { workflow: FLOW }), ...red];
const said = (token: number, step: string, outcome: OutcomeClass = 'ok') =>
  ended(token, outcome, { step, candidate: null, answer: outcome === 'ok' ? ANSWER : null });
const stepOf = (project: Project, id: string) => taskIn(project).steps.get(id as never) as Step;
const runOf = (project: Project, id: string) => {
  const step = stepOf(project, id);
  return workerRun(
    project,
    taskIn(project),
    id as never,
    step,
    attemptOf(step) as never as Parameters<typeof workerRun>[4],
  );
};
const events = (when: ReturnType<ReturnType<typeof given>['when']>) =>
  when.decision.type === 'decided' ? when.decision.events : [];

describe('a change that its gates refuse', () => {
  test('waits for its analyses, which start side by side and count as no step of the way', () => {
    const when = given(...failed).when(grant);
    expect(startedTasks(events(when))).toEqual(['t-1', 't-1']);
    expect(placeIn(when.project, 'build')).toEqual({ at: 'ready', cli: 0, awaits: [CAUSE, SHAPE] });
    expect(placeIn(when.project, CAUSE)).toMatchObject({ at: 'working', attempt: { cli: 'codex', kind: 'answer' } });
    expect(taskIn(when.project)).toMatchObject({ begun: 1, open: ['build', CAUSE, SHAPE] });
    expect(waitsFor(when.project, taskIn(when.project), NOON)[0]).toBe(`build: the answers of ${CAUSE}, ${SHAPE}`);
  });

  test('is what they look at, with what the gates found; they may take five minutes', () => {
    const { project } = given(...failed, grant);
    expect(runOf(project, CAUSE)).toMatchObject({
      isAnalysis: true,
      role: 'cause',
      input: candidateOf(1),
      feedback: 'gate failed: tests',
      findings: [{ gate: 'tests', status: 'fail' }],
      sentBack: { step: 'build', change: candidateOf(1).change_id },
      attempt: { on: candidateOf(1), deadline: NOON + 300_000 },
    });
  });

  test('is tried again when all have ended, and its worker receives the answers that exist', () => {
    const { project } = given(...failed, grant, said(2, CAUSE), grant);
    expect(placeIn(project, 'build')).toMatchObject({ at: 'ready', awaits: [SHAPE] });
    const next = given(...failed, grant, said(2, CAUSE), said(3, SHAPE, 'crash'), grant);
    expect(placeIn(next.project, 'build')).toMatchObject({ at: 'working', attempt: { number: 2 } });
    expect(runOf(next.project, 'build').analyses).toEqual([{ step: CAUSE, role: 'cause', answer: ANSWER }]);
    expect(runOf(next.project, 'build').isAnalysis).toBeUndefined();
  });

  test('is analysed anew each time, and what was said of the one before is forgotten', () => {
    const again = [grant, ended(4, 'ok'), gate(4, 'tests', 'fail'), grant];
    const { project } = given(...failed, grant, said(2, CAUSE), said(3, SHAPE), ...again);
    expect(stepOf(project, 'build').analyses).toBeUndefined();
    expect(placeIn(project, CAUSE)).toMatchObject({ at: 'working', attempt: { number: 2, on: candidateOf(4) } });
  });

  test('is not analysed when nothing follows: the last attempt is used up', () => {
    const one = workflow([{ id: 'build', gates: ['tests'], attempts: 1, analyses: ANALYSES }]);
    const { project } = given(WIDE, create('t-1', { workflow: one }), ...red);
    expect(taskIn(project).closed?.status).toBe('failed');
    expect(stepOf(project, CAUSE)).toBeUndefined();
  });

  test('is analysed for failed gates only, not for an answer that could not be read', () => {
    const { project } = given(WIDE, create('t-1', { workflow: FLOW }), grant, ended(1, 'invalid'), grant);
    expect(placeIn(project, 'build')).toMatchObject({ at: 'working', attempt: { number: 2 } });
  });

  test('is analysed as well when a gate step after it sends it back', () => {
    const past = [WIDE, create('t-1', { workflow: LATER }), grant, ended(1, 'ok')];
    const { project } = given(...past, gate(2, 'tests', 'fail', { step: 'check' }), grant);
    expect(placeIn(project, 'build')).toMatchObject({ at: 'ready', awaits: [CAUSE, SHAPE] });
    expect(runOf(project, CAUSE)).toMatchObject({ input: candidateOf(1), gates: ['tests'] });
  });
});

describe('an analysis holds nothing up', () => {
  test.each<OutcomeClass>(['invalid', 'transient', 'quota', 'auth', 'crash', 'timeout', 'blocked', 'unknown'])(
    'an analysis that ends with %s is over, and the task goes on without it',
    (outcome) => {
      const { project } = given(...failed, grant, said(2, CAUSE, outcome), said(3, SHAPE, outcome), grant);
      expect(taskIn(project).closed).toBeNull();
      expect(placeIn(project, 'build')).toMatchObject({ at: 'working', attempt: { number: 2 } });
    },
  );

  test('an analysis that says no, or finds something critical, decides nothing', () => {
    const findings = { critical: 1, high: 0, medium: 0, low: 0, info: 0 };
    const no = { status: 'REJECTED', confidence: null, vetoes: null, dismissed: null, findings } as const;
    const { project } = given(...failed, grant, { ...said(2, CAUSE), said: no }, said(3, SHAPE), grant);
    expect(statusOf(taskIn(project))).toBe('running');
    expect(placeIn(project, 'build')).toMatchObject({ at: 'working' });
  });

  test.each<OutcomeClass>(['lost', 'interrupted'])(
    'only one that ended with Supervisor is asked again: %s',
    (outcome) => {
      const { project } = given(...failed, grant, said(2, CAUSE, outcome), grant);
      expect(placeIn(project, CAUSE)).toMatchObject({ at: 'working', attempt: { number: 2 } });
    },
  );

  test('an analysis for a parked CLI is left out at once; another change of the same CLI would wait', () => {
    const parked = [
      grant,
      said(2, CAUSE, 'quota'),
      said(3, SHAPE),
      grant,
      ended(4, 'ok'),
      gate(4, 'tests', 'fail'),
      grant,
    ];
    const { project } = given(...failed, ...parked);
    expect(placeIn(project, CAUSE)).toMatchObject({
      at: 'done',
      answer: null,
      reason: expect.stringContaining('quota'),
    });
    expect(placeIn(project, SHAPE)).toMatchObject({ at: 'working' });
  });

  test('one is left out when the budget would not cover it and the next attempt', () => {
    const budget = (task_microusd: number) =>
      limits({
        slots: { total: 4, per_cli: {} },
        budget: { project_microusd: null, day_microusd: null, task_microusd, estimate_microusd: 100 } as never,
      });
    const past = (most: number) => [budget(most), create('t-1', { workflow: FLOW }), ...red, grant];
    const poor = given(...past(250)).project;
    expect(placeIn(poor, CAUSE)).toMatchObject({ at: 'done', reason: expect.stringContaining('goes on without it') });
    expect(placeIn(poor, 'build')).toMatchObject({ at: 'working', attempt: { number: 2 } });
    // The control: with more, it is asked.
    expect(placeIn(given(...past(1_000)).project, CAUSE)).toMatchObject({ at: 'working' });
  });

  test('an analysis that ends while the task is paused is not asked again after resume', () => {
    const { project } = given(...failed, grant, said(2, CAUSE), pause(), said(3, SHAPE), resume(), grant);
    expect(placeIn(project, 'build')).toMatchObject({ at: 'working', attempt: { number: 2 } });
    expect(stepOf(project, CAUSE).attempts).toBe(1);
  });

  describe('and none is left over if no step waits for it', () => {
    const aged = [
      { send: timer('age'), at: LATE },
      { send: timer('age'), at: LATE + DEFAULT_LIMITS.wall_ms },
    ];
    const take: Input = { type: 'step.take', task: 't-1', dir: '/home/ana/shop' };
    const give = (attempt: number): Input => ({ type: 'step.give', task: 't-1', attempt });

    test('when a person continues a task that ended meanwhile', () => {
      const { project } = given(...failed, ...aged, take, give(2));
      expect(taskIn(project).open).toEqual(['build']);
      expect(placeIn(project, CAUSE)).toEqual({ at: 'void' });
      // The control: it ended while the analyses waited for a slot.
      const before = taskIn(given(...failed, ...aged).project);
      expect([before.closed?.status, before.open]).toEqual(['escalated', ['build', CAUSE, SHAPE]]);
    });
  });
});

describe('a person who does the work of the step', () => {
  const take: Input = { type: 'step.take', task: 't-1', dir: '/home/ana/shop-t-1' };
  const give = (attempt: number): Input => ({ type: 'step.give', task: 't-1', attempt });

  test('waits for no analysis: a running one is charged and left, and its answer is unused', () => {
    const past: Input[] = [...failed, grant, said(2, CAUSE), take];
    const { project } = given(...past, give(2));
    expect(placeIn(project, 'build')).toMatchObject({ at: 'working', attempt: { number: 2, given: {} } });
    expect([placeIn(project, CAUSE), placeIn(project, SHAPE)]).toMatchObject([{ at: 'done' }, { at: 'done' }]);
    expect(taskIn(project).open).toEqual(['build']);
    expect(taskIn(project).cost.microusd).toBeNull();
    const late = given(...past, give(2)).when(said(3, SHAPE));
    expect(events(late).map(({ type }) => type)).toEqual(['outcome.refused']);
  });

  test('is not analysed when gates refuse what they gave', () => {
    const mine = ended(4, 'ok', { candidate: candidateOf(4) });
    const { project } = given(...failed, grant, said(2, CAUSE), said(3, SHAPE), take, give(2));
    expect(placeIn(project, 'build')).toMatchObject({ at: 'working', attempt: { token: 4 } });
    const after = given(
      ...failed,
      grant,
      said(2, CAUSE),
      said(3, SHAPE),
      take,
      give(2),
      mine,
      gate(4, 'tests', 'fail'),
    );
    expect(placeIn(after.project, 'build')).toMatchObject({ at: 'ready' });
    expect(placeIn(after.project, 'build')).not.toHaveProperty('awaits');
  });
});
