/** Tunnels: an allowed name is not enough, what goes through must be meant for it. */
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import type { AttemptProxy } from '../../src/engine/ports/egress.ts';
import { certificate } from './certificate.ts';
import { hello } from './hello-bytes.ts';
import { connectTo, get, Outside, say, stay } from './outside-server.ts';

/** A server of several sites at one address, as content networks have them: which one answers is told by the hello. */
class Sites implements AsyncDisposable {
  readonly #server: Server;
  /** What each connection asked for: the name of the hello. */
  readonly sites: string[] = [];
  /** All connections, whatever was said on them. */
  connections = 0;
  closed = 0;
  bytes = 0;

  constructor() {
    this.#server = createTlsServer({ ...certificate('good.test'), SNICallback: (_, done) => done(null) }, (socket) => {
      const { servername } = socket as TLSSocket & { readonly servername: string | false };
      this.sites.push(servername || 'none');
      socket.on('error', () => {});
      socket.end(`this is ${servername || 'none'}`);
    });
    this.#server.on('connection', (socket) => {
      this.connections += 1;
      socket.on('close', () => {
        this.bytes += socket.bytesRead;
        this.closed += 1;
      });
      socket.on('error', () => {});
    });
    this.#server.on('tlsClientError', () => {});
  }

  async start(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** What a program gets that speaks TLS over this connection, and says it means `servername`. */
function overTls(socket: ReturnType<typeof connect>, servername: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const secure = connectTls({ socket, servername, rejectUnauthorized: false });
    secure.on('data', (part) => {
      text += part;
    });
    secure.on('error', ({ message }) => resolve(text || `failed: ${message}`));
    secure.on('close', () => resolve(text || 'closed'));
  });
}

async function tunnel(proxy: AttemptProxy, target: string) {
  const socket = connect(proxy.socket);
  socket.on('error', () => {});
  socket.write(connectTo(target));
  const answer = await new Promise<string>((resolve) => socket.once('data', (part) => resolve(part.toString())));
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  return socket;
}

test('a tunnel to an allowed host does not lead to another one behind the same address', async () => {
  await using sites = new Sites();
  const port = await sites.start();
  await using outside = await Outside.start();
  await using proxy = await outside.open({ allow: [{ host: 'good.test', port, private: true }] });
  const target = `good.test:${port}`;

  // The control: without the proxy the very same words lead to the other site.
  expect(await overTls(connect(port, '127.0.0.1'), 'evil.test')).toBe('this is evil.test');
  expect(await overTls(await tunnel(proxy, target), 'good.test')).toBe('this is good.test');
  expect(await overTls(await tunnel(proxy, target), 'GOOD.test')).toMatch(/this is good\.test/i);
  expect(sites.sites.map((name) => name.toLowerCase())).toEqual(['evil.test', 'good.test', 'good.test']);

  await until(() => sites.closed === 3);
  const before = sites.bytes;
  for (const name of ['evil.test', 'good.test.evil.test', 'sub.good.test', ''])
    expect(await overTls(await tunnel(proxy, target), name), name).not.toContain('this is');
  expect(await say(proxy, connectTo(target) + get('/'))).toBe('HTTP/1.1 200 Connection established\r\n\r\n');
  expect(await say(proxy, Buffer.concat([Buffer.from(connectTo(target)), hello('good.test.')]))).toMatch(/\r\n\r\n$/);
  expect(sites.sites).toHaveLength(3);
  // Not a byte of it was passed on.
  await until(() => sites.closed === sites.connections);
  expect(sites).toMatchObject({ connections: 9, bytes: before });
  const told = proxy.report().decisions.map(({ allowed, reason, count }) => ({ allowed, reason, count }));
  expect(told).toEqual([
    { allowed: true, reason: null, count: 2 },
    { allowed: false, reason: 'the TLS hello is for another host (evil.test)', count: 1 },
    { allowed: false, reason: 'the TLS hello is for another host (good.test.evil.test)', count: 1 },
    { allowed: false, reason: 'the TLS hello is for another host (sub.good.test)', count: 1 },
    { allowed: false, reason: 'the TLS hello names no host (SNI)', count: 1 },
    { allowed: false, reason: 'the tunnel does not carry TLS', count: 1 },
    { allowed: false, reason: 'the TLS hello is for another host (good.test.)', count: 1 },
  ]);
});

test('a hello may come byte by byte; one that does not come, or never ends, is not waited for', async () => {
  const heard: Buffer[] = [];
  const server = createServer((socket) => socket.on('data', (bytes) => heard.push(bytes)).on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  // One proxy that waits for a hello, however slow the machine is, and one that does not.
  await using patient = await Outside.start({ times: { headMs: 120_000 } });
  await using hasty = await Outside.start({ times: { headMs: 500 } });
  const allow = [{ host: 'good.test', port, private: true }];
  await using proxy = await patient.open({ allow });
  await using closing = await hasty.open({ allow });
  try {
    const bytes = Buffer.concat([hello('good.test'), Buffer.from('and what comes after it')]);
    const slow = await tunnel(proxy, `good.test:${port}`);
    slow.setNoDelay(true);
    for (const byte of bytes) {
      slow.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => Buffer.concat(heard).equals(bytes));
    slow.destroy();

    const silent = await tunnel(closing, `good.test:${port}`);
    const half = await tunnel(closing, `good.test:${port}`);
    half.write(bytes.subarray(0, 40));
    const long = await tunnel(proxy, `good.test:${port}`);
    long.write(Buffer.concat([Buffer.from([22, 3, 1, 0x40, 0, 1, 0, 0xff, 0xff]), Buffer.alloc(100_000)]));
    await until(() => silent.closed && half.closed && long.closed);
    const cut = await tunnel(proxy, `good.test:${port}`);
    cut.end(bytes.subarray(0, 40));
    await until(() => cut.closed);
    expect(Buffer.concat(heard)).toHaveLength(bytes.length);
    const told = (of: typeof proxy) => of.report().decisions.map(({ reason, count }) => [reason, count]);
    expect(told(proxy)).toEqual([
      [null, 1],
      ['the TLS hello is too long', 1],
      ['the TLS hello was not finished', 1],
    ]);
    expect(told(closing)).toEqual([['no TLS hello came in time', 2]]);
  } finally {
    server.close();
  }
});

test('a silent tunnel is no attack, and one with a closed side does not last', async () => {
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => {}).resume());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await using outside = await Outside.start({ times: { halfOpenMs: 300 } });
  await using proxy = await outside.open({ allow: [{ host: 'good.test', port, private: true }] });
  try {
    const nothing = await stay(proxy);
    nothing.write(connectTo(`good.test:${port}`));
    await until(() => nothing.text().includes('200'));
    nothing.end();
    const half = await tunnel(proxy, `good.test:${port}`);
    half.end(hello('good.test'));
    await until(() => nothing.closed && half.closed);
    expect(proxy.report().decisions).toMatchObject([{ allowed: true, reason: null, count: 2 }]);
  } finally {
    server.close();
  }
});

async function until(done: () => boolean): Promise<void> {
  const end = Date.now() + 120_000;
  while (!done()) {
    if (Date.now() > end) throw new Error('it did not happen');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
