/**
 * The wall of an attempt to come. Most attempts of a run are alike: the same CLI, called in the same way. To build their
 * wall and to start the bridge in it takes longer than anything else that comes before the CLI starts, and needs nothing
 * of the attempt but what it has in common with the last one. So that is done while a model thinks: around an empty
 * directory and behind a door of its own, and there the bridge waits for its plan.
 */
import { statSync } from 'node:fs';
import type { EgressDoor, EgressPolicy } from '../../engine/ports/egress.ts';
import type { Sandbox, SandboxPolicy, SandboxRequest, SandboxResult } from '../../engine/ports/sandbox.ts';
import type { Place } from '../../engine/ports/workspace.ts';
import type { WorkerOptions } from './options.ts';

/** All that an attempt has in common with one like it. */
export type Likeness = {
  readonly argv: SandboxRequest['argv'];
  /** Around a tree and a socket of this machine. Its wall time does not count: each attempt brings its own. */
  readonly policy: (tree: string, socket: string) => SandboxPolicy;
  readonly egress: EgressPolicy;
};

/** After an attempt began: models think for minutes. Whoever is quicker than this is not held up by it. */
const LATER_MS = 3000;
/** Each takes the memory of a small process, and a user. */
const UNUSED_MS = 10 * 60_000;
/** Where a reviewer takes turns with whoever he reviews. */
const MOST = 2;

export class Waiting {
  readonly #of: Pick<WorkerOptions, 'sandbox' | 'workspaces' | 'egress' | 'log'>;
  readonly #laterMs: number;
  #soon: NodeJS.Timeout | null = null;
  #making: Promise<void> | null = null;
  /** By what they are like. */
  readonly #walls = new Map<string, { readonly wall: Wall; readonly unused: NodeJS.Timeout }>();
  readonly #leaving = new Set<Promise<void>>();
  #closed = false;

  constructor(of: Pick<WorkerOptions, 'sandbox' | 'workspaces' | 'egress' | 'log'>, laterMs = LATER_MS) {
    this.#of = of;
    this.#laterMs = laterMs;
  }

  /** An attempt like this one has begun: another may follow. */
  expect(like: Likeness): void {
    if (this.#closed) return;
    if (this.#soon !== null) clearTimeout(this.#soon);
    this.#soon = setTimeout(() => this.#begin(like), this.#laterMs).unref();
  }

  /** Null: none is there that fits. */
  take(like: Likeness): Wall | null {
    const key = keyOf(like);
    const found = this.#walls.get(key);
    if (found === undefined) return null;
    if (!found.wall.isGood) {
      this.#drop(key);
      return null;
    }
    this.#walls.delete(key);
    clearTimeout(found.unused);
    return found.wall;
  }

  /** Resolves when one that is being made is there, or could not be made. */
  async settled(): Promise<void> {
    await this.#making;
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#soon !== null) clearTimeout(this.#soon);
    await this.#making;
    for (const key of [...this.#walls.keys()]) this.#drop(key);
    await Promise.all(this.#leaving);
  }

  #begin(like: Likeness): void {
    const key = keyOf(like);
    if (this.#closed || this.#making !== null || this.#walls.get(key)?.wall.isGood === true) return;
    this.#drop(key);
    for (const oldest of this.#walls.keys()) if (this.#walls.size >= MOST) this.#drop(oldest);
    this.#making = this.#make(like)
      .then((wall) => {
        const unused = setTimeout(() => this.#drop(key), UNUSED_MS).unref();
        this.#walls.set(key, { wall, unused });
      })
      .catch((error: Error) => {
        // The next attempt says better what is wrong.
        this.#of.log('debug', 'no wall waits for the next attempt', { error: error.message });
      })
      .finally(() => {
        this.#making = null;
      });
  }

  async #make(like: Likeness): Promise<Wall> {
    const { sandbox, workspaces, egress } = this.#of;
    const place = await workspaces.place();
    try {
      const door = await egress.open(like.egress);
      return new Wall(sandbox, like, place, door);
    } catch (error) {
      await place.remove();
      throw error;
    }
  }

  #drop(key: string): void {
    const found = this.#walls.get(key);
    if (found === undefined) return;
    this.#walls.delete(key);
    clearTimeout(found.unused);
    const leaving = found.wall[Symbol.asyncDispose]().catch((error: Error) => {
      this.#of.log('warn', 'a wall that waited could not be taken away; the next sweep does it', {
        error: error.message,
      });
    });
    this.#leaving.add(leaving);
    leaving.finally(() => this.#leaving.delete(leaving));
  }
}

/** Holds the operator's key where there is one: it is compared, and nothing else. */
const keyOf = ({ argv, policy, egress }: Likeness): string => {
  const around = policy('/tree', '/socket');
  return JSON.stringify([argv, around, egress, around.readable.map(({ from }) => identityOf(from))]);
};

/** A mount goes on showing what was there when it was made: an update puts another directory in its place. */
function identityOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    // The sandbox says what is wrong with it.
    return null;
  }
}

/** A sandbox that runs already, for the one request that it was begun for. */
export class Wall implements Pick<Sandbox, 'run'>, AsyncDisposable {
  readonly place: Place;
  readonly door: EgressDoor;
  readonly #policy: SandboxPolicy;
  readonly #stop = new AbortController();
  readonly #text = Promise.withResolvers<string>();
  readonly #running: Promise<SandboxResult>;
  #request: SandboxRequest | null = null;
  #isOver = false;

  constructor(sandbox: Pick<Sandbox, 'run'>, { argv, policy }: Likeness, place: Place, door: EgressDoor) {
    this.place = place;
    this.door = door;
    this.#policy = policy(place.tree, door.socket);
    this.#running = sandbox.run({
      ...{ argv, policy: this.#policy, signal: this.#stop.signal },
      input: { text: this.#text.promise, wallMs: () => leftOf(this.#request) },
      onOutput: (stream, bytes) => this.#request?.onOutput(stream, bytes),
    });
    const over = () => {
      this.#isOver = true;
    };
    this.#running.then(over, over);
    this.#text.promise.catch(() => {});
  }

  get isGood(): boolean {
    return !this.#isOver && this.place.isThere();
  }

  async run(request: SandboxRequest): Promise<SandboxResult> {
    const { input, signal, policy } = request;
    if (this.#request !== null || typeof input === 'string' || !isSame(policy, this.#policy))
      throw new Error('this wall was not built for this attempt');
    this.#request = request;
    const abort = () => this.#stop.abort();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    input.text.then(this.#text.resolve, this.#text.reject);
    try {
      return await this.#running;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running.catch(() => {});
    await this.door[Symbol.asyncDispose]();
    if (this.#request === null) await this.place.remove();
  }
}

const leftOf = (request: SandboxRequest | null): number =>
  request === null || typeof request.input === 'string' ? 1 : request.input.wallMs();

const isSame = (one: SandboxPolicy, other: SandboxPolicy): boolean =>
  JSON.stringify(withoutTime(one)) === JSON.stringify(withoutTime(other));
const withoutTime = (policy: SandboxPolicy) => ({ ...policy, limits: { ...policy.limits, wallMs: 0 } });
