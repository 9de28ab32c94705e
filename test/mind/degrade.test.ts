/** Degradation: when the attempts at a level are used up, the step goes on with less, only where its workflow allows it. */
import { describe, expect, test } from 'vitest';
import { questionsOf } from '../../src/mind/approvals/question.ts';
import { riskFactsOf } from '../../src/mind/approvals/risk.ts';
import { wantedBy } from '../../src/mind/domain/effects.ts';
import { degradedSteps } from '../../src/mind/domain/task.ts';
import { compileWorkflow } from '../../src/mind/workflows/workflow.ts';
import { given, type Input } from '../support/given.ts';
import { candidateOf, create, ended, gate, grant, placeIn, resume, taskIn, workflow } from './samples.ts';

const flow = (degrade?: ('simplified' | 'minimal')[]) =>
  workflow([{ id: 'build', gates: ['tests'], attempts: 2, ...(degrade === undefined ? {} : { degrade }) }]);
const BOTH = flow(['simplified', 'minimal']);
const task = (definition = BOTH): Input => create('t-1', { workflow: definition });
/** Attempt `n`, red for a reason of its own. */
const red = (n: number, signature = `error/${n}`): Input[] => [
  grant,
  ended(n, 'ok', { candidate: candidateOf(n) }),
  { ...gate(n, 'tests', 'fail'), signature } as Input,
];
const green = (n: number): Input[] => [grant, ended(n, 'ok', { candidate: candidateOf(n) }), gate(n, 'tests', 'pass')];
const reds = (...numbers: number[]): Input[] => numbers.flatMap((n) => red(n));
const levelOf = (...past: Input[]) => taskIn(given(...past).project).steps.get('build')?.level ?? 'primary';
const worker = (...past: Input[]) => {
  const work = wantedBy(given(...past).project, 'task/t-1').effects.find((one) => one.work.kind === 'worker.run')?.work;
  if (work?.kind !== 'worker.run') throw new Error('no worker is wanted');
  return work;
};

describe('a step whose attempts are used up', () => {
  test('ends its task where no level is allowed below', () => {
    expect(taskIn(given(task(flow()), ...reds(1, 2)).project).closed).toMatchObject({ status: 'failed' });
  });

  test('continues at the next level with as many attempts, and ends its task after the last one', () => {
    expect(levelOf(task(), ...reds(1))).toBe('primary');
    expect(levelOf(task(), ...reds(1, 2))).toBe('simplified');
    expect(levelOf(task(), ...reds(1, 2, 3))).toBe('simplified');
    expect(levelOf(task(), ...reds(1, 2, 3, 4))).toBe('minimal');
    const { project } = given(task(), ...reds(1, 2, 3, 4, 5, 6));
    expect(taskIn(project)).toMatchObject({ attempts: 6, closed: { status: 'failed', reason: 'gate failed: tests' } });
  });

  test('falls only as far as it may', () => {
    const { project } = given(task(flow(['minimal'])), ...reds(1, 2, 3, 4));
    expect(taskIn(project)).toMatchObject({ attempts: 4, closed: { status: 'failed' } });
    expect(levelOf(task(flow(['minimal'])), ...reds(1, 2))).toBe('minimal');
  });

  test('reads its level and the failures, and begins where the step began', () => {
    const { level, start, input, feedback, findings } = worker(task(), ...reds(1, 2), grant);
    expect({ level, start, input, feedback }).toEqual({
      level: 'simplified',
      start: null,
      input: null,
      feedback: 'gate failed: tests',
    });
    expect(findings.map((one) => one.gate)).toEqual(['tests']);
    expect(worker(task(), ...reds(1), grant)).not.toHaveProperty('level');
  });

  test('counts errors anew at each level: three times the same is three attempts at one level', () => {
    const same = (...numbers: number[]) => numbers.flatMap((n) => red(n, 'error/same'));
    const many = workflow([{ id: 'build', gates: ['tests'], attempts: 9, degrade: ['simplified'] }]);
    expect(levelOf(task(many), ...same(1, 2))).toBe('primary');
    expect(levelOf(task(many), ...same(1, 2, 3))).toBe('simplified');
    expect(taskIn(given(task(many), ...same(1, 2, 3, 4, 5)).project).closed).toBeNull();
    expect(taskIn(given(task(many), ...same(1, 2, 3, 4, 5, 6)).project).closed?.status).toBe('failed');
  });
});

