/** A server that stands for the world outside, a proxy before it, and a way to say anything to the proxy, byte by byte. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AttemptProxy, EgressPolicy } from '../../src/engine/ports/egress.ts';
import { EgressProxies, type EgressProxiesOptions } from '../../src/hands/egress/proxies.ts';

export type Heard = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly raw: readonly string[];
  readonly body: string;
};
type Answer = (heard: Heard, response: ServerResponse) => void;

export class Outside implements AsyncDisposable {
  readonly dir = mkdtempSync(join(tmpdir(), 'eg-'));
  readonly heard: Heard[] = [];
  readonly logged: { readonly message: string; readonly facts: Readonly<Record<string, unknown>> }[] = [];
  /** Names that were looked up. */
  readonly asked: string[] = [];
  /** Addresses by name; others lead to the server. */
  names: Record<string, readonly string[]> = {};
  answer: Answer = (_, response) => response.end('hello from outside');
  connections = 0;
  proxy!: EgressProxies;
  #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (bytes) => parts.push(bytes));
      request.on('end', () => {
        const { method = '', url = '', headers, rawHeaders } = request;
        const heard = { method, url, headers, raw: rawHeaders, body: Buffer.concat(parts).toString() };
        this.heard.push(heard);
        this.answer(heard, response);
      });
    });
    this.#server.on('connection', () => {
      this.connections += 1;
    });
  }

  static async start(options: Partial<EgressProxiesOptions> = {}): Promise<Outside> {
    const outside = new Outside();
    await new Promise<void>((resolve) => outside.#server.listen(0, '127.0.0.1', resolve));
    outside.proxy = new EgressProxies({
      dir: join(outside.dir, 'd'),
      log: (_, message, facts = {}) => outside.logged.push({ message, facts }),
      resolve: async (host) => {
        outside.asked.push(host);
        return outside.names[host] ?? ['127.0.0.1'];
      },
      ...options,
    });
    return outside;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  policy(policy: Partial<EgressPolicy> = {}): EgressPolicy {
    const allow = [{ host: 'good.test', port: this.port, private: true }];
    return { allow, route: null, maxRequests: 1000, maxBytes: 10 << 20, ...policy };
  }

  open(policy: Partial<EgressPolicy> = {}): Promise<AttemptProxy> {
    return this.proxy.open(this.policy(policy));
  }

  /** With a key that only the proxy knows. */
  route(path = '/base'): NonNullable<EgressPolicy['route']> {
    return { upstream: `http://127.0.0.1:${this.port}${path}`, headers: { 'x-api-key': KEY }, drop: ['authorization'] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.proxy[Symbol.asyncDispose]();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.dir, { recursive: true, force: true });
  }
}

export const KEY = 'canary-key-4c1f0b7d';

/** Says these bytes and gives back all that is answered until the proxy closes, or `until` appears. */
export function say(proxy: AttemptProxy, bytes: string | Buffer, until?: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(proxy.socket);
    let answer = '';
    socket.setTimeout(120_000, () => socket.destroy(new Error(`no end of the answer: ${answer}`)));
    socket.on('data', (part) => {
      answer += part.toString('latin1');
      if (until?.test(answer)) socket.destroy();
    });
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' ? resolve(answer) : reject(error),
    );
    socket.on('close', () => resolve(answer));
    socket.write(bytes);
  });
}

/** A connection that stays. */
export async function stay(proxy: AttemptProxy): Promise<Socket & { readonly text: () => string }> {
  const socket = connect(proxy.socket);
  let text = '';
  socket.on('data', (part) => {
    text += part.toString('latin1');
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', () => resolve());
    socket.once('error', reject);
  });
  socket.on('error', () => {});
  return Object.assign(socket, { text: () => text });
}

export const get = (url: string, more = ''): string =>
  `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`;
export const connectTo = (target: string): string => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`;
