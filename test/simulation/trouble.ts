/** Everything that people, models and bad luck do to a project while it works, at random moments. */
import { sha256 } from '../../src/kernel/hash.ts';
import type { StepId, TaskId } from '../../src/kernel/ids.ts';
import { type Json, mapStrings } from '../../src/kernel/json.ts';
import type { Rejection } from '../../src/kernel/result.ts';
import { LANDING } from '../../src/mind/approvals/landing-approval.ts';
import { type Actor, actorText, type Command, taskOf } from '../../src/mind/domain/commands.ts';
import type { Task } from '../../src/mind/domain/task.ts';
import type { Site, Submission } from './history.ts';
import { type Launcher, type Stage, withoutSecrets } from './launcher.ts';
import { asksPerson, randomAnswer, randomCommand, randomLimits, randomTask, type Said } from './plan.ts';
import { PEOPLE } from './plan-looks.ts';
import { randomTaking } from './plan-takes.ts';
import type { Random } from './random.ts';

export class Trouble {
  readonly #stage: Stage;
  readonly #site: Site;
  readonly #launchers: readonly Launcher[];
  readonly #random: Random;
  /** A row of chance of its own, so that all others play as they did. */
  readonly #taker: Random;
  #said = 0;
  #tasks = 0;

  constructor(stage: Stage, site: Site, launchers: readonly Launcher[]) {
    this.#stage = stage;
    this.#site = site;
    this.#launchers = launchers;
    this.#random = stage.random.fork(`trouble ${site.project}`);
    this.#taker = stage.random.fork(`takes ${site.project}`);
  }

