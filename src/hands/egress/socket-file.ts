/** Socket files of proxies: in a directory that others may pass but not list, with names that cannot be guessed. */
import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, thisProcess } from '../../os/machine/identity.ts';

/** The kernel's limit for a socket path, without the terminator. */
const MAX_PATH = 107;

export type SocketFile = Disposable & {
  readonly path: string;
  /** A shorter alias of the path, to bind to. */
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

/** Removes files of killed processes; returns their number. */
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

/** Pid, process start and machine start: they identify the owner without asking it. */
const NAME = /^([0-9a-z]+)-([0-9a-z]*)-([0-9a-f]*)\.[0-9a-f]{16}$/;

const mark = (): string => {
  const { pid, started, boot } = thisProcess();
  return `${pid.toString(36)}-${shorter(started)}-${bootMark(boot)}`;
};

/** Socket paths are short; the start is a number. */
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
