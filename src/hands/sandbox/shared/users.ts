/**
 * When Supervisor is root: a separate user id for each run, so that no two sandboxes can touch each other's processes
 * and files.
 */
import { lstatSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { processesOfUser } from '../../../os/process/table.ts';

/** Not 0, and not 65534, which also owns everything unmapped, and often the disk's reserve. */
export const FIRST_UID = 61_000;
export const LAST_UID = 61_999;

/** More are seldom needed again soon. */
const MAX_KEPT = 32;

type UserLease = Disposable & {
  readonly uid: number;
  /** Says that no process of the user is alive, so that it may be reused at once. Otherwise this is checked again. */
  keep(): void;
};

type ReservedUser = { readonly server: Server; readonly trees: readonly string[] };

/**
 * Holds a user id by listening on an abstract socket of its name: the kernel frees it when this process dies, however
 * it dies, and no other Supervisor of this machine can take it meanwhile. It stays held after a run, because searching
 * all processes of the machine for that user takes longer than building a sandbox.
 */
export class Users {
  readonly #kept = new Map<number, ReservedUser>();
  readonly #start: number;

  /** `start`: where the search begins, so that parallel Supervisors seldom collide. */
  constructor(start: number) {
    this.#start = start;
  }

  /**
   * For a run in these trees: `wanted` if it is free and ours, else a user that owns no other tree. Inside the sandbox
   * other trees do not exist; this keeps them closed even to a program that broke out.
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

  #leased(uid: number, kept: ReservedUser): UserLease {
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

/** Whether no process uses it; holds it while `act` runs. */
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
