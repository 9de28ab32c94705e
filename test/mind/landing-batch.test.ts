/** Batches of a landing queue: checked together, landed together, and made smaller until the red change stands alone. */
import { describe, expect, test } from 'vitest';
import { wantedBy } from '../../src/mind/domain/effects.ts';
import { given, type Input } from '../support/given.ts';
import { batchOf, checks, land, line, stacked } from './landing-samples.ts';

const queueOf = (...past: Input[]) => given(...past).project.lines.get('main');
const wanted = (...past: Input[]) => wantedBy(given(...past).project, 'line/main').effects;
const stack = (size: number) =>
  Array.from({ length: size }, (_, n) => ({ task: `t-${n + 1}`, tree: `tree-${n + 1}`, change_id: `change-${n + 1}` }));

describe('a queue of three', () => {
  test('is worked on one by one unless the config allows more', () => {
    expect(wanted(...batchOf(3, 1))).toMatchObject([{ work: { kind: 'line.integrate', head: 'beef' } }]);
    expect(wanted(...batchOf(3, 1))[0]?.work).not.toHaveProperty('more');
  });

  test('is put on top of each other as far as the limit allows, and checked as a whole', () => {
    expect(wanted(...batchOf(3, 2))[0]?.work).toMatchObject({ more: [{ task: 't-2' }] });
    expect(wanted(...batchOf(3, 4))[0]?.work).toMatchObject({ more: [{ task: 't-2' }, { task: 't-3' }] });
    const gating = [...batchOf(3, 4), stacked(4, 3)];
    expect(queueOf(...gating)?.queue[0]?.place).toMatchObject({ at: 'gating', stack: stack(3) });
    expect(wanted(...gating)).toMatchObject([
      { work: { kind: 'gate.run', candidate: { base: 'beef', tree: 'tree-3' } } },
    ]);
  });

  test('that is green lands at once, each change as a commit of its own', () => {
    const green = [...batchOf(3, 4), stacked(4, 3), checks(5, 'pass')];
    const [move] = wanted(...green);
    expect(move?.work).toMatchObject({
      kind: 'line.move',
      integrated: { candidate: { base: 'beef', tree: 'tree-1' } },
      more: [{ task: 't-2', integrated: { candidate: { tree: 'tree-2' } } }, { task: 't-3' }],
    });
    const told = given(...green).when(
      line('line.move', 6, { status: 'landed', commit: 'c3', commits: ['c1', 'c2', 'c3'] }),
    );
    const batch = (base: string, n: number) => ({
      candidate: { base, tree: `tree-${n}`, change_id: `change-${n}` },
      tree: 'tree-3',
      gates: ['tests'],
    });
    expect(told.decision).toMatchObject({
      events: [
        { type: 'line.landed', data: { task: 't-1', commit: 'c1', batch: batch('beef', 1) } },
        { type: 'task.landed', stream: 'task/t-1' },
        { type: 'line.landed', data: { task: 't-2', commit: 'c2', batch: batch('c1', 2) } },
        { type: 'task.landed', stream: 'task/t-2' },
        { type: 'line.landed', data: { task: 't-3', commit: 'c3', batch: batch('c2', 3) } },
        { type: 'task.landed', stream: 'task/t-3' },
      ],
    });
    expect(told.project.lines.get('main')).toMatchObject({ head: 'c3', queue: [] });
  });

  test('ends before a change that conflicts', () => {
    const gating = [...batchOf(3, 4), stacked(4, 2)];
    expect(queueOf(...gating)?.queue[0]?.place).toMatchObject({ stack: stack(2) });
    expect(queueOf(...[...batchOf(3, 4), stacked(4, 1)])?.queue[0]?.place).not.toHaveProperty('stack');
  });
});

