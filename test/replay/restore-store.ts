/**
 * Puts a kept state directory and its repository back, in a world of its own. A project is known by the path of its git
 * directory, and its anchors and refs by that of the state directory too: what holds such a name gets the new one, in the
 * form that 0.1.0 wrote. Events, projections, snapshots, receipts and blobs stay as they are, byte for byte.
 */
import { hash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { World } from '../support/cli.ts';

export const STORES = fileURLToPath(new URL('./stores/', import.meta.url));
/** Those with graphs in the middle of their way. */
export const GRAPH_STORES = fileURLToPath(new URL('./graph-stores/', import.meta.url));

const sha256 = (text: string): string => hash('sha256', text);

/** The columns of a project's row, in the order its seal takes them. */
const SEALED = [
  'id',
  'name',
  'path',
  'root',
  'seq',
  'hash',
  'time',
  'live',
  'token',
  'owner',
  'renewed',
  'ttl',
] as const;
type Row = Readonly<Record<(typeof SEALED)[number], string | number | Uint8Array | null>>;

export function restore(version: string, stores = STORES): World {
  const world = new World();
  const kept = join(stores, version);
  rmSync(world.repository, { recursive: true });
  mkdirSync(world.repository);
  // Users of sandboxes pass through the state directory; its anchors are private.
  mkdirSync(world.state, { mode: 0o711 });
  mkdirSync(join(world.state, 'anchors'), { mode: 0o700 });
  world.git('init', '-q', '-b', 'main');
  world.git('fetch', '-q', '--update-head-ok', join(kept, 'repository.bundle'), '+refs/*:refs/*');
  world.git('reset', '-q', '--hard', 'main');
  copyFileSync(join(kept, 'log.db'), join(world.state, 'log.db'));

  const id = `p-${sha256(join(world.repository, '.git')).slice(0, 16)}`;
  const before = renameProject(world, id);
  renameAnchor(join(kept, 'anchors', `${before}.head`), join(world.state, 'anchors', `${id}.head`), id);
  for (const line of world.git('for-each-ref', '--format=%(objectname) %(refname)', 'refs/supervisor').split('\n')) {
    const [object = '', ref = ''] = line.split(' ');
    const place = `${id}/${sha256(world.state).slice(0, 12)}`;
    world.git('update-ref', ref.replace(new RegExp(`${before}/[0-9a-f]{12}`), place), object);
    world.git('update-ref', '-d', ref);
  }
  return world;
}

function renameProject(world: World, id: string): string {
  using log = new DatabaseSync(join(world.state, 'log.db'));
  const row = log.prepare(`SELECT ${SEALED} FROM boundary WHERE name <> 'host'`).get() as Row;
  // The process that was killed died on this machine, before it was last started.
  const owner = row.owner === null ? null : JSON.stringify({ ...JSON.parse(String(row.owner)), host: hostname() });
  const renamed: Row = { ...row, name: id, path: world.repository, owner };
  const facts = SEALED.map((column) => {
    const fact = renamed[column];
    return fact instanceof Uint8Array ? Buffer.from(fact).toString('hex') : fact;
  });
  const seal = hash('sha256', JSON.stringify(facts), 'buffer').subarray(0, 8);
  log
    .prepare('UPDATE boundary SET name = ?, path = ?, owner = ?, seal = ? WHERE id = ?')
    .run(renamed.name, renamed.path, owner, seal, row.id);
  return String(row.name);
}

/** Two records, 4096 bytes apart, each with a checksum that covers the project's id. */
function renameAnchor(from: string, to: string, id: string): void {
  const bytes = readFileSync(from);
  for (const at of [0, 4096]) {
    const [, facts] = /^(supervisor head 1 \d+ [0-9a-f]{64} \d+) /.exec(bytes.toString('latin1', at, at + 256)) ?? [];
    if (facts === undefined) throw new Error(`no anchor at ${at} of ${from}`);
    bytes.write(`${facts} ${sha256(`${id} ${facts}`)}`, at, 'latin1');
  }
  writeFileSync(to, bytes, { mode: 0o600 });
}
