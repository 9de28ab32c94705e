/** Keeps starting Supervisor on a project, whatever happens to each process. */
import { Engine, type EngineDeps } from '../../src/engine/engine.ts';
import type { Hands } from '../../src/engine/ports/hands.ts';
import type { Store } from '../../src/engine/ports/store.ts';
import type { Clock } from '../../src/engine/ports/surroundings.ts';
import { type Outside, simulatedHands } from './hands.ts';
import type { History, Site } from './history.ts';
import { engineHasTheFold, enginesFailOnlyForAReason, everySenderIsAnswered } from './invariants.ts';
import { type Faults, MAX_LATENCY, SimProcess } from './process.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

/** A defect put in on purpose, to see that the checker finds it. */
export type Mutant = {
  readonly name: string;
  /** Between the checker and the store. */
  readonly store?: (store: Store) => Store;
  /** Between a process and the store. */
  readonly seenStore?: (store: Store) => Store;
  readonly hands?: (hands: Hands, outside: Outside) => Hands;
  readonly clock?: (clock: Clock, random: Random) => Clock;
};

export type Stage = {
  readonly world: World;
  readonly random: Random;
  readonly outside: Outside;
  readonly history: History;
  readonly store: Store;
  readonly faults: Faults;
  readonly mutant: Mutant | null;
};

/** What it puts in is longer than what it takes out. */
export const withoutSecrets = (text: string): string => text.replaceAll('secret', '[taken out by a rule]');

export const LEASE_MS = 30_000;

export class Launcher {
  readonly site: Site;
  readonly #stage: Stage;
  readonly #name: string;
  readonly #random: Random;
  #current: SimProcess | null = null;
  #launches = 0;
  #retired = false;
  #cancelNext = () => {};

  constructor(stage: Stage, site: Site, name: string) {
    this.site = site;
    this.#stage = stage;
    this.#name = name;
    this.#random = stage.random.fork(`launcher ${name}`);
  }

  get process(): SimProcess | null {
    return this.#current;
  }

  /** Its engine, when it has one that can be spoken to. */
  get engine(): Engine | null {
    return this.#current?.state === 'running' && !this.#current.ended ? this.#current.engine : null;
  }

  /** Starts no more processes. */
  retire(): void {
    this.#retired = true;
  }

  launch(options: { readonly act: boolean }): void {
    if (this.#retired || this.#current !== null) return;
    const { world, random, history, faults } = this.#stage;
    this.#cancelNext();
    const name = `${this.#name}.${++this.#launches}`;
    const process = new SimProcess({ name, world, random, faults, happened: (what) => history.count(what) });
    this.#current = process;
    process.onGone = () => {
      this.#current = null;
      const wait = process.engine !== null && this.#random.chance(0.5) ? 0 : this.#random.int(1_000, LEASE_MS);
      this.#cancelNext = world.schedule(wait, () =>
        this.launch({ act: !this.#stage.outside.wild || this.#random.chance(0.9) }),
      );
    };
    const parallel = this.#random.int(1, 8);
    Engine.open(this.#deps(process), {
      project: this.site.project,
      leaseMs: LEASE_MS,
      act: options.act,
      parallel,
    }).then(
      (opened) => (opened instanceof Engine ? this.#lead(process, opened, options.act) : this.#turnedAway(process)),
      (error) => this.#ended(process, error),
    );
  }

  /** Ends the process politely; a hand that does not listen may keep it for a while. */
  stop(): void {
    const process = this.#current;
    if (process?.engine == null || process.state !== 'running') return;
    const { world, history, store } = this.#stage;
    const { engine } = process;
    process.stopping = true;
    const wait = this.#random.chance(0.3);
    world.trace(process.name, wait ? 'is asked to finish what it began, and stop' : 'is asked to stop');
    let failed = false;
    let ended = false;
    engine.failure.catch(() => {
      failed = true;
      if (ended) history.blame('aPoliteStopEnds', `${process.name} failed after it had stopped`);
    });
    const stopped = async () => {
      if (wait) await engine.quiesce();
      await engine.stop();
      if (failed) return;
      ended = true;
      history.count('polite stop');
      const { owner } = await store.lease(this.site.project);
      if (owner?.started === process.name)
        history.blame('aPoliteStopEnds', `${process.name} stopped and kept the lease`);
      this.#ended(process, null);
    };
    stopped().catch((error) => this.#ended(process, error));
  }

  #lead(process: SimProcess, engine: Engine, act: boolean): void {
    const { history } = this.#stage;
    process.engine = engine;
    engine.failure.catch((error) => this.#ended(process, error));
    engine.observe(() => {
      if (this.#random.chance(0.05))
        history.blame('engineHasTheFold', engineHasTheFold({ history, site: this.site, engine }));
    });
    if (act) return;
    history.count('drained without acting');
    engine.drain().then(
      () => this.stop(),
      () => {},
    );
  }

  #turnedAway(process: SimProcess): void {
    this.#stage.history.count('lease held');
    process.leave();
  }

  #ended(process: SimProcess, error: unknown): void {
    const { world, history } = this.#stage;
    if (process.state === 'dead' || process.ended) return;
    process.ended = true;
    if (error !== null) {
      world.trace(process.name, `fails: ${error}`);
      history.count(`engine failed: ${error instanceof Error ? error.name : error}`);
      history.blame('enginesFailOnlyForAReason', enginesFailOnlyForAReason(error));
    }
    // A call of the store that is still under way comes back first.
    world.schedule(2 * MAX_LATENCY, () => {
      if (process.state === 'running')
        history.blame('everySenderIsAnswered', everySenderIsAnswered(this.site, process));
      process.leave();
    });
  }

  #deps(process: SimProcess): EngineDeps {
    const { outside, history, mutant, random } = this.#stage;
    const store = process.storeFrom(this.#stage.store);
    const hands = simulatedHands(process, outside, (what) => history.count(what));
    return {
      store: mutant?.seenStore?.(store) ?? store,
      hands: mutant?.hands?.(hands, outside) ?? hands,
      clock: mutant?.clock?.(process.clock, random) ?? process.clock,
      chance: process.chance,
      redact: async (texts) => texts.map(withoutSecrets),
      anchor: {
        committed: (project, head) => {
          if (process.state !== 'dead') outside.anchors.set(project, head);
        },
        rested: (project, head) =>
          process.call(async () => {
            if (process.random.chance(this.#stage.faults.error * 10))
              throw new Error('the anchor could not be written');
            outside.anchors.set(project, head);
          }),
        newest: async (project) => outside.anchors.get(project) ?? null,
      },
      failpoint: (name) => process.failpoint(name),
      log: (level, message, facts) => {
        // A process that lost the lease reads what others wrote and may be puzzled; nothing comes of it.
        const leads = history.holder.get(this.site.project) === process.name;
        if (level === 'error' && leads) history.blame('theMindMeetsNoDefect', `${message} ${JSON.stringify(facts)}`);
      },
      owner: process.owner,
    };
  }
}
