/**
 * Parses the start of TLS as far as it names the host. A tunnel to an allowed host leads to a machine that may serve
 * others too; this name picks one. Anything that cannot be parsed for certain is refused.
 */
type Hello =
  /** `need`: how many bytes must arrive before parsing can go on. */
  | { readonly type: 'more'; readonly need: number }
  | { readonly type: 'hello'; readonly name: string }
  | { readonly type: 'refused'; readonly reason: string };

/** Today's have two thousand bytes, with resumed sessions some thousand more. */
const MAX_HELLO = 16 << 10;
/** A record may hold one byte; no real client sends more of them than this. */
const MAX_RECORDS = 256;
/** The most bytes that are ever parsed. */
export const MAX_CLIENT_HELLO = MAX_HELLO + 5 * MAX_RECORDS;

const RECORD_HEAD = 5;
const MAX_RECORD = 1 << 14;
const HANDSHAKE = 22;
const CLIENT_HELLO = 1;

export function readClientHello(bytes: Uint8Array): Hello {
  const message: number[] = [];
  let at = 0;
  for (let records = 0; records < MAX_RECORDS; records += 1) {
    const head = bytes.subarray(at, at + RECORD_HEAD);
    if ((head[0] ?? HANDSHAKE) !== HANDSHAKE || (head[1] ?? 3) !== 3) return refused('the tunnel does not carry TLS');
    if (head.length < RECORD_HEAD) return more(at + RECORD_HEAD);
    const length = two(head, 3);
    if (length === 0 || length > MAX_RECORD) return refused('the TLS hello is malformed');
    at += RECORD_HEAD;
    const part = bytes.subarray(at, at + length);
    for (const byte of part) message.push(byte);
    const size = message.length < 4 ? null : 4 + (message[1] ?? 0) * 65_536 + two(message, 2);
    if ((message[0] ?? CLIENT_HELLO) !== CLIENT_HELLO) return refused('the tunnel does not begin with a TLS hello');
    if (size !== null && size > MAX_HELLO) return refused('the TLS hello is too long');
    if (size !== null && message.length >= size) return nameIn(Uint8Array.from(message.slice(4, size)));
    const missing = (size ?? 4) - message.length;
    if (part.length < length) return more(at + Math.min(length, part.length + missing));
    at += length;
  }
  return refused('the TLS hello is cut into too many pieces');
}

/** Reads fields; `ok` is false once one went beyond the end. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;
  ok = true;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  take(size: number): Uint8Array {
    if (size > this.left) this.ok = false;
    const taken = this.#bytes.subarray(this.#at, this.#at + size);
    this.#at += taken.length;
    return taken;
  }

  /** A number of one or two bytes. */
  number(width: 1 | 2): number {
    const taken = this.take(width);
    return width === 1 ? (taken[0] ?? 0) : two(taken, 0);
  }

  /** A field that starts with its own length. */
  field(width: 1 | 2): Uint8Array {
    return this.take(this.number(width));
  }
}

const SERVER_NAME = 0;
/** Encrypted names, in the current form and an older one. */
const HIDDEN = [0xfe0d, 0xffce];

function nameIn(hello: Uint8Array): Hello {
  const reader = new Reader(hello);
  reader.take(2 + 32);
  reader.field(1);
  reader.field(2);
  reader.field(1);
  if (!reader.ok) return MALFORMED;
  if (reader.left === 0) return NAMELESS;
  const extensions = new Reader(reader.field(2));
  if (!reader.ok || reader.left > 0) return MALFORMED;
  const names: Uint8Array[] = [];
  while (extensions.left > 0) {
    const kind = extensions.number(2);
    const body = extensions.field(2);
    if (!extensions.ok) return MALFORMED;
    // The outer name would be the allowed one, and the inner one any other on the same machine.
    if (HIDDEN.includes(kind)) return refused('the TLS hello hides a name (ECH)');
    if (kind === SERVER_NAME) names.push(body);
  }
  const [list] = names;
  if (list === undefined) return NAMELESS;
  return names.length > 1 ? MALFORMED : onlyName(list);
}

/** Servers take the first or the last of several names, so only one is allowed. */
function onlyName(list: Uint8Array): Hello {
  const outer = new Reader(list);
  const inner = new Reader(outer.field(2));
  const kind = inner.number(1);
  const name = inner.field(2);
  if (!outer.ok || !inner.ok || outer.left > 0 || inner.left > 0 || kind !== 0 || name.length === 0) return MALFORMED;
  if (name.length > 255 || name.some((byte) => byte <= 0x20 || byte >= 0x7f)) return MALFORMED;
  return { type: 'hello', name: String.fromCharCode(...name).toLowerCase() };
}

const two = (bytes: ArrayLike<number>, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);

const more = (need: number): Hello => ({ type: 'more', need });
const refused = (reason: string): Hello => ({ type: 'refused', reason });
const MALFORMED = refused('the TLS hello is malformed');
const NAMELESS = refused('the TLS hello names no host (SNI)');
