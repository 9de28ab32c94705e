/** Random but well-formed material: limits, workflows, tasks, and what operators and planners say. */

import type { ProposalId, StepId, TaskId } from '../../src/kernel/ids.ts';
import type { Json } from '../../src/kernel/json.ts';
import type { Command, CommandOf } from '../../src/mind/domain/commands.ts';
import type { Limits } from '../../src/mind/domain/limits.ts';
import type { Project } from '../../src/mind/domain/project.ts';
import { shownTo, type Task } from '../../src/mind/domain/task.ts';
import type { Spec } from '../../src/mind/domain/values.ts';
import type { StepDefinition, WorkflowDefinition } from '../../src/mind/workflows/step.ts';
import { PEOPLE, ROLES, randomLooks, randomPlan, staged, withRandomPolicy } from './plan-looks.ts';
import { withLoops } from './plan-loops.ts';
import type { Random } from './random.ts';

const CLIS = ['claude', 'codex', 'gemini'] as const;
const FILES = ['src/', 'src/a.ts', 'src/b/', 'src/b/c.ts', 'docs/x.md'] as const;
const MINUTE = 60_000;

export function randomLimits(random: Random): Limits {
  const budget = () => random.weighted({ none: 60, zero: 4, small: 16, large: 20 });
  const money = { none: null, zero: 0, small: random.int(1, 5_000), large: random.int(5_000, 100_000) };
  const more = () => (random.chance(0.8) ? null : random.int(300, 100_000));
  const per_cli: Record<string, number> = {};
  for (const cli of CLIS) if (random.chance(0.2)) per_cli[cli] = random.int(0, 2);
  // A long list makes a long event, and long events make snapshots.
  if (random.chance(0.015)) for (let n = 0; n < 2_000; n++) per_cli[`cli-number-${n}`] = n % 10;
  const total = random.int(1, 4);
  return {
    slots: { total, per_cli },
    landing_batch: total,
    budget: {
      ...{ project_microusd: money[budget()], day_microusd: money[budget()], task_microusd: more() },
      ...{ project_tokens: more(), day_tokens: more(), task_tokens: more() },
      estimate_microusd: random.pick([0, 100, 2_000]),
      estimate_tokens: random.int(0, 900),
      least_microusd: random.pick([0, 50]),
    },
    attempts: random.int(1, 3),
    wall_ms: random.int(15_000, 40_000),
    task_age_ms: random.chance(0.1) ? random.int(MINUTE, 10 * MINUTE) : 48 * 60 * MINUTE,
    max_steps: 50,
    backoff: { tries: random.int(0, 3), first_ms: random.int(0, 2_000), factor: 2, max_ms: 5_000 },
    jitter: random.pick([0, 0.1, 0.5]),
    crash_retries: random.int(0, 2),
    lost_retries: random.pick([0, 1, 3, 10]),
    ...(random.chance(0.2) ? {} : { same_errors: random.int(2, 4) }),
    breaker: { failures: random.int(1, 6), window_ms: random.int(5_000, 300_000) },
    // Logs of older versions have none.
    ...(random.chance(0.2)
      ? {}
      : {
          quota: {
            wait_ms: random.pick([0, 10_000, 900_000]),
            first_ms: random.int(1_000, 60_000),
            max_ms: 120_000,
            longest_ms: 2 * 60 * MINUTE,
          },
        }),
  };
}

