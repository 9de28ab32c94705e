/** A simulated process: all that it hears and sends goes through here, so it can die, freeze or be slow at any point. */
import type { Engine } from '../../src/engine/engine.ts';
import { type ProcessIdentity, type Store, StoreError } from '../../src/engine/ports/store.ts';
import type { Chance, Clock } from '../../src/engine/ports/surroundings.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

/** How often things go wrong; shared by all processes, and set to nothing when the faults stop. */
export type Faults = {
  /** At a failpoint: the process dies, or freezes as if stopped by a signal. */
  die: number;
  freeze: number;
  /** One failpoint at which it happens often. */
  weakSpot: string;
  /** Per call of the store: it fails before or after it did its work, or answers late. */
  error: number;
  slow: number;
};

/** The longest a request or its answer takes on its way. */
export const MAX_LATENCY = 20_000;

export type Happened = (what: string) => void;

export class SimProcess {
  readonly name: string;
  readonly owner: ProcessIdentity;
  readonly world: World;
  readonly random: Random;
  engine: Engine | null = null;
  /** Its engine was asked to stop: it starts nothing new. */
  stopping = false;
  /** Its engine has stopped or failed, and it only tidies up. */
  ended = false;
  /** What to do when it is gone, however that came. */
  onGone: () => void = () => {};
  readonly #faults: Faults;
  readonly #happened: Happened;
  readonly #wall: number;
  readonly #watches = new Set<{ close(): void }>();
  #state: 'running' | 'frozen' | 'dead' = 'running';
  #backlog: (() => void)[] = [];
  #ids = 0;

  constructor(options: { name: string; world: World; random: Random; faults: Faults; happened: Happened }) {
    this.name = options.name;
    this.world = options.world;
    this.random = options.random.fork(options.name);
    this.#faults = options.faults;
    this.#happened = options.happened;
    this.#wall = options.world.wall;
    this.owner = { pid: this.random.int(2, 99_999), started: options.name, boot: 'boot', host: 'machine' };
  }

  get state(): 'running' | 'frozen' | 'dead' {
    return this.#state;
  }

  /** It has its own idea of the time, taken from the wall when it started. */
  get clock(): Clock {
    return {
      now: () => this.world.now + this.#wall,
      after: (ms, callback) => {
        let off = false;
        const cancel = this.world.schedule(ms, () => this.hears(() => off || callback()));
        return () => {
          off = true;
          cancel();
        };
      },
    };
  }

  get chance(): Chance {
    return { dice: () => this.random.next(), id: (prefix) => `${prefix}-${this.name}-${++this.#ids}` };
  }

  /** Gone without a word. */
  die(why: string): void {
    if (this.#state === 'dead') return;
    this.world.trace(this.name, `dies: ${why}`);
    this.#happened(`crash at ${why}`);
    this.leave();
  }

  /** Gone, by a crash or in peace. */
  leave(): void {
    if (this.#state === 'dead') return;
    this.#state = 'dead';
    this.#backlog = [];
    for (const watch of this.#watches) watch.close();
    this.onGone();
  }

  /** Stopped like by SIGSTOP: alive, deaf and dumb, until it wakes and believes that no time has passed. */
  freeze(ms: number): void {
    if (this.#state !== 'running') return;
    this.world.trace(this.name, `freezes for ${ms} ms`);
    this.#happened('process frozen');
    this.#state = 'frozen';
    this.world.schedule(ms, () => this.thaw());
  }

  thaw(): void {
    if (this.#state !== 'frozen') return;
    this.world.trace(this.name, 'wakes up');
    this.#state = 'running';
    for (const run of this.#backlog.splice(0)) this.world.schedule(0, () => this.hears(run));
  }

  /** Something reaches the process: now, when it wakes, or never. */
  hears(run: () => void): void {
    if (this.#state === 'frozen') this.#backlog.push(run);
    if (this.#state === 'running') run();
  }

  failpoint(name: string): void | Promise<void> {
    if (this.#state === 'dead') return never();
    const weak = name === this.#faults.weakSpot;
    if (this.random.chance(weak ? 0.25 : this.#faults.die)) {
      this.die(name);
      return never();
    }
    if (this.random.chance(weak ? 0.1 : this.#faults.freeze))
      this.freeze(this.random.pick([1_000, 20_000, 40_000, 120_000]));
    if (this.#state === 'frozen') return new Promise((resolve) => this.hears(resolve));
  }

  /** A request to somebody outside, and its answer; both take their time, and death or frost may come in between. */
  call<T>(perform: () => Promise<T>): Promise<T> {
    if (this.#state === 'dead') return never();
    return new Promise((resolve, reject) => {
      const answer = (run: () => void) => this.world.schedule(this.latency(), () => this.hears(run));
      const arrive = () => {
        // What was sent before the sender died may still arrive, or not.
        if (this.#state === 'dead' && this.random.chance(0.5)) return;
        perform().then(
          (value) => answer(() => resolve(value)),
          (error) => answer(() => reject(error)),
        );
      };
      this.hears(() => this.world.schedule(this.latency(), arrive));
    });
  }

  latency(): number {
    if (!this.random.chance(this.#faults.slow)) return 0;
    return this.random.chance(0.1) ? this.random.int(100, MAX_LATENCY) : this.random.int(1, 50);
  }

  /** The store as this process has it. */
  storeFrom(store: Store): Store {
    return wrapStore(
      store,
      (perform) =>
        this.call(async () => {
          const failing = this.random.chance(this.#faults.error);
          if (!failing) return perform();
          this.#happened('store error');
          if (this.random.chance(0.5)) await perform();
          throw new StoreError('io', 'the disk went away');
        }),
      {
        watch: (onChange) => {
          let open = true;
          const watch = store.watch(() =>
            this.world.schedule(this.latency(), () => this.hears(() => open && onChange())),
          );
          const own = { close: () => this.#unwatch(own, watch, () => (open = false)) };
          this.#watches.add(own);
          return own;
        },
        close: async () => {},
      },
    );
  }

  #unwatch(own: { close(): void }, watch: { close(): void }, shut: () => void): void {
    shut();
    watch.close();
    this.#watches.delete(own);
  }
}

type Around = <T>(perform: () => Promise<T>) => Promise<T>;

/** A store with something around each of its methods, but for those given by name. */
export function wrapStore(store: Store, around: Around, own: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      const given = own[name as keyof Store];
      if (given !== undefined) return given;
      const method = Reflect.get(target, name) as (...values: unknown[]) => Promise<unknown>;
      return (...values: unknown[]) => around(() => method.apply(target, values));
    },
  });
}

function never(): Promise<never> {
  return new Promise(() => {});
}
