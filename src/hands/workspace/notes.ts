/**
 * Notes about locks that git is about to take in the user's repository. A killed git leaves its locks, and the file
 * alone does not show whose it was. A lock is ours if a dead process's note names it and no living git can hold it.
 */

import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { namesIn } from '../../os/files/names-in.ts';
import { isGitAliveSince, waitForGitsIn } from '../../os/git/running.ts';
import { isAlive, thisProcess } from '../../os/machine/identity.ts';
import type { GitContext } from './context.ts';

type Locks = {
  /** Below the git directory. `id` is what git writes into the lock of a ref; null for other locks. */
  readonly files: readonly { readonly path: string; readonly id: string | null }[];
  /** Receives a pack, under names that only git knows. */
  readonly pack: boolean;
};

type LockNote = Locks & { readonly at: number; readonly writer: ReturnType<typeof thisProcess> };

export const refLock = (ref: string, id: string): Locks['files'][number] => ({ path: `${ref}.lock`, id });

/** Not synced: a power cut may lose the note; then the user is told about the lock instead. */
export async function noted<T>(context: GitContext, locks: Locks, work: () => Promise<T>): Promise<T> {
  const dir = join(context.privateDir, 'notes');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const note: LockNote = { ...locks, at: Date.now(), writer: thisProcess() };
  const path = join(dir, `${process.pid}-${crypto.randomUUID()}.json`);
  writeFileSync(path, JSON.stringify(note));
  try {
    return await work();
  } finally {
    // After a failure too: a git that was not killed cleans up itself.
    rmSync(path, { force: true });
  }
}

/** What killed gits of our dead processes left in the user's repository. */
export function leftovers(context: GitContext): string[] {
  return deadNotes(context).flatMap(({ note }) => leftBy(context, note));
}

/** A killed git first finishes its current system call, which may make a file. */
const DYING_MS = 500;

/** Removes leftovers, and the notes that this settles. */
export function settle(context: GitContext): void {
  const dead = deadNotes(context);
  // Wait until git has ended: later writes would be missed, and no note would name them.
  const isQuiet = dead.every(({ note }) => note === null) || waitForGitsIn(context.commonDir, DYING_MS);
  for (const { path, note } of dead) {
    for (const file of note === null ? [] : leftBy(context, note)) rmSync(file, { force: true });
    if (note === null || (isQuiet && !mayBeHeld(context, note))) rmSync(path, { force: true });
  }
}

/** A null note was truncated, so its work had not begun. */
function deadNotes({ privateDir }: GitContext): { path: string; note: LockNote | null }[] {
  const dir = join(privateDir, 'notes');
  return namesIn(dir).flatMap((name) => {
    const path = join(dir, name);
    const note = parse(path);
    return note !== null && isAlive(note.writer) ? [] : [{ path, note }];
  });
}

function parse(path: string): LockNote | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as LockNote;
  } catch {
    return null;
  }
}

function leftBy(context: GitContext, note: LockNote | null): string[] {
  return note === null
    ? []
    : candidates(context, note)
        .filter(({ changed }) => !isGitAliveSince(changed))
        .map(({ path }) => path);
}

const mayBeHeld = (context: GitContext, note: LockNote): boolean => candidates(context, note).length > 0;

/** Files that the noted work may have left: with its time and its content. */
function candidates({ commonDir }: GitContext, note: LockNote): { path: string; changed: number }[] {
  const packs = join(commonDir, 'objects', 'pack');
  const found = namesIn(packs);
  const all = [
    ...note.files.map(({ path, id }) => ({ path: join(commonDir, path), id })),
    ...(note.pack ? found.filter((name) => isHalfPack(name, found)) : []).map((name) => ({
      path: join(packs, name),
      id: name.endsWith('.keep') ? '' : null,
    })),
  ];
  return all.flatMap(({ path, id }) => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    // File times lag a little behind the clock of processes.
    if (!stat?.isFile() || stat.ctimeMs < note.at - 20) return [];
    if (id !== null && stat.size > 0 && readFileSync(path, 'utf8').trim() !== id) return [];
    return [{ path, changed: stat.ctimeMs }];
  });
}

/** Temporary files, an empty `.keep`, and a pack without its index: git itself never uses them. */
function isHalfPack(name: string, all: readonly string[]): boolean {
  if (/^tmp_(pack|idx|rev)_/.test(name)) return true;
  return /^pack-[0-9a-f]+\.(keep|pack|rev)$/.test(name) && !all.includes(`${basename(name).replace(/\.\w+$/, '')}.idx`);
}
