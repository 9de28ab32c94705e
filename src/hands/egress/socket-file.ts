/** The files of doors: a directory that others pass through but can not list, and names that nobody guesses. */
import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, thisProcess } from '../../os/machine/identity.ts';

/** What the kernel takes for the path of a socket, less its end. */
const MAX_PATH = 107;

export type SocketFile = Disposable & {
  readonly path: string;
  /** Another, shorter name of it, to bind to. */
  readonly bindTo: string;
};

export function makeDirectory(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o711 });
  chmodSync(dir, 0o711);
}

export function newSocketFile(dir: string): SocketFile {
  const path = join(dir, `${mark()}.${randomBytes(8).toString('hex')}`);
  const fd = Buffer.byteLength(path) > MAX_PATH ? openSync(dir, 'r') : null;
  return {
    path,
    bindTo: fd === null ? path : join(`/proc/self/fd/${fd}`, path.slice(dir.length)),
    [Symbol.dispose]: () => {
      rmSync(path, { force: true });
      if (fd !== null) closeSync(fd);
    },
  };
}

/** Removes what killed processes left; returns how many. */
export function sweepSocketFiles(dir: string): number {
  const own = thisProcess();
  const dead = list(dir).filter((name) => {
    const [, pid, started, boot] = NAME.exec(name) ?? [];
    if (pid === undefined || started === undefined) return false;
    return boot !== bootMark(own.boot) || !isAlive({ ...own, pid: Number.parseInt(pid, 36), started: longer(started) });
  });
  for (const name of dead) rmSync(join(dir, name), { force: true });
  return dead.length;
}

/** Process, its start and the machine's: whose it is can be told without asking it. */
const NAME = /^([0-9a-z]+)-([0-9a-z]*)-([0-9a-f]*)\.[0-9a-f]{16}$/;

const mark = (): string => {
  const { pid, started, boot } = thisProcess();
  return `${pid.toString(36)}-${shorter(started)}-${bootMark(boot)}`;
};

/** Paths of sockets are short; the start is a number. */
const shorter = (started: string): string => (started === '' ? '' : Number(started).toString(36));
const longer = (started: string): string => (started === '' ? '' : `${Number.parseInt(started, 36)}`);

const bootMark = (boot: string): string => boot.replaceAll(/[^0-9a-f]/g, '').slice(0, 8);

function list(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
