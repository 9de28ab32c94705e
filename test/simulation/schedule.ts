/** One schedule: everything that happens to one or two projects, from a seed. */
import { MemoryStore } from '../../src/hands/store/memory/store.ts';
import { chainHash, GENESIS } from '../../src/kernel/hash.ts';
import type { ProjectId } from '../../src/kernel/ids.ts';
import { DEFAULT_LIMITS } from '../../src/mind/domain/limits.ts';
import { holdsUntilLanded, type Task } from '../../src/mind/domain/task.ts';
import { checkLast } from './check.ts';
import { Outside } from './hands.ts';
import { History, type Site } from './history.ts';
import { closedTasksAreForgotten, END_INVARIANTS, everythingComesToRest, onlyLimitsHoldTasksUp } from './invariants.ts';
import { Launcher, LEASE_MS, type Mutant, type Stage } from './launcher.ts';
import { asksPerson } from './plan.ts';
import type { Faults } from './process.ts';
import { aWayOutIsTaken, waitsForAQuota } from './quota-invariants.ts';
import { Random } from './random.ts';
import { openTasks } from './recount.ts';
import { isTold } from './same.ts';
import { Trouble } from './trouble.ts';
import { World } from './world.ts';

export type Result = {
  readonly seed: number;
  /** Hash over the logs of all projects: the same for the same seed. */
  readonly hash: string;
  readonly problems: readonly string[];
  readonly events: number;
  readonly steps: number;
  /** How often each thing happened. */
  readonly happened: ReadonlyMap<string, number>;
  readonly trace: readonly string[];
};

const HOUR = 3_600_000;

type Scene = { readonly site: Site; readonly launchers: readonly Launcher[]; readonly trouble: Trouble };

export async function runSchedule(
  seed: number,
  options: { readonly trace?: boolean; readonly mutant?: Mutant } = {},
): Promise<Result> {
  const random = new Random(seed);
  const world = new World({ trace: options.trace ?? false });
  const outside = new Outside();
  const history = new History(world, outside);
  const faults = randomFaults(random.fork('faults'));
  const mutant = options.mutant ?? null;
  const dead = (started: string) =>
    stage.scenes.every(({ launchers }) => launchers.every(({ process }) => process?.owner.started !== started));
  const memory = new MemoryStore({ now: () => world.now, alive: ({ started }) => !dead(started) });
  const store = history.witness(mutant?.store?.(memory) ?? memory);
  const stage: Stage & { scenes: readonly Scene[] } = {
    world,
    random,
    outside,
    history,
    store,
    faults,
    mutant,
    scenes: [],
  };
  stage.scenes = openScenes(stage);
  const unhandled = (error: unknown) =>
    history.blame('noPromiseIsLeftAlone', String(error instanceof Error ? error.stack : error));
  process.on('unhandledRejection', unhandled);
  try {
    await storm(stage, stage.scenes);
    // Some schedules end in the middle of the storm: what holds at rest must not hide what does not hold before.
    if (random.fork('phases').chance(0.85)) await calm(stage, stage.scenes);
    for (const { site, launchers } of stage.scenes) {
      const engine = launchers.find((launcher) => launcher.engine !== null)?.engine ?? null;
      await checkLast(END_INVARIANTS, { history, site, store, engine });
    }
  } catch (error) {
    history.blame('theScheduleRuns', (error as Error).stack ?? String(error));
  } finally {
    process.off('unhandledRejection', unhandled);
  }
  return summary(seed, history);
}

/** Where a process is most hurt by dying; in many schedules one of them is hit again and again. */
const WEAK_SPOTS = [
  ...[
    'none',
    'none',
    'lease.after',
    'drain.before',
    'drain.after',
    'append.before',
    'append.after',
    'release.before',
    'release.before',
    'blob.after',
  ],
  ...['candidate.apply', 'candidate.apply', 'candidate.apply', 'notify.send', 'worker.run', 'gate.run'].flatMap(
    (kind) => [`effect.before ${kind}`, `effect.after ${kind}`],
  ),
];

function randomFaults(random: Random): Faults {
  return {
    die: random.pick([0, 0, 0.003, 0.01, 0.03]),
    freeze: random.pick([0, 0, 0.002, 0.01]),
    weakSpot: random.pick(WEAK_SPOTS),
    error: random.pick([0, 0, 0, 0.002, 0.01]),
    slow: random.pick([0, 0.05, 0.3, 0.8]),
  };
}

function openScenes(stage: Stage): Scene[] {
  const random = stage.random.fork('scenes');
  const projects = random.chance(0.25) ? ['one', 'two'] : ['one'];
  return projects.map((name) => {
    const site = stage.history.site(name as ProjectId);
    const launchers = Array.from({ length: random.int(1, 3) }, (_, n) => new Launcher(stage, site, `${name}-${n}`));
    return { site, launchers, trouble: new Trouble(stage, site, launchers) };
  });
}