export function randomWorkflow(random: Random): WorkflowDefinition {
  const count = random.int(1, 4);
  const linear = random.chance(0.6);
  let changed: string | null = null;
  const steps = Array.from({ length: count }, (_, n): StepDefinition => {
    const kind = random.chance(0.65) ? ('change' as const) : ('answer' as const);
    const earlier = Array.from({ length: n }, (_, before) => `s${before}`).filter(
      // Changes are made one after the other; side by side they are refused.
      (id) => random.chance(0.4) || (kind === 'change' && id === changed),
    );
    if (kind === 'change') changed = `s${n}`;
    return {
      id: `s${n}`,
      kind,
      role: random.pick(ROLES),
      ...chain(CLIS.filter(() => random.chance(0.5)).slice(0, 2)),
      gates: ['tests', 'types', 'lint'].filter(() => random.chance(0.35)).map((name) => staged(random, name)),
      ...(linear ? {} : { needs: earlier }),
      ...(random.chance(0.3) ? { attempts: random.int(1, 3) } : {}),
      ...(random.chance(0.1) ? { on_failure: 'ask_human' as const } : {}),
      ...(random.chance(0.1) ? { retry: { tries: random.int(0, 3), first_ms: 10, factor: 2, max_ms: 500 } } : {}),
      reserve_microusd: random.pick([0, 0, 100, 1_000, 2_000]),
    };
  });
  const looks = changed === null || !random.chance(0.5) ? [] : randomLooks(random, `s${count - 1}`, changed);
  // What is committed on the way is not all: a change may follow.
  if (linear && random.chance(0.1)) steps.splice(random.int(1, count), 0, { id: 'early', kind: 'commit' });
  const plan = linear && random.chance(0.15) ? randomPlan(random) : [];
  const workflow: WorkflowDefinition = {
    name: random.pick(['quick', 'standard', 'careful']),
    version: 1,
    on_exhausted: random.pick(['fail', 'escalate', 'block'] as const),
    steps: [...plan, ...steps, ...looks],
  };
  const looped = withLoops(random.fork(JSON.stringify(workflow)), workflow);
  return random.chance(0.2) ? withRandomPolicy(random, looped) : looped;
}

const chain = (cli: string[]): { cli?: string[] } => (cli.length > 0 ? { cli } : {});

export function randomTask(random: Random, id: string): CommandOf<'task.create'> {
  const files = FILES.filter(() => random.chance(0.2));
  const queued = random.chance(0.2);
  const spec: Spec = {
    version: 1,
    text: random.chance(0.02) ? 'long '.repeat(8_000) : `do ${id}`,
    ...(files.length > 0 ? { files } : {}),
    ...(random.chance(0.15) ? { interfaces: ['Store'] } : {}),
    ...(random.chance(0.5) ? { notify: true } : {}),
    ...(random.chance(0.1) ? { simulated: true } : {}),
    ...(queued ? { queued } : {}),
    ...(random.chance(0.05) ? { '~map': [['a', 1]], toJSON: 'no' } : {}),
  };
  const priority = random.int(3, 6);
  return {
    type: 'task.create',
    task: id as TaskId,
    title: random.chance(0.03) ? 'secret '.repeat(280) : `task ${id}`,
    spec,
    onto: 'main',
    base: queued ? null : 'root',
    workflow: randomWorkflow(random),
    priority,
  };
}

/** A step of it asks a person, and nobody has answered yet. */
export const asksPerson = (task: Task): boolean => task.closed === null && waitingSteps(task).length > 0;

const waitingSteps = (task: Task): StepId[] => task.open.filter((id) => task.steps.get(id)?.place.at === 'waiting');

export type Said = { readonly actor: string; readonly command: Command | Json };

/** What a person answers who is asked: a yes as often as `yes` says, and to a question a sentence. */
export function randomAnswer(random: Random, task: Task, yes: number, person = random.pick(PEOPLE)): Said {
  const actor = `operator:${person}`;
  const step = random.pick(waitingSteps(task));
  const place = task.steps.get(step)?.place;
  if (place?.at !== 'waiting') throw new Error(`${task.id} asks nobody`);
  if (place.asks === 'question')
    return { actor, command: { type: 'task.resume', task: task.id, reason: '', say: 'the second way' } };
  const isYes = random.chance(yes);
  if (place.held !== undefined && isYes) {
    const { evidence, product } = place.held;
    const ofReview = (product.said?.open ?? []).map(({ id }) => id);
    const dismiss = [...evidence.flatMap(({ blocked_by = [] }) => blocked_by.map(({ id }) => id)), ...ofReview];
    return { actor, command: { type: 'task.resume', task: task.id, reason: 'it is wrong', dismiss } };
  }
  const about = shownTo(place);
  return {
    actor,
    command: {
      type: 'step.answer',
      task: task.id,
      step,
      decision: isYes ? 'APPROVE' : 'REJECT',
      reason: random.chance(0.5) ? 'I looked at it' : '',
      // Now and then about what the person saw before the change came anew.
      ...(about === null ? {} : { about: random.chance(0.05) ? 'an older change' : about }),
    },
  };
}

