/** The landing queues of a project, from the log. */
import { loadStream } from '../engine/loading.ts';
import type { Store } from '../engine/ports/store.ts';
import type { ProjectId } from '../kernel/ids.ts';
import type { Line } from '../mind/domain/line.ts';
import { EMPTY_PROJECT } from '../mind/domain/project.ts';
import { streamId } from '../mind/domain/stream-name.ts';

const PAGE = 100;

/** Every branch that tasks have landed on or wait for; the one that changed last comes first. */
export async function readLines(store: Store, project: ProjectId): Promise<readonly Line[]> {
  const lines: Line[] = [];
  let after = null as Awaited<ReturnType<Store['rows']>>['next'];
  do {
    const page = await store.rows(project, {
      kind: 'line',
      order: 'updated',
      limit: PAGE,
      ...(after === null ? {} : { after }),
    });
    for (const { stream } of page.rows) {
      const { project: loaded } = await loadStream(store, project, stream, EMPTY_PROJECT);
      const line = loaded.lines.get(streamId(stream));
      if (line !== undefined) lines.push(line);
    }
    after = page.next;
  } while (after !== null);
  return lines;
}
