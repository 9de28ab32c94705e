/** A project's state as plain data: maps with private fields would compare as equal whatever they hold. */
import { loadProject } from '../../src/engine/loading.ts';
import { type Store, THIS_HOST } from '../../src/engine/ports/store.ts';
import { soundHead } from '../../src/engine/verified-head.ts';
import { FACTS, PROJECT } from '../support/stores.ts';

/** What an engine sees when it opens a project, in the order in which it looks. */
export async function loadedState(store: Store): Promise<string> {
  await store.openProject(PROJECT, FACTS);
  const head = await soundHead(store, PROJECT);
  const host = await soundHead(store, THIS_HOST);
  const { project, sizes } = await loadProject(store, PROJECT);
  const versions = [...sizes].map(([stream, { version }]) => [stream, version]);
  return JSON.stringify({ head, host, project, versions }, plainMaps);
}

function plainMaps(_: string, value: unknown): unknown {
  return value instanceof Map ? [...value] : value;
}