  /** Spreads everything over the next `ms`. */
  plan(ms: number, faults: boolean): void {
    const { world } = this.#stage;
    const random = this.#random;
    const sometimes = (count: number, act: () => void) => {
      for (let n = 0; n < count; n++) world.schedule(random.int(0, ms), act);
    };
    if (random.chance(0.8)) this.say('operator', { type: 'board.configure', limits: randomLimits(random) });
    // Tasks come early, so that most of the work is done in the storm.
    for (let n = random.int(1, 3); n > 0; n--)
      world.schedule(random.int(0, ms / 3), () => this.say('operator', randomTask(random, this.#newTask())));
    sometimes(random.int(0, 9), () => this.#sayAnything());
    sometimes(random.int(0, 9), () => this.#land());
    sometimes(random.int(0, 8), () => this.#answer());
    for (let n = this.#taker.int(0, 4); n > 0; n--) world.schedule(this.#taker.int(0, ms), () => this.#take());
    if (random.chance(0.01)) sometimes(1, () => this.#flood());
    sometimes(random.int(0, 4), () => this.#sayAgain());
    sometimes(random.int(0, 5), () => this.#reportAgain());
    if (!faults) return;
    sometimes(random.int(0, 3), () => random.pick(this.#launchers).process?.die('any moment'));
    sometimes(random.int(0, 3), () =>
      random.pick(this.#launchers).process?.freeze(random.pick([1_000, 40_000, 120_000])),
    );
    sometimes(random.int(0, 3), () => random.pick(this.#launchers).stop());
    sometimes(random.int(0, 2), () => this.#jump());
  }

  /** By the inbox, or by an engine if one is there to speak to. */
  say(actor: string, command: Command | Json, id = `say-${this.#site.project}-${++this.#said}`): void {
    const engine = this.#random.chance(0.4) ? this.#random.pick(this.#launchers) : null;
    const [kind = '', name = ''] = actor.split(':');
    const known =
      (kind === 'operator' || kind === 'planner' || kind === 'watcher') &&
      typeof command === 'object' &&
      command !== null;
    if (known && engine?.engine != null) this.#handOver(engine, { kind, name }, command as Command, id);
    else this.#post(actor, command as Json, id);
  }

  #handOver(launcher: Launcher, actor: Actor, command: Command, id: string): void {
    const { process } = launcher;
    const submission: Submission = {
      id,
      actor: actorText(actor),
      command: command as Json,
      process,
      answer: 'unknown',
    };
    this.#site.submissions.push(submission);
    this.#stage.world.trace(actor.kind, `tells ${process?.name} ${command.type} (${id})`);
    launcher.engine?.submit(actor, command, id).then((answer: Rejection | null) => {
      submission.answer = answer ?? 'done';
    });
  }

  #post(actor: string, command: Json, id: string): void {
    const { world, store } = this.#stage;
    const submission: Submission = { id, actor, command, process: null, answer: 'unknown' };
    this.#site.submissions.push(submission);
    world.trace(actor, () => `posts ${JSON.stringify(command).slice(0, 100)} (${id})`);
    world.schedule(this.#random.chance(0.7) ? 0 : this.#random.int(1, 500), () => {
      // Like every face that writes to the inbox, the sender takes secrets out first.
      const clean = mapStrings(command, withoutSecrets);
      store.submit(this.#site.project, [{ id, actor, command: clean }]).then(() => {
        submission.answer = 'kept';
      });
    });
  }

  #sayAnything(): void {
    this.#say(randomCommand(this.#random, this.#site.model, () => this.#newTask()));
  }

  /** Somebody who is asked answers, as soon as a step asks. */
  #answer(patience = 60): void {
    const asking = [...this.#site.model.tasks.values()].filter(asksPerson);
    if (asking.length === 0) {
      if (patience > 0) this.#stage.world.schedule(this.#random.int(500, 4_000), () => this.#answer(patience - 1));
      return;
    }
    this.#say(randomAnswer(this.#random, this.#random.pick(asking), 0.7));
  }

  /** Somebody takes a task that does not go on, or any, and handles what somebody has; sooner or later, and not always well. */
  #take(more = 4): void {
    const said = randomTaking(this.#taker, this.#site.model);
    if (said !== null) this.#say(said);
    if (more > 0) this.#stage.world.schedule(this.#taker.int(200, 9_000), () => this.#take(more - 1));
  }

  /** The person who has it gives it while there is time; in the end it is taken away. */
  endTaking({ id: task, taken, steps }: Task, isTime: boolean): void {
    this.#stage.history.count(isTime ? 'taken task given' : 'taken task dropped at last');
    const attempt = (taken === undefined ? 0 : (steps.get(taken.step)?.attempts ?? 0)) + 1;
    if (isTime) this.say(taken?.by ?? 'operator', { type: 'step.give', task, attempt });
    else this.say('operator:boss', { type: 'step.drop', task, reason: 'the day is over' });
  }

  /** Everybody answers; a yes as often as `yes` says. */
  everybodyAnswers(task: Task, yes: number): void {
    for (const person of PEOPLE) this.#say(randomAnswer(this.#random, task, yes, person));
  }

  /** On top of what landed meanwhile it is another change: people are asked once more. */
  everybodyLetsItLand(task: TaskId): void {
    for (const person of PEOPLE)
      this.say(`operator:${person}`, {
        type: 'step.answer',
        task,
        step: LANDING as StepId,
        decision: 'APPROVE',
        reason: 'read',
      });
  }

  #say({ actor, command }: Said): void {
    this.say(actor, command);
  }

  /** The operator lands what is done, onto one of two lines. */
  #land(patience = 60): void {
    const done = [...this.#site.model.tasks.values()].filter(({ closed }) => closed?.commit != null);
    if (done.length === 0) {
      if (patience > 0) this.#stage.world.schedule(this.#random.int(500, 4_000), () => this.#land(patience - 1));
      return;
    }
    const onto = this.#random.pick(['main', 'main', 'main', 'release']);
    const { id: task, landingAsk } = this.#random.pick(done);
    if (landingAsk !== undefined && this.#random.chance(0.8)) this.everybodyLetsItLand(task);
    // Without chance, so that old seeds play as they did.
    const unstable = sha256(task) < '8';
    this.say('operator', { type: 'task.land', task, onto, unverified: true, move_checkout: true, unstable });
  }

  /** More commands at once than one transaction takes. */
  #flood(): void {
    this.#stage.history.count('flood of commands');
    for (let n = 0; n < 300; n++)
      this.#post(
        'operator',
        { type: 'breaker.reset', lane: `no/lane-${n}` },
        `say-${this.#site.project}-${++this.#said}`,
      );
  }

  /** The same command with the same id: a client that did not hear the answer. */
  #sayAgain(): void {
    if (this.#site.submissions.length === 0) return;
    const { id, actor, command } = this.#random.pick(this.#site.submissions);
    this.#stage.history.count('sent again');
    this.say(actor, command, id);
  }

  /** A report of a hand comes by the inbox, early, late or twice: a worker on another machine, a network that repeats. */
  #reportAgain(patience = 5): void {
    const told = this.#stage.outside.told.filter((command) => this.#site.model.tasks.has(taskOf(command) ?? ''));
    if (told.length === 0) return;
    // The most dangerous ones speak of a step at which another attempt is under way by now: worth some waiting.
    const dangerous = told.filter((report) => {
      if (report.type !== 'attempt.report' && report.type !== 'gate.report') return false;
      const task = this.#site.model.tasks.get(report.task);
      const place = task?.closed === null && report.step !== null ? task.steps.get(report.step)?.place : undefined;
      return (
        place?.at === (report.type === 'attempt.report' ? 'working' : 'checking') &&
        place.attempt.token !== report.token
      );
    });
    if (dangerous.length === 0 && patience > 0 && this.#random.chance(0.8)) {
      this.#stage.world.schedule(this.#random.int(500, 4_000), () => this.#reportAgain(patience - 1));
      return;
    }
    this.#stage.history.count('report brought again');
    if (dangerous.length > 0) this.#stage.history.count('report brought to a later attempt');
    this.#post('hand', this.#random.pick(dangerous.length > 0 ? dangerous : told) as Json, `late-${++this.#said}`);
  }

  #jump(): void {
    const ms = this.#random.pick([-86_400_000, -3_600_000, -5_000, 5_000, 3_600_000, 86_400_000]);
    this.#stage.history.count('wall clock jumps');
    this.#stage.world.jump(ms);
  }

  #newTask(): string {
    return `${this.#site.project}-t${++this.#tasks}`;
  }
}
