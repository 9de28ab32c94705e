/** The recorded histories, which event types occur in them, and how another one is kept. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { checkStretch, place, type Unplaced } from '../../src/engine/chain.ts';
import type { StoredEvent } from '../../src/engine/ports/store.ts';
import { GENESIS } from '../../src/kernel/hash.ts';
import { EVENTS, storedType } from '../../src/mind/domain/events/index.ts';
import { HOST } from '../../src/mind/domain/stream-name.ts';
import { endsOf, type History, stateHash } from './state-hash.ts';

export const HISTORIES = fileURLToPath(new URL('./histories/', import.meta.url));
/** Written once with the history, and edited just as little. */
export const ENDS = fileURLToPath(new URL('./ends/', import.meta.url));
/** Where an empty log ends. */
export const START = { seq: 0, hash: GENESIS, time: 0 };

export const readHistory = (name: string): History => JSON.parse(readFileSync(HISTORIES + name, 'utf8')) as History;

/** Declared event types, as they are stored today, that occur in no recorded history. */
export function unrecorded(): string[] {
  const histories = readdirSync(HISTORIES).map(readHistory);
  const recorded = new Set(histories.flatMap(({ events, host = [] }) => [...events, ...host].map(({ type }) => type)));
  return EVENTS.map(({ type }) => storedType(type)).filter((type) => !recorded.has(type));
}

/** Keeps a history under a name that is not taken: a recorded one is for ever. */
export function keep(name: string, note: string, logs: Pick<Required<History>, 'events' | 'host'>): void {
  const file = `${HISTORIES}${name}.json`;
  if (existsSync(file)) throw new Error(`${name} is recorded already: histories are for ever`);
  const end = checkStretch(START, logs.events);
  if (!('hash' in end)) throw new Error(`${name}: ${end.problem}`);
  const history: History = { note, state: stateHash(logs), head: end.hash, ...logs };
  writeFileSync(file, `${JSON.stringify(history, null, 1)}\n`);
  writeFileSync(`${ENDS}${name}.json`, `${JSON.stringify(endsOf(logs), null, 1)}\n`);
}

/** Gives events their places, those of the host in a log of their own. */
export function placed(events: readonly Unplaced[]): { events: StoredEvent[]; host: StoredEvent[] } {
  const chained = (some: readonly Unplaced[]) => place(START, some, () => 0).placed;
  return {
    events: chained(events.filter(({ stream }) => stream !== HOST)),
    host: chained(events.filter(({ stream }) => stream === HOST)),
  };
}