/** Safety: work and any faults at once. */
async function storm(stage: Stage, scenes: readonly Scene[]): Promise<void> {
  const { world } = stage;
  const random = stage.random.fork('storm');
  const length = random.pick([60_000, 180_000, 600_000]);
  for (const { launchers, trouble } of scenes) {
    for (const launcher of launchers)
      world.schedule(random.int(0, 5_000), () => launcher.launch({ act: random.chance(0.9) }));
    trouble.plan(length, random.chance(0.85));
  }
  await world.run(() => false, world.now + length);
}

/** Liveness: the faults stop, one healthy process per project runs until nothing is left to do. */
async function calm(stage: Stage, scenes: readonly Scene[]): Promise<void> {
  const { world, history, faults, outside } = stage;
  world.trace('calm', 'the faults stop');
  Object.assign(faults, { die: 0, freeze: 0, weakSpot: 'none', error: 0, slow: 0 } satisfies Faults);
  outside.wild = false;
  const healthy = scenes.map((scene) => heal(stage, scene));
  for (const { trouble } of scenes) trouble.say('operator', { type: 'board.resume', reason: '' });
  await quiet(stage, healthy, (site) => openTasks(site.model).every(isAtRest));
  await goOn(stage, scenes, healthy);
  await giveUpUnlanded(stage, scenes, healthy);
  await mendLines(stage, scenes, healthy);
  await resets(stage, healthy);
  for (const { site, engine } of healthy) {
    if (engine !== null) history.blame('closedTasksAreForgotten', closedTasksAreForgotten(engine));
    history.count('task held up by a limit', openTasks(site.model).length);
    const now = history.timeAt(site);
    history.blame('aWayOutIsTaken', aWayOutIsTaken({ history, site, now }));
    history.blame('onlyLimitsHoldTasksUp', engine === null ? 'no engine runs' : onlyLimitsHoldTasksUp(engine, now));
  }
  for (const { trouble } of scenes) {
    trouble.say('operator', {
      type: 'board.configure',
      limits: { ...DEFAULT_LIMITS, breaker: { failures: 1_000, window_ms: 1_000 }, landing_batch: 4 },
    });
  }
  await world.run(() => false, world.now + 10_000);
  for (const { site, trouble } of scenes) {
    for (const [lane] of site.model.board.breakers) trouble.say('operator', { type: 'breaker.reset', lane });
    // Clocks of two projects may be a day apart, and so may be what each takes for the time of a reset.
    for (const [cli] of site.model.host.parked) trouble.say('operator', { type: 'cli.reset', cli });
  }
  await quiet(stage, healthy, (site) => openTasks(site.model).every(isAtRest));
  // A task that got its files from one that landed may ask a person again.
  for (let rounds = 0; rounds < 10; rounds++) {
    await goOn(stage, scenes, healthy);
    await giveUpUnlanded(stage, scenes, healthy);
    await mendLines(stage, scenes, healthy);
    await resets(stage, healthy);
    await quiet(stage, healthy, (site) => openTasks(site.model).every(isAtRest));
    // A quota that reset in this round may have let a task end that now has to land.
    if (scenes.every(({ site }) => openTasks(site.model).length === 0 && unlanded(site).length === 0)) break;
  }
  for (const { site } of scenes)
    history.blame(
      'everythingComesToRest',
      await everythingComesToRest({ history, site, store: stage.store, engine: null }),
    );
  for (const launcher of healthy) {
    launcher.retire();
    launcher.stop();
  }
  const stopped = await world.run(() => healthy.every(({ process }) => process === null), world.now + HOUR / 2);
  if (!stopped) history.blame('aPoliteStopEnds', 'the engine was asked to stop and did not end');
}

/** Runs until it is so for every project, nothing waits in an inbox, and nothing is written for longer than a lease. */
async function quiet(
  { world, history }: Stage,
  healthy: readonly Launcher[],
  so: (site: Site) => boolean,
): Promise<void> {
  const deadline = world.now + 3 * HOUR;
  const told = (site: Site) =>
    [...site.model.tasks.values()].every(isTold) &&
    [...site.model.lines.values()].every((line) => line.queue.length === 0 || line.stopped !== undefined);
  const done = () =>
    healthy.every(({ site, engine }) => engine !== null && site.waiting.size === 0 && so(site) && told(site));
  while (await world.run(done, deadline)) {
    const before = history.appends;
    await world.run(() => false, world.now + 2 * LEASE_MS);
    if (done() && history.appends === before) return;
  }
}

