/** Where a log ends, believed only when the last event says the same: nothing is ever built on a damaged or cut log. */
import { GENESIS } from '../kernel/hash.ts';
import { type Boundary, type Head, type Store, StoreError } from './ports/store.ts';

export async function soundHead(store: Store, boundary: Boundary): Promise<Head> {
  const head = await store.head(boundary);
  const [last] = head.seq === 0 ? [] : await store.readLog(boundary, head.seq - 1, 1);
  const sound = head.seq === 0 ? head.hash === GENESIS : last?.seq === head.seq && last.hash === head.hash;
  if (sound) return head;
  const found = last === undefined ? 'is missing' : 'is another one';
  throw new StoreError(
    'corrupt',
    `the log of ${boundary} is damaged: it should end with event ${head.seq}, which ${found}. Nothing was changed; keep the file, restore it from a backup, and see \`supervisor verify\``,
  );
}
