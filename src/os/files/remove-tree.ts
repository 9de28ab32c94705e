/** Removes a directory whatever it holds: links are removed, not followed; other file systems are not entered. */
import { chmodSync, lstatSync, readdirSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { bytePath } from './walk-tree.ts';

/** Directories with longer paths are first moved beside the root: the kernel takes no path of more than 4095 bytes. */
const MAX_PATH = 2000;
/** After so long, others get their turn. */
const TURN_MS = 4;

/** `root` must lie in a directory of ours: deep parts are moved to `<root>.deep-N` and removed there. */
export async function removeTree(root: string): Promise<void> {
  const roots = [root];
  const aside = () => {
    roots.push(`${root}.deep-${roots.length}`);
    return roots.at(-1) ?? '';
  };
  for (const one of roots) {
    const top = lstatSync(one, { throwIfNoEntry: false });
    if (top === undefined) continue;
    if (!top.isDirectory()) unlinkSync(one);
    else await removeDirectory(one, '', { device: top.dev, aside, turn: turns() });
  }
}

type Place = { readonly device: number; aside(): string; turn(): Promise<void> | undefined };

async function removeDirectory(root: string, path: string, place: Place): Promise<void> {
  const at = bytePath(root, path);
  const { mode, dev } = lstatSync(at);
  if (dev !== place.device) throw new Error(`${root}: holds a mount, which is not removed: unmount it first`);
  // Also needed to move it, because that rewrites its `..`.
  if ((mode & 0o700) !== 0o700) chmodSync(at, 0o700);
  if (path.length > MAX_PATH) return renameSync(at, place.aside());
  for (const found of readdirSync(at, { encoding: 'latin1', withFileTypes: true })) {
    const child = path === '' ? found.name : `${path}/${found.name}`;
    if (found.isDirectory()) await removeDirectory(root, child, place);
    else unlinkSync(bytePath(root, child));
    await place.turn();
  }
  rmdirSync(at);
}

function turns(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < TURN_MS) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
