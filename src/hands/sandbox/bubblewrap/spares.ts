/**
 * A start that waits for its run. The kernel takes long to move a process into a control group, and Node to start one; both
 * can be done before it is known what will run. What waits is a shell that has built nothing and knows nothing, but that
 * what earlier runs needed from closed directories is already mounted for it.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import type { Owner } from '../../../engine/ports/store.ts';
import { type Launched, launch } from '../../../os/process/launch.ts';
import type { Ahead } from '../../../os/process/pipes.ts';
import { run } from '../../../os/process/run.ts';
import { type Bind, covers, isAsItWas } from './closed.ts';
import { type Command, filesOf, launched, wallOf } from './command.ts';
import { ControlGroup, removeGroups } from './control-group.ts';
import { GROUP_NAME, noteOf } from './ledger.ts';
import { SPARE } from './scripts.ts';
import type { Site } from './site.ts';

export const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * To make one moves a process into control groups, and while the kernel prepares that it lets nobody on the machine start
 * a process: what follows a run (its tree is hashed, a commit made) takes a third longer beside it (measured). So it is
 * made in the middle of a run, which mostly waits for a model.
 */
const INTO_RUN_MS = 200;
/** After one that was shorter. To make one takes the main thread about as long; a run that follows within it is quicker without. */
const QUIET_MS = 3;

/** Closed directories of so many are remembered; a machine has two or three. */
const MOST_BINDS = 16;

/** A process, its pipes and the groups it is a member of. */
export type Spare = {
  readonly name: string;
  readonly group: ControlGroup;
  readonly child: Launched;
  readonly binds: readonly Bind[];
  readonly streams: Pick<Ahead, 'stdout' | 'stderr' | 'type' | 'drop'>;
  /** Lets it become the wall of a plain command. */
  begin(command: Command, hasInput: boolean): void;
  /** Ends it, and takes away all that it had. */
  end(): Promise<void>;
  /** From now on this process lives as long as it does. */
  hold(): void;
};

export const newName = (): string => `${GROUP_NAME}${process.pid}-${randomBytes(6).toString('hex')}`;

export class Spares {
  readonly #site: Site;
  readonly #owner: Owner;
  #usable: Promise<boolean> | null = null;
  #waiting: Spare | null = null;
  #making: Promise<void> | null = null;
  #ending: Promise<void> | null = null;
  #name: string | null = null;
  #soon: NodeJS.Timeout | null = null;
  #closed = false;
  #binds: readonly Bind[] = [];

  constructor(site: Site, owner: Owner) {
    this.#site = site;
    this.#owner = owner;
  }

  /** The name of its control group and its note, from before it is made until it is gone. */
  get name(): string | null {
    return this.#name;
  }

