/** Much at once: what one proxy takes of descriptors and memory is bounded, and running out of them does not end Supervisor. */
import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { EventEmitter } from 'node:events';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { hello } from './hello-bytes.ts';
import { connectTo, get, Outside, say } from './outside-server.ts';

const PROGRAM = fileURLToPath(new URL('load-program.ts', import.meta.url));
const MIB = 1 << 20;

type Facts = { readonly fds: number; readonly rss: number };

/** The program, and what it says of itself; with at most so many descriptors. */
class Apart implements AsyncDisposable {
  readonly #child;
  readonly #lines: AsyncIterator<string>;
  readonly #clients: Socket[] = [];
  socket = '';

  constructor(dir: string, port: number, { naive = false, most = 4096 } = {}) {
    const words = [process.execPath, PROGRAM, join(dir, 'd'), `${port}`, ...(naive ? ['naive'] : [])];
    const limited = ['-c', `ulimit -n ${most}; exec "$@"`, 'sh', ...words];
    this.#child = spawn('sh', limited, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  static async start(...args: ConstructorParameters<typeof Apart>): Promise<Apart> {
    const apart = new Apart(...args);
    apart.socket = (await apart.#line<{ socket: string }>()).socket;
    return apart;
  }

  facts(): Promise<Facts> {
    this.#child.stdin.write('\n');
    return this.#line();
  }

  /** Says this on new connections, and reads nothing of what is answered. */
  say(count: number, bytes: string | Buffer): Socket[] {
    const made = Array.from({ length: count }, () => {
      const client = connect(this.socket);
      client.on('error', () => {});
      client.write(bytes);
      return client.pause();
    });
    this.#clients.push(...made);
    return made;
  }

  async #line<T>(): Promise<T> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the process has ended');
    return JSON.parse(value);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client.destroy();
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdin.end();
    if (this.#child.exitCode === null) await ended;
  }
}

async function listen<T extends Server>(server: T): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const line = (port: number, path: string) => `GET http://good.test:${port}${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

test('many requests on one connection are done one after the other, and far too many are not taken', async () => {
  await using outside = await Outside.start();
  const waiting: ServerResponse[] = [];
  const server = createHttpServer((_, response) => waiting.push(response));
  const port = await listen(server);
  try {
    {
      // The control: a proxy that leaves it to Node has a connection outside for each.
      await using naive = await Apart.start(outside.dir, port, { naive: true });
      const { fds } = await naive.facts();
      naive.say(10, line(port, '/x').repeat(100));
      await until(() => waiting.length === 1000);
      expect((await naive.facts()).fds - fds).toBeGreaterThan(1000);
    }
    waiting.length = 0;
    await using proxy = await Apart.start(outside.dir, port);
    const { fds } = await proxy.facts();
    const clients = proxy.say(10, line(port, '/x').repeat(100));
    await until(() => clients.every((client) => client.resume().closed));
    expect(waiting.length).toBeLessThanOrEqual(10);
    expect((await proxy.facts()).fds - fds).toBeLessThan(30);

    // In smaller numbers they are all answered, in their order, each when the one before it was.
    waiting.length = 0;
    const [client] = proxy.say(1, ['/1', '/2', '/3', '/4'].map((path) => line(port, path)).join(''));
    let text = '';
    client?.on('data', (part) => (text += part)).resume();
    for (let index = 1; index <= 4; index += 1) {
      await until(() => waiting.length === index);
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(waiting).toHaveLength(index);
      waiting[index - 1]?.end(`answer ${waiting[index - 1]?.req.url}`);
    }
    await until(() => text.includes('answer /4'));
    expect(text.match(/answer \/\d/g)).toEqual(['answer /1', 'answer /2', 'answer /3', 'answer /4']);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('a tunnel in the middle of another answer, and requests after a last answer, are not begun', async () => {
  await using outside = await Outside.start();
  await using proxy = await outside.open();
  const { port } = outside;
  outside.answer = (_, response) => void response.write('begun');
  const text = await say(proxy, line(port, '/a') + connectTo(`good.test:${port}`));
  expect(text).not.toContain('established');
  const cut = { kind: 'connect', allowed: false, reason: 'too many requests before the first answer' };
  expect(proxy.report().decisions).toContainEqual(expect.objectContaining(cut));
  outside.heard.length = 0;
  // After a refusal nothing more can be answered on that connection.
  const refused = 'GET http://evil.test/ HTTP/1.1\r\nHost: x\r\n\r\n';
  expect(await say(proxy, refused + line(port, '/after'))).toMatch(/^HTTP\/1\.1 403 /);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(outside.heard).toEqual([]);
});

test('unread answers and unread bodies do not pile up', async () => {
  await using outside = await Outside.start();
  const part = Buffer.alloc(MIB, 'x');
  let sent = 0;
  const server = createHttpServer((request, response) => {
    // It reads nothing of the request, and answers as much as the client takes.
    if (request.method === 'POST') return;
    const more = () => {
      while (!response.destroyed && response.write(part)) sent += MIB;
    };
    response.on('drain', more);
    more();
  });
  const raw = createServer((socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(part)) sent += MIB;
    };
    socket.on('error', () => {}).on('drain', more);
    more();
  });
  const [port, inTunnel] = [await listen(server), await listen(raw)];
  try {
    await using proxy = await Apart.start(outside.dir, port);
    await using tunnels = await Apart.start(join(outside.dir, 't'), inTunnel);
    const grown = async (apart: Apart, attack: () => void) => {
      const { rss } = await apart.facts();
      attack();
      await new Promise((resolve) => setTimeout(resolve, 2000));
      return ((await apart.facts()).rss - rss) / MIB;
    };
    const post = `POST http://good.test:${port}/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${1e9}\r\n\r\n`;
    const unread = await grown(proxy, () => proxy.say(20, line(port, '/big').repeat(17)));
    expect(unread).toBeLessThan(60);
    {
      // The control: without turns there is something of every answer in memory.
      await using naive = await Apart.start(outside.dir, port, { naive: true });
      let growth = await grown(naive, () => naive.say(20, line(port, '/big').repeat(17)));
      for (let more = 0; more < 8 && growth <= 2 * unread; more += 1) growth += await grown(naive, () => {});
      expect(growth).toBeGreaterThan(2 * unread);
    }
    const writers: Socket[] = [];
    expect(
      await grown(proxy, () => {
        writers.push(...proxy.say(40, post));
        for (const client of writers) for (let index = 0; index < 8; index += 1) client.write(part);
      }),
    ).toBeLessThan(120);
    // It did go on until nobody took more.
    expect(Math.max(...writers.map((client) => client.writableLength))).toBeGreaterThan(4 * MIB);
    const greeting = Buffer.concat([Buffer.from(connectTo(`good.test:${inTunnel}`)), hello('good.test')]);
    expect(await grown(tunnels, () => tunnels.say(80, greeting))).toBeLessThan(120);
    expect(sent).toBeLessThan(800 * MIB);
  } finally {
    server.closeAllConnections();
    server.close();
    raw.close();
  }
});

