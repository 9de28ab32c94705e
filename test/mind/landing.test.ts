/** Landing: a queue per line, one change at a time, each step an effect whose report is checked against its token. */
import { describe, expect, test } from 'vitest';
import { wantedBy } from '../../src/mind/domain/effects.ts';
import { fact, given, type Input, type Sent } from '../support/given.ts';
import { accepted, applied, checks, GATED, integrated, land, line, moved, onTop } from './landing-samples.ts';
import { CANDIDATE, cancel, create, ended, gate, grant, spec, taskIn } from './samples.ts';

const wanted = (...past: Input[]) => wantedBy(given(...past).project, 'line/main').effects;

const at = (type: string) => (name: string, data: object) => ({ stream: type, type: name, data });
const onLine = at('line/main');
const onTask = at('task/t-1');
const entry = (token: number) => ({ task: 't-1', token });

describe('a line that has not moved', () => {
  test('is moved to the very commit of the task', () => {
    given(...accepted())
      .when(land())
      .then([
        fact('task/t-1', 'task.landing', { onto: 'main', unverified: false, move_checkout: false, by: 'operator' }),
        fact('line/main', 'line.queued', { ...entry(1), line: 'main', by: 'operator' }),
      ]);
    expect(wanted(...accepted(), land())).toMatchObject([
      { key: 'line/main/t-1/1/line.move', step: null, token: 1, work: { commit: 'c0ffee', integrated: null } },
    ]);
    const done = given(...accepted(), land()).when(line('line.move', 1, { status: 'landed', commit: 'c0ffee' }));
    done.then([
      onLine('line.landed', { ...entry(1), commit: 'c0ffee', change_id: CANDIDATE.change_id }),
      onTask('task.landed', { onto: 'main', commit: 'c0ffee' }),
    ]);
    expect(done.project.lines.get('main')).toMatchObject({ head: 'c0ffee', queue: [] });
    expect(taskIn(done.project).landing).toBeUndefined();
  });

  test('asked twice, it has one place in the queue, and the newer words count', () => {
    given(...accepted(), land())
      .when(land())
      .then([]);
    given(...accepted(), land())
      .when(land({ move_checkout: true }))
      .then([
        fact('task/t-1', 'task.landing', { onto: 'main', unverified: false, move_checkout: true, by: 'operator' }),
      ]);
    expect(given(...accepted(), land()).when(land({ onto: 'release' })).decision).toMatchObject({ code: 'landing' });
  });
});

