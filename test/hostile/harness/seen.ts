/** What a real run left to be looked at, all of it read from files and refs, nothing from the worker's word. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StoredEvent } from '../../../src/engine/ports/store.ts';
import { sha256 } from '../../../src/kernel/hash.ts';
import type { Result, World } from '../../support/cli.ts';

export type Settled = { readonly class: string; readonly reason: string };

export class Seen {
  readonly world: World;
  readonly result: Result;
  readonly events: readonly StoredEvent[];
  readonly connections: number;

  constructor(world: World, result: Result, events: readonly StoredEvent[], connections: number) {
    this.world = world;
    this.result = result;
    this.events = events;
    this.connections = connections;
  }

  // biome-ignore lint/suspicious/noExplicitAny: data of an event, as a reader of the log sees it
  of(type: string): any[] {
    return this.events.filter((event) => event.type.startsWith(`${type}.`)).map(({ data }) => data);
  }

  get attempts(): readonly Settled[] {
    return this.of('attempt.settled');
  }

  get status(): string {
    return this.of('task.closed').at(-1)?.status ?? 'not closed';
  }

  /** Gates that Supervisor ran, with what they found. */
  get gates(): readonly { readonly gate: string; readonly status: string }[] {
    return this.of('gate.reported');
  }

  get branch(): string {
    return this.of('task.closed').at(-1)?.branch ?? '';
  }

  /** Paths of the accepted commit, and one of its files. */
  get landed(): string[] {
    return this.world.git('ls-tree', '-r', '--name-only', this.branch).split('\n');
  }

  file(path: string): string {
    return this.world.git('show', `${this.branch}:${path}`);
  }

  /** The record of the last attempt: what Supervisor saw of it. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON as a reader sees it
  get record(): any {
    const hash = [...this.of('attempt.produced'), ...this.of('attempt.settled')]
      .map(({ record }) => record)
      .findLast((one) => one !== null);
    return JSON.parse(this.blob(hash));
  }

  /** What the worker of the last attempt was sent. Nothing was taken out of it for the log alone: the record has its hash. */
  get packet(): string {
    return this.packetOf(this.record);
  }

  packetOf({ packet, packet_sha256 }: { readonly packet: string; readonly packet_sha256: string }): string {
    const text = this.blob(packet);
    if (sha256(text) !== packet_sha256) throw new Error('what was stored is not what was sent');
    return text;
  }

  blob(hash: string): string {
    for (const path of databases(this.world.state)) {
      const db = new DatabaseSync(path, { readOnly: true });
      try {
        const row = db.prepare('SELECT content FROM blob WHERE hash = ?').get(Buffer.from(hash, 'hex'));
        const other = row ?? db.prepare('SELECT content FROM blob WHERE hash = ?').get(hash);
        if (other !== undefined) return String(other['content']);
      } finally {
        db.close();
      }
    }
    throw new Error(`there is no blob ${hash}`);
  }

  get transcripts(): string[] {
    return transcriptsOf(this.world);
  }
}

const transcriptsOf = ({ state }: World): string[] =>
  filesBelow(join(state, 'transcripts')).map((path) => readFileSync(path, 'utf8'));

/** Everything that workers have printed so far. */
export const said = (world: World): string => transcriptsOf(world).join('');

export const databases = (dir: string): string[] => filesBelow(dir).filter((path) => path.endsWith('.db'));

export function filesBelow(dir: string): string[] {
  try {
    return readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .map((name) => join(dir, name))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
  } catch {
    return [];
  }
}
