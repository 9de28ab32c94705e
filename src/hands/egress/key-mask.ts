/** Removes the operator's key from answers on the route: some servers repeat a key that they refuse. */
import { Transform, type TransformCallback } from 'node:stream';
import { formsOf } from '../../mind/secrets/known-values.ts';

/** Shorter values occur in ordinary text and are no secrets. */
const LEAST = 8;

export class KeyMask {
  readonly #secrets: readonly Buffer[];

  /** `values`: those of the added headers. Of `Bearer KEY` the key alone counts too. */
  constructor(values: readonly string[]) {
    const all = values.flatMap((value) => [value, ...value.split(/\s+/)]).filter((one) => one.length >= LEAST);
    const forms = new Set(all.flatMap(formsOf).filter((one) => one.length >= LEAST));
    this.#secrets = [...forms].map((one) => Buffer.from(one));
  }

  text(text: string): string {
    return this.#secrets.reduce((now, secret) => now.replaceAll(`${secret}`, '*'.repeat(secret.length)), text);
  }

  /** The mask is as long as the key, so that content lengths stay right. Holds back only bytes that may start a key. */
  stream(): Transform {
    let held: Buffer = Buffer.alloc(0);
    const secrets = this.#secrets;
    return new Transform({
      transform(chunk: Buffer, _, done: TransformCallback) {
        const data = masked(held.length === 0 ? chunk : Buffer.concat([held, chunk]), secrets);
        const keep = Math.max(0, ...secrets.map((secret) => beginning(data, secret)));
        held = Buffer.from(data.subarray(data.length - keep));
        done(null, data.subarray(0, data.length - keep));
      },
      flush(done: TransformCallback) {
        done(null, held);
      },
    });
  }
}

function masked(data: Buffer, secrets: readonly Buffer[]): Buffer {
  let own = data;
  for (const secret of secrets) {
    for (let at = own.indexOf(secret); at >= 0; at = own.indexOf(secret, at + secret.length)) {
      if (own === data) own = Buffer.from(data);
      own.fill('*', at, at + secret.length);
    }
  }
  return own;
}

/** How many of the last bytes are the start of the secret. */
function beginning(data: Buffer, secret: Buffer): number {
  const tail = data.subarray(Math.max(0, data.length - secret.length + 1));
  const [first = 0] = secret;
  for (let at = tail.indexOf(first); at >= 0; at = tail.indexOf(first, at + 1))
    if (tail.subarray(at).equals(secret.subarray(0, tail.length - at))) return tail.length - at;
  return 0;
}