describe('a line that has moved', () => {
  const integrating = [...accepted(), land(), moved(1)];
  const gating = [...integrating, onTop(2)];

  test('gets the change on top, checked again by every gate that can block', () => {
    given(...accepted(), land())
      .when(moved(1))
      .then([onLine('line.integrating', { ...entry(2), head: 'beef' })]);
    expect(wanted(...integrating)).toMatchObject([{ work: { kind: 'line.integrate', head: 'beef' } }]);
    given(...integrating)
      .when(onTop(2))
      .then([onLine('line.gating', { ...entry(3), candidate: integrated, gates: ['tests'], tip_tree: 'tip-tree' })]);
    expect(wanted(...gating)).toMatchObject([
      { step: null, token: 3, work: { kind: 'gate.run', gate: 'tests', candidate: integrated } },
    ]);
    const green = given(...gating).when(checks(3, 'pass'));
    expect(green.decision).toMatchObject({
      events: [{ type: 'line.gated' }, { type: 'line.moving', data: { token: 4 } }],
    });
    expect(wanted(...gating, checks(3, 'pass'))).toMatchObject([
      { work: { kind: 'line.move', integrated: { candidate: integrated, branch: 'ai/t-1-on-beef' } } },
    ]);
  });

  test('has another branch if it is a merge: the same task may have begun to land as one commit before', () => {
    const merging = [...accepted(), land({ as: 'merge' }), moved(1), onTop(2), checks(3, 'pass')];
    expect(wanted(...merging)).toMatchObject([{ work: { integrated: { branch: 'ai/t-1-merged-on-beef' } } }]);
  });

  test.each([
    ['error', {}, 'gate_error'],
    ['pass', { excused: 2 }, 'unverified'],
  ] as const)('with a gate that says %s %o it is not landed: %s', (status, over, code) => {
    const told = given(...gating).when(checks(3, status, over));
    expect(told.decision).toMatchObject({
      events: [{}, { type: 'line.left', data: { code } }, { type: 'task.not_landed' }],
    });
    expect(wantedBy(told.project, 'line/main').effects).toEqual([]);
    expect(taskIn(told.project).landed).toBeNull();
  });

  test('red tests of the line land if the operator said so', () => {
    const said = [...accepted(), land({ unverified: true }), moved(1), onTop(2)];
    expect(given(...said).when(checks(3, 'pass', { excused: 2 })).decision).toMatchObject({
      events: [{}, { type: 'line.moving' }],
    });
  });

  test('that conflicts is left, with both named', () => {
    const conflict = line('line.integrate', 2, { status: 'conflict', reason: 'main conflicts in a.txt' });
    given(...integrating)
      .when(conflict)
      .then([
        onLine('line.left', { ...entry(2), code: 'conflict', reason: 'main conflicts in a.txt' }),
        onTask('task.not_landed', { onto: 'main', code: 'conflict', reason: 'main conflicts in a.txt' }),
      ]);
  });

  test('that moves again and again is given up after five times', () => {
    const past = [...accepted(), land()];
    for (let round = 0; round < 5; round += 1)
      past.push(moved(1 + round * 3), onTop(2 + round * 3), checks(3 + round * 3, 'pass'));
    expect(given(...past).when(moved(16)).decision).toMatchObject({
      events: [{ type: 'line.left', data: { code: 'not_landed' } }, { type: 'task.not_landed' }],
    });
  });

  test.each([
    ['an old move', moved(1)],
    ['an old integration', onTop(1)],
    ['a gate of an older tree', checks(1, 'pass')],
    ['a gate that was not asked', checks(3, 'pass', { gate: 'lint' })],
    ['a move that is not under way', line('line.move', 3, { status: 'landed', commit: 'c0ffee' })],
  ])('%s changes nothing', (_, late) => {
    expect(given(...gating).when(late).decision).toMatchObject({ code: 'duplicate_outcome' });
  });
});

