/**
 * One index over all packs of the user's repository. Every transfer leaves a small pack there, two for each attempt, and
 * every git looks into all of them: with 600 each takes 5 ms longer, with this index 1 (measured 2026-11). It is git's own
 * and takes nothing away; the user's gc, which joins the packs, deletes it.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../../os/files/names-in.ts';
import { tryGit } from '../../os/git/git.ts';
import { type Context, inUserRepository } from './context.ts';
import { noted } from './notes.ts';
import { keepFiles, removeKeeps } from './pins.ts';

/** What was transferred by that name is pinned now, and needs no `.keep` any more. */
export function release(context: Context, name: string): void {
  removeKeeps(keepFiles(context, name));
  const { known, limits } = context;
  const packs = namesIn(packsOf(context)).filter((file) => file.endsWith('.pack'));
  // Fewer than before: the user's gc was there.
  if (packs.length < known.packsTried) known.packsTried = 0;
  if (packs.length - known.packsTried < limits.packs || packs.length - indexed(context) < limits.packs) return;
  known.packsTried = packs.length;
  // If it can not be made, then with as many more.
  context.background.add(index(context).catch(() => {}));
}

const packsOf = ({ commonDir }: Context): string => join(commonDir, 'objects', 'pack');

/** How many packs the index is of, as its first bytes say: `MIDX`, four of one byte each, then the number. */
function indexed(context: Context): number {
  const head = Buffer.alloc(12);
  try {
    const fd = openSync(join(packsOf(context), INDEX), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      return readSync(fd, head) === head.length && head.toString('latin1', 0, 4) === 'MIDX' ? head.readUInt32BE(8) : 0;
    } finally {
      closeSync(fd);
    }
  } catch {
    return 0;
  }
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
const INDEX = 'multi-pack-index';

function index(context: Context): Promise<unknown> {
  const lock = { path: join('objects', 'pack', `${INDEX}.lock`), id: null };
  return noted(context, { files: [lock], pack: false }, () =>
    tryGit([INDEX, 'write', '--no-progress'], inUserRepository(context)),
  );
}