/** Something a person, a model or a madman might send now. */
export function randomCommand(random: Random, project: Project, newTask: () => string): Said {
  const tasks = project.tasks.size === 0 || random.chance(0.1) ? [newTask()] : [...project.tasks.keys()];
  const task = random.pick(tasks) as TaskId;
  const stuck = [...project.tasks.values()]
    .filter((one) => one.paused || asksPerson(one) || /failed|blocked|escalated/.test(one.closed?.status ?? ''))
    .map((one) => one.id);
  const done = [...project.tasks.values()].filter((one) => one.closed?.commit != null).map((one) => one.id);
  const open = [...project.tasks.values()].filter((one) => one.closed === null).map((one) => one.id);
  const asking = [...project.tasks.values()].filter(asksPerson);
  const proposals = [...project.proposals.keys(), 'p-unknown'] as ProposalId[];
  const lanes = [...project.board.breakers.keys(), 'reviewer/claude'];
  const held = [...project.host.parked.keys(), ...lanes, 'codex'];
  const proposed = (): Command =>
    random.pick<() => Command>([
      () => randomTask(random, random.chance(0.5) ? newTask() : task),
      () => ({ type: 'task.resume', task, reason: 'the planner thinks so' }),
      () => ({ type: 'task.cancel', task, reason: 'the planner thinks so' }),
      () => ({ type: 'goal.set', text: 'a planned goal' }),
    ])();
  const say = random.weighted({
    ...{
      land: 9,
      halt: 4,
      run: project.board.halted === undefined ? 1 : 40,
      unland: 3,
      create: 12,
      again: 3,
      cancel: 10,
      pause: 14,
      resume: 18,
      goal: 6,
      mode: 5,
      configure: 10,
      breaker: 5,
      reset: 5,
      answer: asking.length > 0 ? 12 : 0,
    },
    ...{ propose: 14, accept: 12, reject: 3, garbage: 2, forbidden: 2 },
  });
  switch (say) {
    case 'create':
      return { actor: 'operator', command: randomTask(random, newTask()) };
    case 'again':
      return { actor: 'operator', command: randomTask(random, task) };
    case 'answer':
      return randomAnswer(random, random.pick(asking), 0.7);
    case 'land':
      return {
        actor: 'operator',
        command: {
          type: 'task.land',
          task: done.length > 0 ? random.pick(done) : task,
          onto: random.pick(['main', 'release', null]),
          unverified: random.chance(0.9),
          move_checkout: random.chance(0.5),
        },
      };
    case 'halt':
      return { actor: 'operator', command: { type: 'board.halt', reason: '', now: random.chance(0.5) } };
    case 'run':
      return { actor: 'operator', command: { type: 'board.resume', reason: '' } };
    case 'unland':
      return {
        actor: 'operator',
        command: { type: 'task.unland', task: done.length > 0 ? random.pick(done) : task, reason: '' },
      };
    case 'cancel':
      return { actor: 'operator', command: { type: 'task.cancel', task, reason: '' } };
    case 'pause':
      return {
        actor: 'operator',
        command: { type: 'task.pause', task: open.length > 0 ? random.pick(open) : task, reason: '' },
      };
    case 'resume':
      return {
        actor: 'operator',
        command: {
          type: 'task.resume',
          task: stuck.length > 0 && random.chance(0.8) ? random.pick(stuck) : task,
          reason: '',
          ...(random.chance(0.4) ? { say: 'go on' } : {}),
        },
      };
    case 'goal':
      return {
        actor: 'operator',
        command: { type: 'goal.set', text: random.chance(0.2) ? 'g'.repeat(20_000) : 'all green' },
      };
    case 'mode':
      return { actor: 'operator', command: { type: 'mode.set', mode: random.pick(['MANUAL', 'AUTO'] as const) } };
    case 'configure':
      return { actor: 'operator', command: { type: 'board.configure', limits: randomLimits(random) } };
    case 'breaker':
      return { actor: 'operator', command: { type: 'breaker.reset', lane: random.pick(lanes) } };
    case 'reset':
      return { actor: 'operator', command: { type: 'cli.reset', cli: random.pick(held) } };
    case 'propose':
      return { actor: random.chance(0.7) ? 'planner' : 'watcher', command: proposed() };
    case 'accept':
      return { actor: 'operator', command: { type: 'proposal.accept', proposal: random.pick(proposals), reason: '' } };
    case 'reject':
      return { actor: 'operator', command: { type: 'proposal.reject', proposal: random.pick(proposals), reason: '' } };
    case 'garbage':
      return {
        actor: 'nobody',
        command: random.pick<Json>([null, 7, { type: 'task.burn' }, { type: 'task.cancel', task: '../etc' }]),
      };
    case 'forbidden':
      return { actor: 'planner', command: { type: 'proposal.accept', proposal: random.pick(proposals), reason: '' } };
  }
}
