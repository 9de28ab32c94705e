/** Reads the branches that tasks land on, with their landing queues. */
import { loadStream } from '../engine/loading.ts';
import type { RowCursor, RowPage, Store } from '../engine/ports/store.ts';
import type { ProjectId } from '../kernel/ids.ts';
import type { Line } from '../mind/domain/line.ts';
import { EMPTY_PROJECT } from '../mind/domain/project.ts';
import { streamId } from '../mind/domain/stream-name.ts';

const PAGE = 100;

/** Every branch with tasks that landed or wait; latest change first. */
export async function readLines(store: Store, project: ProjectId): Promise<readonly Line[]> {
  const lines: Line[] = [];
  let after: RowCursor | null = null;
  do {
    const page: RowPage = await store.rows(project, { kind: 'line', order: 'updated', limit: PAGE, after });
    for (const { stream } of page.rows) {
      const loaded = (await loadStream(store, project, stream, EMPTY_PROJECT)).project;
      const line = loaded.lines.get(streamId(stream));
      if (line !== undefined) lines.push(line);
    }
    after = page.next;
  } while (after !== null);
  return lines;
}
