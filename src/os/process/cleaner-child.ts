/** Deletes everything in the given directory (cleaner.ts), at the lowest priority, and ends. */
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { namesIn } from '../files/names-in.ts';
import { removeTree } from '../files/remove-tree.ts';

const [dir = ''] = process.argv.slice(2);
setPriority(constants.priority.PRIORITY_LOW);
// An entry that cannot be deleted must not stop the others.
for (const name of dir === '' ? [] : namesIn(dir)) await removeTree(join(dir, name)).catch(() => {});
