/** TLS hellos, byte by byte, and real ones. */

import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';

const two = (value: number) => Buffer.from([value >> 8, value & 0xff]);
const field = (bytes: Buffer) => Buffer.concat([two(bytes.length), bytes]);
export const extension = (kind: number, body: Buffer): Buffer => Buffer.concat([two(kind), field(body)]);
export const serverName = (...names: string[]): Buffer =>
  extension(
    0,
    field(Buffer.concat(names.map((name) => Buffer.concat([Buffer.from([0]), field(Buffer.from(name, 'latin1'))])))),
  );

/** The handshake message, without a record around it. */
export function helloMessage(extensions: readonly Buffer[] | null, session = 32): Buffer {
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 7),
    Buffer.from([session]),
    Buffer.alloc(session, 9),
    field(Buffer.from([0x13, 0x01, 0x13, 0x02])),
    Buffer.from([1, 0]),
    ...(extensions === null ? [] : [field(Buffer.concat([...extensions]))]),
  ]);
  return Buffer.concat([Buffer.from([1, body.length >> 16]), two(body.length & 0xffff), body]);
}

/** Cut into records of so many bytes each. */
export function records(message: Buffer, size = 1 << 14): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < message.length; at += size)
    parts.push(Buffer.from([22, 3, 1]), field(message.subarray(at, at + size)));
  return Buffer.concat(parts);
}

export const hello = (...names: string[]): Buffer =>
  records(helloMessage([extension(43, Buffer.from([2, 3, 4])), ...(names.length === 0 ? [] : [serverName(...names)])]));

/** What Node itself says first. */
export function realHello(servername: string): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = new Duplex({
      read() {},
      write(bytes: Buffer, _, done) {
        resolve(bytes);
        done();
      },
    });
    connectTls({ socket, servername, ALPNProtocols: ['h2', 'http/1.1'] }).on('error', () => {});
  });
}