/** The operator resumes what was paused and answers what is asked; both may still happen after the first round. */
async function goOn(stage: Stage, scenes: readonly Scene[], healthy: readonly Launcher[]): Promise<void> {
  const stopped = (site: Site) =>
    openTasks(site.model).filter((task) => task.paused === true || task.taken !== undefined || asksPerson(task));
  const stops = ({ site }: Scene) => site.model.board.halted !== undefined || stopped(site).length > 0;
  for (let rounds = 0; rounds < 30 && scenes.some(stops); rounds++) {
    for (const { site, trouble } of scenes) {
      // A halt that was still on its way.
      if (site.model.board.halted !== undefined) trouble.say('operator', { type: 'board.resume', reason: '' });
      for (const task of stopped(site)) {
        if (task.taken !== undefined) {
          trouble.endTaking(task, rounds < 3);
          continue;
        }
        stage.history.count(task.paused === true ? 'paused task resumed' : 'question answered');
        // At first some say no; in the end all say yes, so that every schedule ends.
        if (task.paused !== true) trouble.everybodyAnswers(task, rounds < 5 ? 0.8 : 1);
        else trouble.say('operator', { type: 'task.resume', task: task.id, reason: '' });
      }
    }
    await stage.world.run(() => false, stage.world.now + 10_000);
    await quiet(stage, healthy, (site) => openTasks(site.model).every(isAtRest));
  }
}

const unlanded = (site: Site) => [...site.model.tasks.values()].filter(holdsUntilLanded);

/** Accepted tasks of a queue hold their files until they land: the operator lands one half and gives up the other. */
async function giveUpUnlanded(stage: Stage, scenes: readonly Scene[], healthy: readonly Launcher[]): Promise<void> {
  for (let rounds = 0; rounds < 20 && scenes.some(({ site }) => unlanded(site).length > 0); rounds++) {
    for (const { site, trouble } of scenes)
      for (const [n, { id, landingAsk }] of unlanded(site).entries()) {
        if (landingAsk !== undefined) trouble.everybodyLetsItLand(id);
        stage.history.count(n % 2 === 0 && rounds < 3 ? 'landed at last' : 'given up');
        if (n % 2 === 0 && rounds < 3)
          trouble.say('operator', { type: 'task.land', task: id, onto: 'main', unverified: true, move_checkout: true });
        else trouble.say('operator', { type: 'task.cancel', task: id, reason: '' });
      }
    await stage.world.run(() => false, stage.world.now + 10_000);
    await quiet(stage, healthy, (site) => openTasks(site.model).every(isAtRest));
  }
}

/** A line that is red by itself waits for the operator, who mends it and says that it goes on. */
async function mendLines(stage: Stage, scenes: readonly Scene[], healthy: readonly Launcher[]): Promise<void> {
  const stopped = (site: Site) => [...site.model.lines.values()].filter((line) => line.stopped !== undefined);
  for (let rounds = 0; rounds < 20 && scenes.some(({ site }) => stopped(site).length > 0); rounds++) {
    for (const { site, trouble } of scenes)
      for (const { name: onto, queue } of stopped(site)) {
        stage.history.count('stopped line goes on');
        const [first] = queue;
        if (first !== undefined)
          trouble.say('operator', { type: 'task.land', task: first.task, onto, unverified: true, move_checkout: true });
      }
    await stage.world.run(() => false, stage.world.now + 10_000);
    await quiet(stage, healthy, (site) => openTasks(site.model).every(isAtRest));
  }
}

/** Time alone brings quotas back: nobody has to say a word, and nobody waits for one that has reset. */
async function resets(stage: Stage, healthy: readonly Launcher[]): Promise<void> {
  const { world, history } = stage;
  const over = () => healthy.every(({ site }) => !waitsForAQuota(site, history.timeAt(site)));
  for (let rounds = 0; rounds < 20 && !over(); rounds++) {
    history.count('waited for a quota');
    await world.run(over, world.now + 2 * HOUR);
    await quiet(stage, healthy, (site) => openTasks(site.model).every(isAtRest));
  }
}

/** Leaves one launcher, which may keep the process it has; zombies may wake and must be harmless. */
function heal(stage: Stage, { launchers }: Scene): Launcher {
  const random = stage.random.fork('heal');
  const [kept, ...others] = launchers as readonly [Launcher, ...Launcher[]];
  for (const launcher of others) {
    launcher.retire();
    launcher.process?.thaw();
    if (launcher.engine !== null && random.chance(0.5)) launcher.stop();
    else launcher.process?.die('the end of the storm');
  }
  kept.process?.thaw();
  if (kept.process?.stopping || random.chance(0.5)) kept.process?.die('the end of the storm');
  kept.launch({ act: true });
  return kept;
}

const isAtRest = (task: Task): boolean =>
  task.applying === null &&
  (task.paused === true || task.open.every((id) => /ready|waiting/.test(task.steps.get(id)?.place.at ?? '')));

function summary(seed: number, history: History): Result {
  const events = [...history.sites.values()].flatMap((site) => site.events);
  const hash = [...events, ...history.hostEvents].reduce((before, event) => chainHash(before, event.hash), GENESIS);
  const { problems, happened, world } = history;
  return { seed, hash, problems, events: events.length, steps: world.steps, happened, trace: world.lines };
}
