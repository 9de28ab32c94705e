/** When Supervisor is root: a user id of its own for each run, so that no two sandboxes may touch each other's processes and files. */
import { lchownSync, lstatSync, readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { processesOfUser } from '../../../os/process/table.ts';

/** Not 0, and not 65534: that one is also the owner of everything unmapped, and often of the disk's reserve. */
export const FIRST_UID = 61_000;
export const LAST_UID = 61_999;

export type UserLease = Disposable & { readonly uid: number };

/**
 * A free user id, `wanted` if it is free and ours. Held by listening on an abstract socket of that name: the kernel
 * lets go of it when this process dies, however it dies, and no other Supervisor of this machine can take it meanwhile.
 */
export async function leaseUser(wanted: number | null, start: number): Promise<UserLease> {
  const size = LAST_UID - FIRST_UID + 1;
  const others = Array.from({ length: size }, (_, index) => FIRST_UID + ((start + index) % size));
  for (const uid of wanted !== null && isOurs(wanted) ? [wanted, ...others] : others) {
    const server = await hold(uid);
    if (server === null) continue;
    if (processesOfUser(uid).length === 0) return { uid, [Symbol.dispose]: () => void server.close() };
    server.close();
  }
  throw new Error(`no free user id between ${FIRST_UID} and ${LAST_UID}`);
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

/** Gives a tree to a user; links themselves, never what they point at. Nothing may run in it meanwhile. */
export function giveTree(path: string, uid: number): void {
  const stat = lstatSync(path);
  // A second name of a file may lie outside the tree: such a file keeps its owner.
  if ((stat.uid !== uid || stat.gid !== uid) && (stat.isDirectory() || stat.nlink === 1)) lchownSync(path, uid, uid);
  if (stat.isDirectory()) for (const name of readdirSync(path)) giveTree(join(path, name), uid);
}

function hold(uid: number): Promise<Server | null> {
  const server = createServer((socket) => socket.destroy()).unref();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    );
    server.listen(`\0supervisor-sandbox-user-${uid}`, () => resolve(server));
  });
}
