/**
 * Removes a directory whatever it holds: links are removed, not followed; other file systems are not entered. Two
 * processes may remove the same one: a missing entry is no error.
 */
import { chmodSync, type Dirent, lstatSync, readdirSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { bytePath } from './walk-tree.ts';

/** Directories with longer paths are first moved beside the root: the kernel takes no path of more than 4095 bytes. */
const MAX_PATH = 2000;
/** After this time other work gets a turn. */
const TURN_MS = 4;

/**
 * `root` must lie in a directory of ours: deep parts are moved to `<root>.deep-N` and removed there. If the signal is
 * aborted it stops with an AbortError, and the rest stays.
 */
export async function removeTree(root: string, signal?: AbortSignal): Promise<void> {
  const roots = [root];
  const aside = () => {
    roots.push(`${root}.deep-${roots.length}`);
    return roots.at(-1) ?? '';
  };
  for (const one of roots) {
    const top = lstatSync(one, { throwIfNoEntry: false });
    if (top === undefined) continue;
    if (!top.isDirectory()) unlessGone(() => unlinkSync(one));
    else await removeDirectory(one, '', { device: top.dev, aside, turn: turns(signal) });
  }
}

type RemovalContext = { readonly device: number; aside(): string; turn(): Promise<void> | undefined };

async function removeDirectory(root: string, path: string, place: RemovalContext): Promise<void> {
  const at = bytePath(root, path);
  const found = unlessGone(() => opened(root, at, place.device));
  if (found === undefined) return;
  if (path.length > MAX_PATH) return unlessGone(() => renameSync(at, place.aside()));
  for (const one of found) {
    const child = path === '' ? one.name : `${path}/${one.name}`;
    if (one.isDirectory()) await removeDirectory(root, child, place);
    else unlessGone(() => unlinkSync(bytePath(root, child)));
    await place.turn();
  }
  unlessGone(() => rmdirSync(at));
}

/** Lists a directory, after making it writable. */
function opened(root: string, at: ReturnType<typeof bytePath>, device: number): Dirent[] {
  const { mode, dev } = lstatSync(at);
  if (dev !== device) throw new Error(`${root}: holds a mount, which is not removed: unmount it first`);
  // Also needed to move it, because that rewrites its `..`.
  if ((mode & 0o700) !== 0o700) chmodSync(at, 0o700);
  return readdirSync(at, { encoding: 'latin1', withFileTypes: true });
}

/** Undefined if another process was faster. */
function unlessGone<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

function turns(signal?: AbortSignal): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    signal?.throwIfAborted();
    if (performance.now() - since < TURN_MS) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
