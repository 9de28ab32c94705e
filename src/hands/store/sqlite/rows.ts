/** Converts rows and checks their seals: a row that does not match its seal is damage and never an answer. */
import { hash } from 'node:crypto';
import type {
  BlobState,
  Head,
  InboxRow,
  ProcessIdentity,
  Receipt,
  StoredEvent,
  StreamRow,
} from '../../../engine/ports/store.ts';
import { sha256 } from '../../../kernel/hash.ts';
import type { Json } from '../../../kernel/json.ts';

export type BoundaryRow = {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly root: string | null;
  readonly seq: number;
  readonly hash: Uint8Array;
  readonly time: number;
  readonly live: number;
  readonly token: number;
  readonly owner: string | null;
  readonly renewed: number;
  readonly ttl: number;
  readonly seal: Uint8Array;
};
export type EventRow = Omit<StoredEvent, 'data' | 'hash'> & { readonly data: string; readonly hash: Uint8Array };
export type SnapshotRow = {
  readonly boundary: number;
  readonly stream: string;
  readonly version: number;
  readonly reducer: number;
  readonly state: string;
  readonly seal: Uint8Array;
};
export type InboxTableRow = {
  readonly boundary: number;
  readonly id: string;
  readonly actor: string;
  readonly command: string;
  readonly seal: Uint8Array;
};
export type ReceiptRow = {
  readonly boundary: number;
  readonly id: string;
  readonly seq: number;
  readonly rejection: string | null;
  readonly time: number;
  readonly seal: Uint8Array;
};
export type BlobRow = {
  readonly hash: Uint8Array;
  readonly content: string | null;
  readonly forgotten: string | null;
  readonly seal: Uint8Array | null;
};
export type StreamTableRow = Omit<StreamRow, 'stream' | 'live' | 'asks' | 'summary'> & {
  readonly name: string;
  readonly live: number;
  readonly asks: number;
  readonly summary: string;
};

/** The file holds something that Supervisor did not write. */
export class Damage extends Error {
  override readonly name = 'Damage';
}

type SealedColumn = string | number | null;

/** UTF-8 does not keep half a surrogate pair, so the seal leaves it out too. */
function sealOf(...facts: readonly SealedColumn[]): Uint8Array {
  const text = JSON.stringify(facts.map((fact) => (typeof fact === 'string' ? fact.toWellFormed() : fact)));
  return hash('sha256', text, 'buffer').subarray(0, 8);
}

export const boundarySeal = (row: Omit<BoundaryRow, 'seal'>): Uint8Array =>
  sealOf(
    row.id,
    row.name,
    row.path,
    row.root,
    row.seq,
    hex(row.hash),
    row.time,
    row.live,
    row.token,
    row.owner,
    row.renewed,
    row.ttl,
  );
export const snapshotSeal = (row: Omit<SnapshotRow, 'seal'>): Uint8Array =>
  sealOf(row.boundary, row.stream, row.version, row.reducer, row.state);
export const inboxSeal = (row: Omit<InboxTableRow, 'seal'>): Uint8Array =>
  sealOf(row.boundary, row.id, row.actor, row.command);
export const receiptSeal = (row: Omit<ReceiptRow, 'seal'>): Uint8Array =>
  sealOf(row.boundary, row.id, row.seq, row.rejection, row.time);
export const tombstoneSeal = (blob: string, reason: string): Uint8Array => sealOf(blob, reason);

export function soundBoundary(row: BoundaryRow): BoundaryRow {
  return sealed(row, boundarySeal(row), `the head of ${row.name}`);
}

export function soundSnapshot(row: SnapshotRow): SnapshotRow {
  return sealed(row, snapshotSeal(row), `the snapshot of ${row.stream}`);
}

export function soundInbox(row: InboxTableRow): InboxRow {
  const { id, actor, command } = sealed(row, inboxSeal(row), `command ${row.id}`);
  return { id, actor, command: parsed(`command ${id}`, command) };
}

export function soundReceipt(row: ReceiptRow): Receipt {
  const { id, seq, rejection } = sealed(row, receiptSeal(row), `the answer to ${row.id}`);
  return {
    id,
    seq,
    rejection: rejection === null ? null : (parsed(`the answer to ${id}`, rejection) as Receipt['rejection']),
  };
}

export function soundBlob(row: BlobRow): BlobState {
  const name = hex(row.hash);
  if (row.content !== null) {
    if (sha256(row.content) !== name) throw new Damage(`blob ${name} does not match its hash`);
    return { type: 'content', content: row.content };
  }
  const reason = row.forgotten ?? '';
  sealed(row, tombstoneSeal(name, reason), `the tombstone of blob ${name}`);
  return { type: 'forgotten', reason };
}

function sealed<Row extends { readonly seal: Uint8Array | null }>(row: Row, seal: Uint8Array, what: string): Row {
  if (Buffer.compare(blobOf(row.seal), seal) !== 0) throw new Damage(`${what} does not match its seal`);
  return row;
}

export const bytes = (text: string): Uint8Array => Buffer.from(text, 'hex');
export const hex = (blob: Uint8Array): string => Buffer.from(blobOf(blob)).toString('hex');
const blobOf = (value: unknown): Uint8Array => {
  if (value instanceof Uint8Array) return value;
  throw new Damage('a seal or hash is missing');
};

export const headOf = (row: BoundaryRow): Head => ({ seq: row.seq, hash: hex(row.hash), time: row.time });
export const ownerOf = (row: BoundaryRow): ProcessIdentity | null =>
  row.owner === null ? null : (parsed('a lease', row.owner) as ProcessIdentity);

export function eventOf(row: EventRow): StoredEvent {
  const { seq, stream, version, type, actor, cause, trace, time } = row;
  return {
    seq,
    stream,
    version,
    type,
    data: parsed(`event ${seq}`, row.data),
    actor,
    cause,
    trace,
    time,
    hash: hex(row.hash),
  };
}

export function streamRowOf(row: StreamTableRow): StreamRow {
  const { name: stream, version, kind, status, parent, line, updated, rank } = row;
  const flags = { live: row.live === 1, asks: row.asks === 1 };
  const summary = parsed(`the list entry of ${stream}`, row.summary);
  return { stream, version, ...flags, kind, status, parent, line, updated, rank, summary };
}

function parsed(what: string, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new Damage(`${what} cannot be read`, { cause });
  }
}
