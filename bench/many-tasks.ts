/** (c) One decision in a project with 100,000 queued tasks, against the same with ten. */
import type { TaskId } from '../src/kernel/ids.ts';
import { decide } from '../src/mind/decisions/decide.ts';
import { type Actor, type Command, taskOf } from '../src/mind/domain/commands.ts';
import type { NewEvent } from '../src/mind/domain/events/index.ts';
import { EMPTY_PROJECT, type Project, withoutTask } from '../src/mind/domain/project.ts';
import { evolve } from '../src/mind/domain/streams.ts';
import { UNKNOWN_COST } from '../src/mind/domain/values.ts';
import type { Row } from './support.ts';
import * as bench from './support.ts';

const MANY = 100_000;
const FEW = 10;
const CYCLES = 2_000;
const WARM = 200;

export const manyTasks: Row = {
  name: 'c',
  title: `one decide + evolve with ${MANY.toLocaleString('en')} queued tasks`,
  async run() {
    const many = world(MANY);
    const few = world(FEW);
    const taken = { many: [] as number[], few: [] as number[] };
    for (let cycle = 0; cycle < WARM + CYCLES; cycle += 1) {
      const spent = { many: many.cycle(cycle), few: few.cycle(cycle) };
      if (cycle < WARM) continue;
      taken.many.push(...spent.many);
      taken.few.push(...spent.few);
    }
    const middle = bench.median(taken.many);
    const slow = bench.percentile(taken.many, 99);
    const growth = middle / bench.median(taken.few);
    return [
      {
        what: 'median decision',
        measured: `${bench.ms(middle)} against ${bench.ms(bench.median(taken.few))} with ${FEW}`,
        ...{ ratio: bench.times(growth), goal: 'below 1 ms', ...bench.withinLimit(middle, 1) },
      },
      {
        what: '99 of 100 decisions within',
        measured: `${bench.ms(slow)} against ${bench.ms(bench.percentile(taken.few, 99))} with ${FEW}`,
        ratio: bench.times(slow / bench.percentile(taken.few, 99)),
        ...{ goal: 'below 1 ms', ...bench.withinLimit(slow, 1) },
      },
    ];
  },
};

/** A project with so many queued tasks, and one cycle of its life: each decision is timed on its own. */
function world(tasks: number) {
  const workflow = bench.chainOf(1);
  const started: Extract<NewEvent, { type: 'attempt.started' }>[] = [];
  let project: Project = EMPTY_PROJECT;
  let at = 1_800_000_000_000;
  const perform = (kind: Actor['kind'], command: Command): number => {
    at += 1;
    const start = performance.now();
    const decision = decide(project, { id: `c-${at}`, actor: { kind, name: '' }, at, dice: 0.5, command });
    if (decision.type === 'rejected') throw new Error(`${command.type}: ${decision.message}`);
    for (const event of decision.events) project = evolve(project, event);
    const spent = performance.now() - start;
    for (const event of decision.events) if (event.type === 'attempt.started') started.push(event);
    const task = taskOf(command);
    if (task !== null && project.tasks.get(task)?.closed != null) project = withoutTask(project, task);
    return spent;
  };
  for (let n = 0; n < tasks; n += 1) perform('operator', bench.createTask(`t-${n}`, workflow));
  perform('engine', { type: 'board.grant' });

  /** Two tasks come and one of them is called off; a worker reports, which ends its task; the free slot is handed out. */
  const cycle = (n: number): number[] => {
    const next = started.shift()!;
    const task = next.stream.slice('task/'.length) as TaskId;
    const report = {
      type: 'attempt.report',
      task,
      step: next.data.step,
      token: next.data.token,
      reset_at: null,
    } as const;
    const outcome = {
      class: 'ok',
      reason: '',
      candidate: null,
      answer: null,
      record: null,
      said: null,
      cost: UNKNOWN_COST,
    } as const;
    return [
      perform('operator', bench.createTask(`new-${n}`, workflow)),
      perform('operator', bench.createTask(`off-${n}`, workflow)),
      perform('operator', { type: 'task.cancel', task: `off-${n}` as TaskId, reason: '' }),
      perform('hand', { ...report, ...outcome }),
      perform('engine', { type: 'board.grant' }),
    ];
  };
  return { cycle };
}
