/** Puts SQLite's errors into our words: what happened to which file, and what to try. */
import { readFileSync, statSync } from 'node:fs';
import { StoreError } from '../../../engine/ports/store.ts';
import { Damage } from './rows.ts';

const ERROR = 1;
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const PROTOCOL = 15;
const NOTADB = 26;
/** A used-up quota (write), and a full disk under the WAL's shared memory. */
const IOERR_WRITE = 778;
const IOERR_SHMSIZE = 4874;
/** A process was killed during a change, and only one with write access can roll it back. */
const READONLY_ROLLBACK = 776;

export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error) & 0xff;
  return code === BUSY || code === LOCKED || code === PROTOCOL;
}

/** A killed process left a change that must be rolled back before the file can be read. */
export function isUnfinished(error: unknown): boolean {
  return sqliteCode(error) === READONLY_ROLLBACK;
}

/** While opening, an error in our own fixed SQL means that the tables are not ours. */
export function isForeignSchema(error: unknown): boolean {
  return sqliteCode(error) === ERROR;
}

export function translated(error: unknown, file: string): Error {
  if (error instanceof StoreError) return error;
  const full = sqliteCode(error);
  const detail = error instanceof Error ? error.message : String(error);
  if (error instanceof Damage || isOutOfRange(error)) return damaged(file, detail, error);
  switch (full & 0xff) {
    case BUSY:
    case LOCKED:
    case PROTOCOL:
      return new StoreError('locked', `the log ${file} is locked${whoLocks(file)}, then try again`, error);
    case FULL:
      return diskFull(file, error);
    case CORRUPT:
    case NOTADB:
      return damaged(file, detail, error);
    case READONLY:
      return readOnly(file, detail, error);
    case CANTOPEN:
      return new StoreError(
        'io',
        `the log ${file} cannot be opened (${detail}): check that its directory exists and belongs to you`,
        error,
      );
    case IOERR:
      return full === IOERR_WRITE || full === IOERR_SHMSIZE
        ? diskFull(file, error)
        : new StoreError('io', `reading or writing the log ${file} failed (${detail})`, error);
    default:
      return fileError(error, file) ?? (error instanceof Error ? error : new Error(detail));
  }
}

/** The file system's error when the file is made, before SQLite sees it. */
function fileError(error: unknown, file: string): StoreError | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(file, error);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return readOnly(file, code, error);
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) {
    return new StoreError('io', `the log ${file} cannot be made or opened (${code}): check SUPERVISOR_HOME`, error);
  }
  return null;
}

function readOnly(file: string, detail: string, cause: unknown): StoreError {
  return new StoreError(
    'read_only',
    `the log ${file} cannot be written (${detail}): make its directory writable, or set SUPERVISOR_HOME to one that is`,
    cause,
  );
}

function damaged(file: string, detail: string, cause: unknown): StoreError {
  return new StoreError(
    'corrupt',
    `the log ${file} is damaged: ${detail}. Nothing was changed; keep the file, restore it from a backup, and see \`supervisor verify\``,
    cause,
  );
}

/** An integer too large for JavaScript: Supervisor never wrote it. */
function isOutOfRange(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE';
}

function diskFull(file: string, cause: unknown): StoreError {
  return new StoreError(
    'disk_full',
    `disk full: the log ${file} could not grow; nothing half-written was kept. Free some space, then go on`,
    cause,
  );
}

function sqliteCode(error: unknown): number {
  return error !== null && typeof error === 'object' && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : 0;
}

/** Includes what to do about it: a stopped process never ends by itself. */
function whoLocks(file: string): string {
  const pids = lockHolders(file);
  if (pids.length === 0) return '; wait for it to end';
  const stopped = pids.filter(isStopped);
  const by = ` by pid ${pids.join(', ')}`;
  if (stopped.length === 0) return `${by}; wait for it to end`;
  return `${by}, and pid ${stopped.join(', ')} is stopped; let it go on (kill -CONT ${stopped.join(' ')}) or end it`;
}

/** On Linux, /proc/locks names process and inode. */
function lockHolders(file: string): string[] {
  try {
    const inodes = [file, `${file}-shm`].map((name) => String(statSync(name).ino));
    const pids = new Set<string>();
    for (const line of readFileSync('/proc/locks', 'utf8').split('\n')) {
      const match = /WRITE\s+(\d+)\s+\S+:\S+:(\d+)\s/.exec(line);
      if (
        match?.[1] !== undefined &&
        match[2] !== undefined &&
        inodes.includes(match[2]) &&
        Number(match[1]) !== process.pid
      )
        pids.add(match[1]);
    }
    return [...pids];
  } catch {
    return [];
  }
}

/** Stopped by a signal; a process under a debugger has another letter and other ways to continue. */
function isStopped(pid: string): boolean {
  try {
    return /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
