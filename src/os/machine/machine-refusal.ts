/** What the machine refused, in one sentence with what to do about it; no bug of ours, so no stack trace. */
import { readFileSync } from 'node:fs';

/** By the system's error codes. Others may be a bug, and keep their stack. */
const ADVICE: Readonly<Record<string, string>> = {
  EMFILE: 'too many files are open: raise the limit, for instance with `ulimit -n 4096`, and run it again',
  ENFILE: 'too many files are open on this machine: end some programs, or raise fs.file-max',
  EAGAIN: 'no more processes may be started: end some programs, or raise the limit with `ulimit -u`',
  ENOMEM: 'there is no memory left: end some programs, and run it again',
  ENOSPC: 'the disk is full: free some space, or set SUPERVISOR_HOME to another disk',
  EDQUOT: 'your quota of the disk is used up: free some space, or set SUPERVISOR_HOME to another disk',
  EACCES:
    'permission denied. If it belongs to another user (often root, after a command with sudo), give it back with `sudo chown`; else give yourself access, or set SUPERVISOR_HOME to a directory of yours',
  EROFS: 'the file system is read-only: set SUPERVISOR_HOME to a directory that can be written',
};

const NO_DIRECTORY = 'the working directory was removed: go to one that exists, or name the project with --project DIR';

/** Returns null for any other error. */
export function machineTrouble(error: unknown): string | null {
  // Each cause once: an error may be its own cause.
  for (const seen = new Set<unknown>(); error instanceof Error && !seen.has(error); error = error.cause) {
    seen.add(error);
    const { code: said = '', syscall } = error as NodeJS.ErrnoException;
    // A program that would get more descriptors than may be open: the system calls their number invalid.
    const code = said === 'EINVAL' && syscall?.startsWith('spawn') ? 'EMFILE' : said;
    if (code === 'ENOENT' && syscall === 'uv_cwd') return NO_DIRECTORY;
    // A program or a socket that may not be used is no file to give back.
    if (code === 'EACCES' && /^(?:spawn|connect|listen|bind)/.test(syscall ?? '')) continue;
    const advice = Object.hasOwn(ADVICE, code) ? ADVICE[code] : undefined;
    if (advice !== undefined) return `${advice} (${error.message})`;
  }
  return null;
}

/** A step holds about 50 at once: pipes of sandboxes and programs, the log, files of the tree. */
const LEAST_OPEN_FILES = 100;

/** Why a task would fail half-way for lack of descriptors; null if there are enough, or the system does not say. */
export function tooFewOpenFiles(): string | null {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    if (limit === undefined || Number(limit) >= LEAST_OPEN_FILES) return null;
    return `too few files may be open (${limit}): raise the limit with \`ulimit -n 4096\``;
  } catch {
    return null;
  }
}
