/** Walks trees without following links, and gives way to other work of this process. */
import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';

const SLICE_MS = 5;

type Visitor = {
  /** Returns false to end the walk. */
  visit(path: Buffer, stat: Stats): boolean;
  /** Called for an unreadable entry; returns false to end the walk. */
  failed(error: NodeJS.ErrnoException): boolean;
};

/** Paths are bytes: a name need not be text, and one that is not must not hide what is below it. */
export async function walk(roots: readonly string[], { visit, failed }: Visitor): Promise<void> {
  // Strings with one character per byte, because those are cheap to join.
  const stack = roots.map((root) => Buffer.from(root).toString('latin1'));
  let slice = performance.now();
  for (let name = stack.pop(); name !== undefined; name = stack.pop()) {
    if (performance.now() - slice > SLICE_MS) {
      await breathe();
      slice = performance.now();
    }
    const path = Buffer.from(name, 'latin1');
    try {
      const stat = lstatSync(path);
      if (!visit(path, stat)) return;
      if (stat.isDirectory()) for (const below of readdirSync(path, 'latin1')) stack.push(`${name}/${below}`);
    } catch (error) {
      if (!failed(error as NodeJS.ErrnoException)) return;
    }
  }
}
