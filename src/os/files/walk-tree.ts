/** Lists what is below a directory by `lstat` alone: opens nothing, follows no link, level by level. */
import { chmodSync, lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

type EntryKind = 'file' | 'directory' | 'link' | 'device' | 'fifo' | 'socket';

/** Paths and targets are byte strings (one character per byte, "latin1"): names need not be UTF-8. */
export type FileEntry = {
  readonly path: string;
  readonly kind: EntryKind;
  readonly size: number;
  readonly links: number;
  /** Where a link points. */
  readonly target: string;
};

export type WalkOptions = {
  /** Chooses which of these directories (all of one level) to enter; `found` has the entries so far. */
  enter(directories: readonly string[], found: readonly FileEntry[]): Promise<Iterable<string>>;
  readonly maxEntries: number;
};

type Walked =
  | { readonly type: 'walked'; readonly entries: readonly FileEntry[] }
  | { readonly type: 'too_many'; readonly at: string }
  | { readonly type: 'unreadable'; readonly path: string; readonly code: string };

/** The kernel does not take longer ones in one piece (PATH_MAX is 4096). */
const MAX_PATH = 4000;
/** After this many entries other work gets a turn: about 2 ms (measured 2026-11). */
const TURN = 500;

export async function walkTree(root: string, options: WalkOptions): Promise<Walked> {
  const entries: FileEntry[] = [];
  let level = [''];
  while (level.length > 0) {
    const directories: string[] = [];
    for (const directory of level) {
      try {
        makeReadable(root, directory);
        for (const name of readdirSync(bytePath(root, directory), { encoding: 'latin1' })) {
          const path = directory === '' ? name : `${directory}/${name}`;
          if (entries.length >= options.maxEntries) return { type: 'too_many', at: path };
          if (root.length + path.length > MAX_PATH) return { type: 'unreadable', path, code: 'ENAMETOOLONG' };
          const entry = entryAt(root, path);
          entries.push(entry);
          if (entry.kind === 'directory') directories.push(path);
          if (entries.length % TURN === 0) await setImmediate();
        }
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === undefined) throw error;
        return { type: 'unreadable', path: directory, code };
      }
    }
    level = [...(await options.enter(directories, entries))];
  }
  return { type: 'walked', entries };
}

/** A path whose relative part is a byte string. */
export function bytePath(root: string, path: string): string | Buffer {
  if (path === '') return root;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  if (/^[\x00-\x7f]*$/.test(path)) return `${root}/${path}`;
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
}

function entryAt(root: string, path: string): FileEntry {
  const at = bytePath(root, path);
  const stat = lstatSync(at);
  const kind = kindOf(stat);
  // The owner can remove the read permission. Only root can still read then, but the owner may grant it again.
  if (kind === 'file' && (stat.mode & 0o400) === 0 && !isRoot()) chmodSync(at, (stat.mode & 0o777) | 0o400);
  const target = kind === 'link' ? readlinkSync(at, { encoding: 'latin1' }) : '';
  return { path, kind, size: stat.size, links: stat.nlink, target };
}

function makeReadable(root: string, directory: string): void {
  if (isRoot()) return;
  const at = bytePath(root, directory);
  const stat = lstatSync(at);
  if (stat.isDirectory() && (stat.mode & 0o700) !== 0o700) chmodSync(at, (stat.mode & 0o777) | 0o700);
}

function kindOf(stat: Stats): EntryKind {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'directory';
  if (stat.isSymbolicLink()) return 'link';
  if (stat.isFIFO()) return 'fifo';
  return stat.isSocket() ? 'socket' : 'device';
}

const isRoot = (): boolean => process.geteuid?.() === 0;