describe('a gate that is red on the integrated tree', () => {
  const red = (...asked: Input[]): Input[] => [...asked, moved(1), onTop(2), checks(3, 'fail')];
  const first = red(...accepted(), land());
  const onTip = [...first, checks(4, 'pass')];

  test('runs on the branch without the change first', () => {
    given(...first.slice(0, -1))
      .when(checks(3, 'fail'))
      .then([
        onLine('line.gated', expect.objectContaining({ status: 'fail' })),
        onLine('line.rechecking', { ...entry(4), on: 'tip', gates: ['tests'] }),
      ]);
    expect(wanted(...first)).toMatchObject([
      { token: 4, work: { kind: 'gate.run', candidate: { base: 'beef', tree: 'tip-tree' } } },
    ]);
  });

  test('red there too: the queue stops, keeps the task, blames no task, and wants nothing', () => {
    const stopped = given(...first).when(checks(4, 'fail'));
    expect(stopped.decision).toMatchObject({
      events: [{}, { type: 'line.stopped', data: { ...entry(5), head: 'beef', gates: ['tests'] } }],
    });
    expect(stopped.project.lines.get('main')).toMatchObject({ queue: [{ task: 't-1' }] });
    expect(wantedBy(stopped.project, 'line/main')).toEqual({ effects: [], timers: [] });
    expect(taskIn(stopped.project).landing).toMatchObject({ onto: 'main' });
    const again = given(...first, checks(4, 'fail')).when(land());
    again.then([onLine('line.started', { ...entry(6), by: 'operator' })]);
    expect(wantedBy(again.project, 'line/main').effects).toMatchObject([{ work: { kind: 'line.move' } }]);
  });

  test('green there, it runs on the same tree again, not from the cache', () => {
    expect(wanted(...onTip)).toMatchObject([{ token: 5, work: { gate: 'tests', candidate: integrated, fresh: true } }]);
    expect(wanted(...first)[0]?.work).not.toHaveProperty('fresh');
  });

  test('red again: green alone, red together; the other change is named', () => {
    const told = given(...onTip).when(checks(5, 'fail'));
    expect(told.decision).toMatchObject({
      events: [
        {},
        { type: 'line.left', data: { code: 'gate_failed' } },
        { type: 'task.not_landed', data: { reason: expect.stringContaining('green alone, and red together with') } },
      ],
    });
  });

  test('green then: unstable; it lands only if a person says so', () => {
    expect(given(...onTip).when(checks(5, 'pass')).decision).toMatchObject({
      events: [{}, { type: 'line.left', data: { code: 'unstable' } }, { type: 'task.not_landed' }],
    });
    const said = [...red(...accepted(), land({ unstable: true })), checks(4, 'pass')];
    expect(given(...said).when(checks(5, 'pass')).decision).toMatchObject({
      events: [{}, { type: 'line.moving', data: { candidate: integrated } }],
    });
    expect(given(...said).when(checks(5, 'fail')).decision).toMatchObject({
      events: [{}, { type: 'line.left', data: { code: 'gate_failed' } }, {}],
    });
  });

  test('that found out itself that it is unstable is not run a third time', () => {
    const past = [...accepted(), land(), moved(1), onTop(2), checks(3, 'fail', { flaky: true })];
    expect(given(...past).when(checks(4, 'pass')).decision).toMatchObject({
      events: [{}, { type: 'line.left', data: { code: 'unstable' } }, {}],
    });
  });

  test("of the task's own asks for the change, so the branch is not asked", () => {
    const own = accepted(spec({ gates: [{ name: 'tests', command: 'true' }] }));
    expect(given(...own, land(), moved(1), onTop(2)).when(checks(3, 'fail')).decision).toMatchObject({
      events: [{}, { type: 'line.rechecking', data: { on: 'change' } }],
    });
  });
});

describe('a landing that hangs', () => {
  const gating = [...accepted(), land(), moved(1), onTop(2)];
  const timers = (...past: Input[]) => wantedBy(given(...past).project, 'line/main').timers;
  const fire = (token: number, at: number): Sent => ({
    by: 'clock',
    at,
    send: { type: 'timer.fire', task: 't-1', timer: 'landing', step: null, token },
  });

  test('leaves the queue when its step has taken too long, and not before', () => {
    const [timer] = timers(...gating);
    expect(timer).toMatchObject({ timer: 'landing', token: 3 });
    const due = timer?.due ?? 0;
    expect(given(...gating).when(fire(3, due - 1)).decision).toMatchObject({ code: 'stale_timer' });
    expect(given(...gating).when(fire(2, due)).decision).toMatchObject({ code: 'stale_timer' });
    expect(given(...gating).when(fire(3, due)).decision).toMatchObject({
      events: [{ type: 'line.left', data: { code: 'expired' } }, { type: 'task.not_landed' }],
    });
  });

  test('a branch that is being moved has no such time', () => {
    expect(timers(...accepted(), land())).toEqual([]);
  });
});

describe('a late report of a landing', () => {
  const gating = [...accepted(), land(), moved(1), onTop(2)];
  const refused = { type: 'rejected', code: 'duplicate_outcome' };

  test.each([
    ['a move, of before the line had moved', line('line.move', 1, { status: 'landed', commit: 'c0ffee' })],
    ['an integration, told twice', onTop(2)],
    ['a gate, of another round of gates', checks(2, 'pass')],
  ])('%s: is refused', (_, late) => {
    expect(given(...gating).when(late).decision).toMatchObject(refused);
  });

  test('a move under an older token is refused while the line is moved anew', () => {
    const late = line('line.move', 1, { status: 'landed', commit: 'c0ffee' });
    expect(given(...gating, checks(3, 'pass')).when(late).decision).toMatchObject(refused);
  });

  test('of a task that is in no queue any more is refused', () => {
    const landed = line('line.move', 1, { status: 'landed', commit: 'c0ffee' });
    expect(given(...accepted(), land(), landed).when(landed).decision).toMatchObject(refused);
  });
});

