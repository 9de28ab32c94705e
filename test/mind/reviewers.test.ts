/** The reviewer of a change is another CLI than its author, if there are two. */
import { describe, expect, test } from 'vitest';
import { given, type Input, NOON } from '../support/given.ts';
import { create, ended, gate, grant, taskIn, workflow } from './samples.ts';
import { said } from './verdict/facts.ts';

const BOTH = ['claude', 'codex'];
const REVIEWED = workflow([
  { id: 'build', cli: BOTH, gates: ['tests'] },
  { id: 'review', kind: 'answer', cli: BOTH, on_reject: 'build' },
]);
const made = (token: number, task = 't-1'): Input[] => [
  ended(token, 'ok', { task, said: said('SUCCESS') }),
  gate(token, 'tests', 'pass', { task }),
];
const begun: Input[] = [create('t-1', { workflow: REVIEWED }), grant];
const approved = (token: number): Input =>
  ended(token, 'ok', { step: 'review', candidate: null, said: said('APPROVED', 0.9) });
/** Which CLI got which step, in order. */
function asked(...past: Input[]): string[] {
  const { project } = given(...past);
  return [...taskIn(project).steps.entries()].flatMap(([id, { place }]) =>
    place.at === 'working' ? [`${id}: ${place.attempt.cli}`] : [],
  );
}

describe('a review', () => {
  test('is asked of the other CLI first', () => {
    expect(asked(...begun, ...made(1), grant)).toEqual(['review: codex']);
  });

  test('is asked of the first choice when the change was made by a fail-over', () => {
    const past: Input[] = [...begun, ended(1, 'quota', { reset_at: NOON + 60_000_000 }), grant, ...made(2)];
    expect(taskIn(given(...past).project).steps.get('build')?.place).toMatchObject({ at: 'done', cli: 'codex' });
    expect(asked(...past, { type: 'cli.reset', cli: 'claude' }, grant)).toEqual(['review: claude']);
  });

  test('by the CLI that made the change is possible where no other one can work, and the verdict says so', () => {
    const elsewhere: Input[] = [
      create('t-0', { workflow: workflow([{ id: 'build', cli: ['codex'] }]) }),
      grant,
      ended(1, 'quota', { task: 't-0', reset_at: NOON + 60_000_000 }),
    ];
    const past = [...elsewhere, ...begun, ...made(1), grant];
    expect(asked(...past)).toEqual(['review: claude']);
    expect(taskIn(given(...past, approved(2)).project).verdict?.notes).toContain('same_cli');
    // The control: the other one.
    expect(taskIn(given(...begun, ...made(1), grant, approved(2)).project).verdict?.notes).not.toContain('same_cli');
  });

  test('of one task does not hold up that of another, whose author was another CLI', () => {
    const second: Input[] = [
      create('t-2', { workflow: workflow([...REVIEWED.steps]) }),
      { type: 'task.pause', task: 't-2', reason: 'later' },
      { type: 'task.resume', task: 't-2', reason: 'now', cli: ['codex', 'claude'] },
    ];
    const past = [...begun, ...second, grant, ...made(1), ...made(1, 't-2'), grant, grant];
    const { project } = given(...past);
    const cliOf = (task: string) => taskIn(project, task).steps.get('review')?.place;
    expect(cliOf('t-1')).toMatchObject({ attempt: { cli: 'codex' } });
    expect(cliOf('t-2')).toMatchObject({ attempt: { cli: 'claude' } });
  });

  test('whose chain has one CLI is asked of that one', () => {
    const one = workflow([
      { id: 'build', cli: ['claude'], gates: ['tests'] },
      { id: 'review', kind: 'answer', cli: ['claude'], on_reject: 'build' },
    ]);
    expect(asked(create('t-1', { workflow: one }), grant, ...made(1), grant)).toEqual(['review: claude']);
  });
});

test('an answer that comes before any change keeps the order of its chain', () => {
  const planned = workflow([
    { id: 'plan', kind: 'answer', cli: BOTH },
    { id: 'build', cli: BOTH },
  ]);
  expect(asked(create('t-1', { workflow: planned }), grant)).toEqual(['plan: claude']);
});