  /** Null: start in the ordinary way, also while one is being made, because to wait for the rest of that takes longer. */
  take(binds: readonly Bind[]): Spare | null {
    if (!covers(this.#binds, binds)) this.#remember(binds);
    const spare = this.#waiting;
    if (spare === null) return null;
    if (!covers(spare.binds, binds)) {
      // The next one is made with them.
      this.#ending = this.#end().catch(() => {});
      return null;
    }
    this.#waiting = null;
    this.#name = null;
    spare.hold();
    return spare;
  }

  /** Not now, a run begins; in the middle of it. */
  hush(): void {
    this.#later(INTO_RUN_MS);
  }

  /** In the background and only when no run follows at once, which it would hold up. */
  refill(): void {
    this.#later(QUIET_MS);
  }

  async ready(): Promise<string | null> {
    this.#begin();
    await this.#making;
    return this.#waiting?.name ?? null;
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#soon !== null) clearTimeout(this.#soon);
    await this.#making;
    await this.#ending;
    await this.#end();
  }

  #remember(binds: readonly Bind[]): void {
    const others = this.#binds.filter(({ from }) => !binds.some((one) => one.from === from));
    this.#binds = [...binds, ...others].slice(0, MOST_BINDS);
  }

  #later(ms: number): void {
    if (this.#soon !== null) clearTimeout(this.#soon);
    this.#soon = setTimeout(() => this.#begin(), ms).unref();
  }

  /** What goes wrong here the next ordinary start says better. */
  #begin(): void {
    if (this.#closed || this.#name !== null) return;
    const name = newName();
    this.#name = name;
    this.#making = this.#make(name)
      .catch(() => {
        this.#name = null;
      })
      .finally(() => {
        this.#making = null;
      });
  }

  async #make(name: string): Promise<void> {
    this.#usable ??= canBecomeUser();
    if (!(await this.#usable)) throw new Error('chroot can not change the user here');
    // One that can not be mounted any more would end every spare.
    this.#binds = this.#binds.filter(isAsItWas);
    const spare = await makeSpare(this.#site, this.#owner, name, this.#binds);
    this.#waiting = spare;
    spare.child.exited.then(() => (this.#waiting === spare ? this.#end() : null)).catch(() => {});
  }

  async #end(): Promise<void> {
    const spare = this.#waiting;
    this.#waiting = null;
    await spare?.end();
    this.#name = null;
  }
}

async function makeSpare(site: Site, owner: Owner, name: string, binds: readonly Bind[]): Promise<Spare> {
  const group = new ControlGroup(site.groups, name);
  const note = noteOf(site.runDir, name, { owner, uid: null, groups: group.paths });
  const streams = await site.pipes.ahead();
  const child = await start(site, streams, binds);
  const outputs = [streams.stdout, streams.stderr];
  const leave = () => {
    child.kill();
    if (removeGroups(group.paths)) note[Symbol.dispose]();
  };
  leaveAtExit(leave);
  child.hold(false);
  for (const stream of outputs) stream.unref();
  const end = async () => {
    child.hold(true);
    child.kill();
    streams.drop();
    for (const stream of [...outputs, ...child.pipes]) stream.destroy();
    await child.exited;
    await group.end();
    note[Symbol.dispose]();
    atExit.delete(leave);
  };
  try {
    note.write();
    group.make();
    await group.joinMeanwhile(child.pid);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    ...{ name, group, child, binds, streams, end },
    begin: (command, hasInput) => {
      streams.say(command.words);
      child.pipes[0]?.write(`${command.uid} ${hasInput ? 'given' : 'none'}\n`);
    },
    hold: () => {
      atExit.delete(leave);
      child.hold(true);
      for (const stream of outputs) stream.ref();
    },
  };
}

async function start(site: Site, streams: Ahead, binds: readonly Bind[]): Promise<Launched> {
  const [filter = '/dev/null'] = filesOf(site);
  const fd = openSync(filter, 'r');
  const inherited = [streams.words, fd, streams.input];
  const inner = ['/bin/sh', '-c', SPARE, 'sh', ...wallOf(site)] as const;
  const [command, ...args] = binds.length === 0 ? inner : launched(binds, inner);
  try {
    return await launch(command, args, {
      ...{ env: { PATH }, input: null, output: streams.output, pipes: 1, files: inherited, user: null },
    });
  } catch (error) {
    streams.drop();
    for (const stream of [streams.stdout, streams.stderr]) stream.destroy();
    throw error;
  } finally {
    streams.given();
    closeSync(fd);
  }
}

/** Not every system's `chroot` can; nothing changes here, and nobody is asked again. */
async function canBecomeUser(): Promise<boolean> {
  const args = ['--userspec=65534:65534', '--groups=', '/', 'true'];
  return (await run('chroot', args, { env: { PATH }, timeoutMs: 10_000 })).code === 0;
}

/** An end of file ends them too, but their groups would stay for the next sweep. */
const atExit = new Set<() => void>();
let listening = false;

function leaveAtExit(leave: () => void): void {
  atExit.add(leave);
  if (listening) return;
  listening = true;
  process.once('exit', () => {
    for (const each of atExit) each();
  });
}