describe('the queue', () => {
  const two: Input[] = [
    ...accepted(),
    create('t-2', { workflow: GATED }),
    grant,
    { ...(ended(1, 'ok') as object), task: 't-2', step: 'build' } as Input,
    { ...(gate(1, 'lint', 'pass') as object), task: 't-2' } as Input,
    { ...(gate(1, 'tests', 'pass') as object), task: 't-2' } as Input,
    { ...applied, task: 't-2', commit: 'cafe' } as Input,
    land(),
    { type: 'task.land', task: 't-2' },
  ];

  test('works on one change at a time, in the order they came', () => {
    expect(wanted(...two)).toMatchObject([{ task: 't-1' }]);
    const next = [...two, line('line.move', 1, { status: 'landed', commit: 'c0ffee' })];
    expect(wanted(...next)).toMatchObject([{ task: 't-2', work: { commit: 'cafe' } }]);
    expect(wanted(...two, { type: 'task.unland', task: 't-1' })).toMatchObject([{ task: 't-2' }]);
  });

  test('is not left while the branch is being moved', () => {
    const key = 'line/main/t-1/1/line.move';
    const started: Input = { type: 'effect.start', task: 't-1', stream: 'line/main', key };
    expect(given(...two, started).when({ type: 'task.unland', task: 't-1' }).decision).toMatchObject({
      code: 'too_late',
    });
    const told = given(...two, started).when(line('line.move', 1, { status: 'landed', commit: 'c0ffee' }));
    expect(taskIn(told.project).started).toEqual([]);
  });
});

describe('a task from a queue', () => {
  const queued = (id = 't-1', files = ['a.ts']) => create(id, { base: null, ...spec({ queued: true, files }) });
  const seen = (token: number, commit: string | null, task = 't-1'): Input =>
    ({ type: 'line.report', kind: 'line.read', task, token, status: 'seen', commit }) as Input;

  test('takes its base from the line in the append that starts its first attempt', () => {
    given(queued())
      .when(grant)
      .then([onLine('line.wanted', { ...entry(1), line: 'main' })]);
    const based = given(queued(), grant, seen(1, 'beef')).when(grant);
    expect(based.decision).toMatchObject({
      events: [{ type: 'line.used' }, { type: 'task.based', data: { base: 'beef' } }, { type: 'attempt.started' }],
    });
    expect(taskIn(based.project).base).toBe('beef');
  });

  test('the next one looks again', () => {
    const past = [queued(), queued('t-2', ['b.ts']), grant, seen(1, 'beef'), grant];
    expect(wanted(...past)).toMatchObject([{ task: 't-2', work: { kind: 'line.read', onto: 'main' } }]);
  });

  test('without its branch is blocked, with what to do', () => {
    const told = given(queued(), grant).when(seen(1, null));
    expect(taskIn(told.project).closed).toMatchObject({
      status: 'blocked',
      reason: expect.stringContaining('there is no branch main'),
    });
  });

  test('keeps its files until it has landed or is given up', () => {
    const open = [queued(), grant, seen(1, 'beef'), grant, ended(1, 'ok'), applied];
    const other = create('t-2', spec({ files: ['a.ts'] }));
    const starts = (...past: Input[]) => given(...past, other).when(grant).decision;
    expect(starts(...open)).toMatchObject({ events: [] });
    expect(starts(...open, cancel())).toMatchObject({ events: [{ type: 'attempt.started' }] });
    const landed = line('line.move', 2, { status: 'landed', commit: 'c0ffee' });
    expect(starts(...open, land({ unverified: true }), landed)).toMatchObject({
      events: [{ type: 'attempt.started' }],
    });
  });
});