test('a proxy that has no descriptors left lives on, and works again', async () => {
  await using outside = await Outside.start();
  await using proxy = await Apart.start(outside.dir, outside.port, { most: 60 });
  const clients = proxy.say(100, 'GET http://good.test/ HTTP/1.1\r\n');
  await new Promise((resolve) => setTimeout(resolve, 500));
  for (const client of clients) client.destroy();
  await until(() => clients.every(({ closed }) => closed));
  expect((await proxy.facts()).fds).toBeLessThan(60);
  expect(await say(proxy as never, get(`http://good.test:${outside.port}/`))).toMatch(/^HTTP\/1\.1 200 /);
});

test('an error of the server itself is logged, and ends nothing', async () => {
  await using outside = await Outside.start();
  await using proxy = await outside.open();
  // Node tells whose request it is: so the server of the proxy is found, and fails as one does that cannot accept.
  let found: EventEmitter | null = null;
  const seen = (message: unknown) => {
    const { server, request } = message as { server: EventEmitter; request: { url: string } };
    if (request.url.startsWith('http://')) found = server;
  };
  subscribe('http.server.request.start', seen);
  const ask = () => say(proxy, get(`http://good.test:${outside.port}/`));
  expect(await ask()).toMatch(/^HTTP\/1\.1 200 /);
  unsubscribe('http.server.request.start', seen);
  const server = found as EventEmitter | null;
  for (const message of ['accept EMFILE', 'accept ENFILE'])
    expect(server?.emit('error', new Error(message))).toBe(true);
  const told = outside.logged.filter(({ message }) => message === 'egress_failed').map(({ facts }) => facts);
  expect(told).toEqual([{ error: 'accept EMFILE' }, { error: 'accept ENFILE' }]);
  expect(await ask()).toMatch(/^HTTP\/1\.1 200 /);
});

async function until(done: () => boolean): Promise<void> {
  const end = Date.now() + 120_000;
  while (!done()) {
    if (Date.now() > end) throw new Error('it did not happen');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
