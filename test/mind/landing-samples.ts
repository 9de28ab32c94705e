/** A task that was accepted, and the reports of its landing on a line that has moved. */

import type { NewEvent } from '../../src/mind/domain/events/index.ts';
import { DEFAULT_LIMITS } from '../../src/mind/domain/limits.ts';
import { given, type Input, type Sent } from '../support/given.ts';
import { cancel, create, ended, gate, grant, spec, workflow } from './samples.ts';

export const GATED = workflow([{ id: 'build', gates: [{ name: 'lint', blocking: false }, 'tests'] }]);
export const applied: Input = {
  type: 'apply.report',
  task: 't-1',
  token: 2,
  status: 'applied',
  commit: 'c0ffee',
  branch: 'ai/t-1',
};
export const accepted = (over: Parameters<typeof create>[1] = {}): Input[] => [
  create('t-1', { workflow: GATED, ...over }),
  grant,
  ended(1, 'ok'),
  gate(1, 'lint', 'fail'),
  gate(1, 'tests', 'pass'),
  applied,
];
export const land = (over: object = {}): Input => ({ type: 'task.land', task: 't-1', ...over });
export const line = (kind: 'line.move' | 'line.integrate' | 'line.read', token: number, report: object): Input =>
  ({ type: 'line.report', kind, task: 't-1', token, ...report }) as Input;
export const moved = (token: number) => line('line.move', token, { status: 'moved', commit: 'beef' });
export const integrated = { base: 'beef', tree: 'tree-2', change_id: 'change-1' };
export const onTop = (token: number) =>
  line('line.integrate', token, { status: 'integrated', candidate: integrated, tip_tree: 'tip-tree' });
export const checks = (token: number, status: 'pass' | 'fail' | 'error', over: object = {}): Input =>
  ({ type: 'gate.report', task: 't-1', step: null, token, gate: 'tests', status, ...over }) as Input;

/** Commands that lead to all the facts of a landing, among them those that random histories seldom reach. */
export function landings(): (Input | Sent)[][] {
  const past = [...accepted(), land(), moved(1), onTop(2), checks(3, 'pass'), line('line.move', 4, LANDED)];
  const givenUp = [...accepted(spec({ queued: true, files: ['a.ts'] })), cancel()];
  const stopped = [...accepted(), land(), moved(1), onTop(2), checks(3, 'fail'), checks(4, 'fail'), land()];
  return [past, givenUp, stopped, [...approved(), onceMore], redBatch()];
}

export const landingEvents = (): NewEvent[] => landings().flatMap(eventsOf);

/** A person whom the workflow asks approved it; on top of the line it is another change, and does not land. */
export const approved = (): Input[] => [
  create('t-1', {
    workflow: workflow([
      { id: 'build', gates: ['tests'] },
      { id: 'ok', kind: 'human', needs: ['build'] },
    ]),
  }),
  grant,
  ended(1, 'ok'),
  gate(1, 'tests', 'pass'),
  answer('ok', 'APPROVE'),
  { ...applied, token: 3 },
  land(),
  moved(1),
  line('line.integrate', 2, { status: 'integrated', candidate: OTHER, tip_tree: 'tip-tree' }),
  checks(3, 'pass'),
];
export const OTHER = { base: 'beef', tree: 'tree-3', change_id: 'change-of-another-tree' };
const answer = (step: string, decision: 'APPROVE' | 'REJECT', about?: string): Input =>
  ({
    ...{ type: 'step.answer', task: 't-1', step, decision, reason: 'so' },
    ...(about === undefined ? {} : { about }),
  }) as Input;
export const onceMore = answer('land', 'APPROVE');

/** Tasks t-1 to t-N in one queue of which so many are checked together; the branch has moved. */
export function batchOf(tasks: number, most: number): Input[] {
  const others = Array.from({ length: tasks - 1 }, (_, n) => `t-${n + 2}`);
  const limits = { ...DEFAULT_LIMITS, slots: { total: tasks, per_cli: {} }, landing_batch: most };
  return [
    { type: 'board.configure', limits },
    ...accepted(),
    ...others.flatMap((task): Input[] => [
      create(task, { workflow: GATED }),
      grant,
      { ...(ended(1, 'ok') as object), task, step: 'build' } as Input,
      { ...(gate(1, 'lint', 'fail') as object), task } as Input,
      { ...(gate(1, 'tests', 'pass') as object), task } as Input,
      { ...applied, task, commit: `c-${task}` } as Input,
    ]),
    land(),
    ...others.map((task): Input => land({ task })),
    line('line.move', 1, { status: 'moved', commit: 'beef' }),
  ];
}

/** What the first of a queue and those behind it give on top of each other. */
export const stacked = (token: number, size: number): Input => {
  const stack = Array.from({ length: size }, (_, n) => ({ tree: `tree-${n + 1}`, change_id: `change-${n + 1}` }));
  const candidate = { base: 'beef', ...(stack.at(-1) ?? {}) };
  return line('line.integrate', token, {
    status: 'integrated',
    candidate,
    tip_tree: 'tip-tree',
    ...(size < 2 ? {} : { stack }),
  });
};

/** Three are red together, and the branch alone is green: two are tried. */
const redBatch = (): Input[] => [...batchOf(3, 4), stacked(4, 3), checks(5, 'fail'), checks(6, 'pass')];

const eventsOf = (past: readonly (Input | Sent)[]): NewEvent[] =>
  past.flatMap((input, n) => {
    const { decision } = given(...past.slice(0, n)).when(input);
    return decision.type === 'decided' ? decision.events : [];
  });

const LANDED = { status: 'landed', commit: 'cafe' };