describe('a batch that is red', () => {
  const red = [...batchOf(4, 4), stacked(5, 4), checks(6, 'fail')];

  test('on a branch that is red too stops the queue, and blames no task', () => {
    expect(given(...red).when(checks(7, 'fail')).decision).toMatchObject({ events: [{}, { type: 'line.stopped' }] });
  });

  const half = [...red, checks(7, 'pass')];
  test('is halved until one change stands alone', () => {
    expect(queueOf(...half)).toMatchObject({ small: { size: 2, until: 't-4' } });
    expect(wanted(...half)[0]?.work).toMatchObject({ kind: 'line.integrate', more: [{ task: 't-2' }] });
    const one = [...half, stacked(8, 2), checks(9, 'fail'), checks(10, 'pass')];
    expect(queueOf(...one)).toMatchObject({ small: { size: 1, until: 't-2' } });
    expect(wanted(...one)[0]?.work).not.toHaveProperty('more');
    const alone = [...one, stacked(11, 1), checks(12, 'fail'), checks(13, 'pass')];
    expect(given(...alone).when(checks(14, 'fail')).decision).toMatchObject({
      events: [{}, { type: 'line.left', data: { task: 't-1', code: 'gate_failed' } }, {}],
    });
    // It is found: the others are a batch again.
    const next = queueOf(...alone, checks(14, 'fail'));
    expect(next).not.toHaveProperty('small');
    expect(wanted(...alone, checks(14, 'fail'))).toMatchObject([{ task: 't-2', work: { kind: 'line.move' } }]);
  });

  test('whose first half is green lands that, and stays small for the rest', () => {
    const landed = [
      ...[...half, stacked(8, 2), checks(9, 'pass')],
      line('line.move', 10, { status: 'landed', commit: 'c2', commits: ['c1', 'c2'] }),
    ];
    expect(queueOf(...landed)).toMatchObject({ queue: [{ task: 't-3' }, { task: 't-4' }], small: { size: 2 } });
  });

  test('or whose gate cannot run, is halved as well', () => {
    const broken = [...batchOf(4, 4), stacked(5, 4)];
    expect(given(...broken).when(checks(6, 'error')).decision).toMatchObject({
      events: [{}, { type: 'line.split', data: { with: ['t-2'], small: { size: 2, until: 't-4' } } }],
    });
  });
});

describe('a task that is taken out of a batch', () => {
  const gating = [...batchOf(3, 4), stacked(4, 3)];
  const out = (task: string): Input => ({ type: 'task.unland', task }) as Input;

  test('is not in what is checked next', () => {
    expect(given(...gating).when(out('t-2')).decision).toMatchObject({
      events: [
        { type: 'line.left', data: { task: 't-2' } },
        {},
        { type: 'line.split', data: { task: 't-1', with: [] } },
      ],
    });
    expect(given(...gating).when(out('t-3')).decision).toMatchObject({
      events: [{}, {}, { type: 'line.split', data: { task: 't-1', with: ['t-2'] } }],
    });
    expect(given(...gating, out('t-2')).when(checks(5, 'pass')).decision).toMatchObject({ code: 'duplicate_outcome' });
    expect(wanted(...gating, out('t-1'))).toMatchObject([{ task: 't-2', work: { kind: 'line.move' } }]);
  });

  test('stays while the branch is moved to all of them', () => {
    const key = 'line/main/t-1/6/line.move';
    const moving: Input[] = [
      ...gating,
      checks(5, 'pass'),
      { type: 'effect.start', task: 't-1', stream: 'line/main', key } as Input,
    ];
    for (const task of ['t-1', 't-2', 't-3'])
      expect(given(...moving).when(out(task)).decision).toMatchObject({ code: 'too_late' });
  });
});

test('a task that lands with other words of the operator is checked alone', () => {
  const past = batchOf(3, 4).slice(0, -1);
  const asked = [
    ...past,
    land({ task: 't-2', unverified: true }),
    line('line.move', 1, { status: 'moved', commit: 'beef' }),
  ];
  expect(wanted(...asked)[0]?.work).not.toHaveProperty('more');
});
