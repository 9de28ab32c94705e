/** Locks: a task takes all its files and interfaces at once with its first attempt and gives them back when it closes. */
import { describe, expect, test } from 'vitest';
import { waitsFor } from '../../src/mind/scheduler/explain.ts';
import { given, type Input, NOON } from '../support/given.ts';
import { cancel, create, ended, grant, limits, spec, started, startedTasks, taskIn, workflow } from './samples.ts';

const slots = limits({ slots: { total: 9, per_cli: {} } });
const needs = (id: string, ...files: string[]) => create(id, spec({ files }));
const granted = (...past: Input[]) => {
  const { decision } = given(slots, ...past).when(grant);
  return decision.type === 'decided' ? startedTasks(decision.events) : decision;
};

describe('two tasks', () => {
  test.each<[string, string, string, boolean]>([
    ['the same file', 'src/a.ts', 'src/a.ts', true],
    ['one file, spelt in two ways', './src//a.ts', 'src/a.ts', true],
    ['a directory, spelt in two ways', 'src/./', 'src/a.ts', true],
    ['two files', 'src/a.ts', 'src/b.ts', false],
    ['a file and the directory above it', 'src/a.ts', 'src/', true],
    ['a file and a directory far above it', 'src/x/y/a.ts', 'src/', true],
    ['a directory and one below it', 'src/x/', 'src/', true],
    ['two directories', 'src/x/', 'src/y/', false],
    ['a directory and a file that only begins like it', 'src/', 'src-old/a.ts', false],
    ['a file and one that begins like it', 'src/a', 'src/a.ts', false],
  ])('that need %s (%s and %s) exclude each other: %s', (_, one, two, exclude) => {
    expect(granted(needs('t-1', one), needs('t-2', two))).toEqual(exclude ? ['t-1'] : ['t-1', 't-2']);
    expect(granted(needs('t-1', two), needs('t-2', one))).toEqual(exclude ? ['t-1'] : ['t-1', 't-2']);
  });

  test('that need the same interface exclude each other; a file of that name is another thing', () => {
    const held = create('t-1', spec({ interfaces: ['Store'] }));
    expect(granted(held, create('t-2', spec({ interfaces: ['Store'] })), needs('t-3', 'Store'))).toEqual([
      't-1',
      't-3',
    ]);
  });
});

describe('a task', () => {
  test('takes all its locks with its first attempt, and none with the next', () => {
    const one = create('t-1', spec({ files: ['a', 'b/'], interfaces: ['I'] }));
    given(one)
      .when(grant)
      .then([started({ locks: ['file:a', 'file:b/', 'interface:I'] })]);
    given(one, grant, ended(1, 'invalid'))
      .when(grant)
      .then([started({ locks: [], attempt: 2, token: 2 })]);
  });

  test('gets either all of its locks or none, so that no two wait for each other', () => {
    const { project } = given(slots, needs('t-1', 'a'), needs('t-2', 'b', 'a'), needs('t-3', 'b'), grant);
    expect([...project.holds.locks]).toEqual([
      ['file:a', 't-1'],
      ['file:b', 't-3'],
    ]);
    expect(waitsFor(project, taskIn(project, 't-2'), NOON)).toEqual(['build: file:b, held by task t-3']);
  });

  test('keeps its locks between attempts, also while it is parked, and through the next one', () => {
    expect(granted(needs('t-1', 'a'), grant, ended(1, 'invalid'), grant, needs('t-2', 'a'))).toEqual([]);
    expect(granted(needs('t-1', 'a'), grant, ended(1, 'transient'), needs('t-2', 'a'))).toEqual([]);
  });

  test('does not stand in its own way with steps side by side', () => {
    const fork = workflow([
      { id: 'a', kind: 'answer' },
      { id: 'b', kind: 'answer', needs: [] },
    ]);
    expect(granted(create('t-1', { workflow: fork, ...spec({ files: ['a'] }) }))).toEqual(['t-1', 't-1']);
  });

  test.each<[string, Input[]]>([
    ['is cancelled', [cancel()]],
    ['is accepted', [ended(1, 'ok'), { type: 'apply.report', task: 't-1', token: 2, status: 'applied', commit: null }]],
    ['is escalated', [ended(1, 'blocked')]],
  ])('gives its locks back when it %s', (_, end) => {
    expect(granted(needs('t-1', 'a'), grant, ...end, needs('t-2', 'a'))).toEqual(['t-2']);
  });

  test('may need a path as long as a line can be', () => {
    const path = 'p'.repeat(2_000);
    expect([...given(needs('t-1', path), grant).project.holds.locks]).toEqual([[`file:${path}`, 't-1']]);
  });
});
