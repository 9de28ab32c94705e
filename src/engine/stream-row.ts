/** The projection row of a stream. It depends on state alone, so it can always be rebuilt from the log. */
import type { Json } from '../kernel/json.ts';
import type { Project } from '../mind/domain/project.ts';
import { streamKind } from '../mind/domain/stream-name.ts';
import { rowOf } from '../mind/domain/streams.ts';
import type { StreamRow } from './ports/store.ts';

export function streamRow(project: Project, stream: string, version: number): StreamRow {
  const row = rowOf(project, stream);
  return { ...row, stream, version, kind: streamKind(stream), summary: row.summary as Json };
}
