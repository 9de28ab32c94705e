/** How attempts end: accepted, sent back while there are attempts left, or handed to a person. */
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/kernel/hash.ts';
import { rejected } from '../../src/kernel/result.ts';
import { DEFAULT_LIMITS } from '../../src/mind/domain/limits.ts';
import { signatureOf } from '../../src/mind/safeguards/signature.ts';
import { given, type Input, NOON } from '../support/given.ts';
import {
  again,
  applying,
  BARE,
  CANDIDATE,
  closed,
  create,
  ended,
  ends,
  grant,
  history,
  limits,
  settled,
  started,
  taskIn,
  workflow,
} from './samples.ts';

describe('an attempt that succeeds', () => {
  test('completes its step, and a candidate without gates is applied', () => {
    given(create(), grant)
      .when(ended(1, 'ok'))
      .then([settled({ class: 'ok', candidate: CANDIDATE, next: { do: 'complete', opens: [] } }), applying(2)]);
  });

  test('with nothing but a "yes" completes nothing', () => {
    given(create(), grant)
      .when(ended(1, 'ok', { candidate: null }))
      .then([
        settled({
          class: 'invalid',
          category: 'logic',
          reason: 'the worker changed nothing',
          next: { do: 'retry', at: null, cli: 0, counter: 'candidates' },
        }),
      ]);
  });

  test('at an answer step accepts the task without a candidate', () => {
    const answer = sha256('looks good');
    given(create('t-1', { workflow: workflow([{ id: 'build', kind: 'answer' }]) }), grant)
      .when(ended(1, 'ok', { candidate: null, answer }))
      .then([
        settled({ class: 'ok', answer, next: { do: 'complete', opens: [] } }),
        closed('accepted', 'all steps are done'),
      ]);
  });

  test('at an answer step cannot replace the candidate that was checked', () => {
    const reviewed = workflow([
      { id: 'build', gates: ['tests'] },
      { id: 'review', kind: 'answer' },
    ]);
    const pass: Input = { type: 'gate.report', task: 't-1', step: 'build', token: 1, gate: 'tests', status: 'pass' };
    given(create('t-1', { workflow: reviewed }), grant, ended(1, 'ok'), pass, grant)
      .when(ended(2, 'ok', { step: 'review', candidate: { base: 'b0', tree: 'smuggled', change_id: 'x' } }))
      .then([settled({ step: 'review', token: 2, class: 'ok', next: { do: 'complete', opens: [] } }), applying(3)]);
  });
});

describe('candidates that are no good', () => {
  test('are tried again at once, and the next attempt reads why', () => {
    const { project } = given(create(), grant, ended(1, 'invalid', { reason: 'half a JSON' }));
    expect(taskIn(project).steps.get('build')).toEqual({
      attempts: 1,
      round: 1,
      reworks: 0,
      reviews: [],
      used: { candidates: 1 },
      feedback: 'half a JSON',
      errors: { [signatureOf('half a JSON') as string]: 1 },
      findings: [],
      place: { at: 'ready', cli: 0 },
    });
  });

  test.each([
    ['fail', 'failed'],
    ['escalate', 'escalated'],
    ['block', 'blocked'],
  ] as const)('end the task after three of them: %s makes it %s', (on_exhausted, status) => {
    const definition = { ...BARE, on_exhausted };
    given(...history(['invalid', 'invalid'], definition))
      .when(ended(3, 'invalid', { reason: 'no' }))
      .then([
        settled({ class: 'invalid', token: 3, reason: 'no', next: { do: 'close', status } }),
        closed(status, 'no'),
      ]);
  });

  test('fail the task where the workflow says nothing', () => {
    given(...history(['invalid', 'invalid']))
      .when(ended(3, 'invalid'))
      .then([ends('invalid', 3, 'failed'), closed('failed', 'step build ended with invalid')]);
  });

  test('are counted by the limit of the step before that of the project', () => {
    const once = workflow([{ id: 'build', attempts: 1 }]);
    given(...history([], once))
      .when(ended(1, 'invalid'))
      .then([ends('invalid', 1, 'failed'), closed('failed', 'step build ended with invalid')]);
    given(...history([], BARE, limits({ attempts: 2 })))
      .when(ended(1, 'invalid'))
      .then([again('invalid', 1, 'candidates')]);
  });

  test('are not fewer because of attempts that failed in other ways', () => {
    given(...history(['invalid', 'lost', 'interrupted', 'crash', 'invalid']))
      .when(ended(6, 'invalid'))
      .then([ends('invalid', 6, 'failed'), closed('failed', 'step build ended with invalid')]);
  });
});

test('an attempt that was blocked by something else than a question of its worker needs a person at once', () => {
  given(...history([]))
    .when(ended(1, 'blocked', { reason: 'which one?' }))
    .then([
      settled({ class: 'blocked', reason: 'which one?', next: { do: 'close', status: 'escalated' } }),
      closed('escalated', 'which one?'),
    ]);
});

test.each([
  ['auth', 'log in to claude or set its key (`supervisor doctor` says how)'],
  ['missing_cli', 'install claude (`supervisor doctor` says how)'],
  ['wrong_version', 'install a version of claude that was tested (`supervisor doctor` says which)'],
] as const)(
  'an attempt that ends with %s stops the task, also with another CLI in the chain, and says the fix',
  (outcome, fix) => {
    const chain = workflow([{ id: 'build', cli: ['claude', 'codex'] }]);
    const past = history([], chain);
    given(...past)
      .when(ended(1, outcome, { reason: 'HTTP 401' }))
      .then([
        settled({ class: outcome, reason: 'HTTP 401', next: { do: 'close', status: 'escalated' } }),
        closed('escalated', `HTTP 401; ${fix}, then \`supervisor resume t-1\``),
      ]);
    const { decision } = given(...past).when(ended(1, outcome, { reason: 'x'.repeat(2_000) }));
    const end = decision.type === 'decided' ? decision.events.at(-1) : undefined;
    expect(end?.type === 'task.closed' && end.data.reason).toMatch(/^x+; .*`supervisor resume t-1`$/);
  },
);

test('an attempt of an unknown task or step is rejected', () => {
  const unknown = (what: string) => rejected('unknown_attempt', `no attempt ${what} is known`);
  given().when(ended(1, 'ok')).then(unknown('t-1/build'));
  given(create())
    .when(ended(1, 'ok', { step: 'other' }))
    .then(unknown('t-1/other'));
});

test('an attempt has the wall time of the limits', () => {
  given(limits({ wall_ms: 1_000 }), create())
    .when(grant)
    .then([started({ deadline: NOON + 1_000 })]);
  expect(DEFAULT_LIMITS.wall_ms).toBe(1_800_000);
});

test("a hand's text about a worker without a name has one at the end of the task", () => {
  const reason = 'it printed nothing for 5 m 0 s';
  const past = [create(), grant, ended(1, 'timeout', { reason }), grant];
  expect(taskIn(given(...past, ended(2, 'timeout', { reason })).project).closed?.reason).toBe(
    'the worker took too long (it printed nothing for 5 m 0 s)',
  );
});