describe('less of the work does not help against', () => {
  const crashed = (n: number): Input[] => [grant, ended(n, 'crash')];

  test('a CLI that crashes; a work that takes too long is another matter', () => {
    const { project } = given(task(), ...[1, 2, 3, 4, 5].flatMap(crashed).slice(0, 6));
    expect([taskIn(project).closed?.status, taskIn(project).steps.get('build')?.level]).toEqual(['failed', undefined]);
    const late = [1, 2, 3].flatMap((n): Input[] => [grant, ended(n, 'timeout')]);
    expect(levelOf(task(), ...late)).toBe('simplified');
  });

  test('a change that was sent back before: the task is escalated at once', () => {
    const again: Input[] = [grant, ended(3, 'ok', { candidate: candidateOf(1) })];
    expect(taskIn(given(task(), ...reds(1, 2), ...again).project).closed?.status).toBe('escalated');
  });
});

describe('a change of a lower level', () => {
  const done: Input[] = [task(), ...reds(1, 2), ...green(3)];

  test('is marked in the state, in the commit that is wanted, in its verdict and for approval policies', () => {
    const { project } = given(...done);
    const degraded = [{ step: 'build', level: 'simplified' }];
    expect(degradedSteps(taskIn(project))).toEqual(degraded);
    expect(wantedBy(project, 'task/t-1').effects).toMatchObject([{ work: { kind: 'candidate.apply', degraded } }]);
    expect(taskIn(project).verdict?.notes).toContain('degraded');
    expect(riskFactsOf(taskIn(project)).degraded).toBe(true);
  });

  test('the control: a change of the first level is not', () => {
    const { project } = given(task(), ...reds(1), ...green(2));
    expect(degradedSteps(taskIn(project))).toEqual([]);
    expect(wantedBy(project, 'task/t-1').effects[0]?.work).not.toHaveProperty('degraded');
    expect(taskIn(project).verdict?.notes).not.toContain('degraded');
    expect(riskFactsOf(taskIn(project)).degraded).toBe(false);
  });

  test('is shown to the person who is asked whether it is good', () => {
    const signed = workflow([
      { id: 'build', gates: ['tests'], attempts: 1, degrade: ['minimal'] },
      { id: 'sign', kind: 'human', on_reject: 'build' },
    ]);
    const asked = (...past: Input[]) =>
      questionsOf(taskIn(given(task(signed), ...past).project), compileWorkflow(signed)).map(({ text }) => text);
    expect(asked(...reds(1), ...green(2))).toEqual(['Is the change good? It is degraded: build is minimal.']);
    expect(asked(...green(1))).toEqual(['Is the change good?']);
  });

  test('stays at its level when a review sends it back, and begins at the first one when a person resumes the task', () => {
    const reviewed = workflow([
      { id: 'build', gates: ['tests'], attempts: 2, degrade: ['simplified'] },
      { id: 'review', kind: 'answer', on_reject: 'build', rounds: 5 },
    ]);
    const said = {
      status: 'CHANGES_REQUESTED',
      confidence: null,
      findings: null,
      vetoes: null,
      dismissed: null,
    } as const;
    const no = ended(4, 'ok', { step: 'review', candidate: null, said });
    const past = [task(reviewed), ...reds(1, 2), ...green(3), grant, no];
    expect(placeIn(given(...past).project)).toMatchObject({ at: 'ready' });
    expect(levelOf(...past)).toBe('simplified');
    expect(degradedSteps(taskIn(given(...past).project))).toEqual([]);
    expect(levelOf(task(flow(['simplified'])), ...reds(1, 2, 3, 4), resume())).toBe('primary');
  });
});
