/** When Supervisor is root: a user id of its own for each run, so that no two sandboxes may touch each other's processes and files. */
import { lstatSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { processesOfUser } from '../../../os/process/table.ts';

/** Not 0, and not 65534: that one is also the owner of everything unmapped, and often of the disk's reserve. */
export const FIRST_UID = 61_000;
export const LAST_UID = 61_999;

/** More than run at once are seldom needed again soon. */
const MAX_KEPT = 32;

type UserLease = Disposable & {
  readonly uid: number;
  /** Nothing of the user is alive: it may be used again at once. Without this word it is looked for anew. */
  keep(): void;
};

type Kept = { readonly server: Server; readonly trees: readonly string[] };

/**
 * A user id is held by listening on an abstract socket of its name: the kernel lets go of it when this process dies,
 * however it dies, and no other Supervisor of this machine can take it meanwhile. After a run it stays held, because to
 * look through all processes of the machine for one of that user takes longer than to build a wall.
 */
export class Users {
  readonly #kept = new Map<number, Kept>();
  readonly #start: number;

  /** `start`: where to begin the search, so that parallel Supervisors seldom want the same. */
  constructor(start: number) {
    this.#start = start;
  }

  /**
   * For a run in these trees: `wanted` if it is free and ours, else one that owns no other tree. Inside the wall other
   * trees are not there at all; this keeps them closed even to a program that got through it.
   */
  async lease(wanted: number | null, trees: readonly string[]): Promise<UserLease> {
    const old = [...this.#kept].find(([uid, kept]) =>
      wanted === null ? !kept.trees.some((tree) => !trees.includes(tree) && belongsTo(tree, uid)) : uid === wanted,
    );
    if (old !== undefined) {
      const [uid, kept] = old;
      this.#kept.delete(uid);
      return this.#leased(uid, { server: kept.server, trees: [...new Set([...kept.trees, ...trees])] });
    }
    const size = LAST_UID - FIRST_UID + 1;
    const others = Array.from({ length: size }, (_, index) => FIRST_UID + ((this.#start + index) % size));
    for (const uid of wanted !== null && isOurs(wanted) ? [wanted, ...others] : others) {
      const server = await hold(uid);
      if (server === null) continue;
      if (processesOfUser(uid).length === 0) return this.#leased(uid, { server, trees });
      server.close();
    }
    throw new Error(`no free user id between ${FIRST_UID} and ${LAST_UID}`);
  }

  #leased(uid: number, kept: Kept): UserLease {
    let clean = false;
    return {
      uid,
      keep: () => {
        clean = true;
      },
      [Symbol.dispose]: () => {
        if (!clean || this.#kept.size >= MAX_KEPT) kept.server.close();
        else this.#kept.set(uid, { ...kept, trees: kept.trees.filter((tree) => belongsTo(tree, uid)) });
      },
    };
  }
}

/** Whether nobody uses it now: held while `act` runs. */
export async function whileFree(uid: number, act: () => void): Promise<boolean> {
  const server = await hold(uid);
  if (server === null) return false;
  try {
    act();
  } finally {
    server.close();
  }
  return true;
}

export const isOurs = (uid: number): boolean => uid >= FIRST_UID && uid <= LAST_UID;

const belongsTo = (path: string, uid: number): boolean => lstatSync(path, { throwIfNoEntry: false })?.uid === uid;

function hold(uid: number): Promise<Server | null> {
  const server = createServer((socket) => socket.destroy()).unref();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    );
    server.listen(`\0supervisor-sandbox-user-${uid}`, () => resolve(server));
  });
}
