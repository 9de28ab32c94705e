/** The HTTP proxy of one attempt, on a UNIX socket, with the attempt's policy. Closing it leaves nothing behind. */
import { chmodSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AttemptProxy, EgressPolicy, EgressReport } from '../../engine/ports/egress.ts';
import { headProblem } from '../../mind/egress/headers.ts';
import { parseAbsolute, parseAuthority, parseOrigin } from '../../mind/egress/target.ts';
import { Forward } from './forward.ts';
import { malformed } from './malformed.ts';
import type { ProxyContext } from './proxy-context.ts';
import { type ProxyRequest, Record } from './record.ts';
import { dismiss } from './refusal.ts';
import { newSocketFile, type SocketFile } from './socket-file.ts';
import { tunnel } from './tunnel.ts';
import { MAX_CONNECTIONS, Turns } from './turns.ts';

const HEAD_BYTES = 16 << 10;

export class HttpProxy implements AttemptProxy {
  readonly socket: string;
  readonly #file: SocketFile;
  readonly #policy: EgressPolicy;
  readonly #context: ProxyContext;
  readonly #record: Record;
  readonly #server: Server;
  readonly #forward: Forward;
  readonly #turns = new Turns();
  /** All open sockets, to the program and to servers. */
  readonly #sockets = new Set<Duplex>();
  readonly #closed: () => void;
  #closing: Promise<void> | null = null;

  constructor(policy: EgressPolicy, context: ProxyContext, closed: () => void) {
    this.#policy = policy;
    this.#context = context;
    this.#closed = closed;
    this.#file = newSocketFile(context.dir);
    this.socket = this.#file.path;
    this.#record = new Record(context.log, policy, () => this.#cut());
    const keep = (socket: Duplex) => this.#keep(socket);
    this.#forward = new Forward({ ...context, record: this.#record, keep });
    const { headMs, bodyMs } = context.times;
    this.#server = createServer({
      maxHeaderSize: HEAD_BYTES,
      insecureHTTPParser: false,
      requireHostHeader: false,
      headersTimeout: headMs,
      requestTimeout: bodyMs,
      connectionsCheckingInterval: Math.min(5000, headMs),
      keepAliveTimeout: 60_000,
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
    // No header is cut off unseen; their number is judged with the rest.
    this.#server.maxHeadersCount = 0;
    this.#server.on('connection', (socket: Socket) => {
      if (this.#record.deaf) {
        socket.destroy();
        return;
      }
      keep(socket);
      socket.setTimeout(context.times.idleMs, () => socket.destroy());
    });
    // A failure in one request must not end Supervisor.
    const serve = (waits: boolean) => (request: IncomingMessage, response: ServerResponse) => {
      const { socket } = request;
      const begin = () => void this.#request(request, response, waits).catch(() => response.destroy());
      if (socket.destroyed || this.#turns.take(socket, response, begin)) return;
      this.#record.admit();
      this.#record.decide({ kind: 'http', host: '', port: null, allowed: false, reason: TOO_EAGER });
      socket.destroy();
    };
    this.#server.on('request', serve(false));
    this.#server.on('checkContinue', serve(true));
    this.#server.on(
      'connect',
      (request, socket, head) => void this.#connect(request, socket, head).catch(() => socket.destroy()),
    );
    this.#server.on('clientError', (error, socket) => malformed(this.#record, error, socket));
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#file.bindTo, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    // For example no descriptors left for another connection; open ones go on.
    this.#server.on('error', ({ message }) => this.#context.log('warn', 'egress_failed', { error: message }));
    chmodSync(this.socket, 0o600);
  }

  report(): EgressReport {
    return this.#record.report();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#cut();
    this.#forward.end();
    await ended;
    this.#file[Symbol.dispose]();
    this.#closed();
    const { requests, bytesOut, bytesIn } = this.report();
    this.#context.log('info', 'egress_closed', { requests, bytesOut, bytesIn });
  }

  async #request(request: IncomingMessage, response: ServerResponse, waits: boolean): Promise<void> {
    const { url = '', method = '', rawHeaders } = request;
    const { route } = this.#policy;
    if (/^(?:\/|\*)/.test(url)) {
      const asked = {
        kind: 'route',
        host: route === null ? '' : new URL(route.upstream).hostname,
        port: null,
      } as const;
      const path = parseOrigin(url);
      const problem = this.#record.admit() ?? headProblem(method, rawHeaders);
      if (problem !== null) return this.#refuse(asked, problem, response);
      if (!path.ok) return this.#refuse(asked, path.reason, response);
      if (route === null) return this.#refuse(asked, 'a request without a host has no route', response);
      return this.#forward.overRoute(request, response, { route, path: path.path, waits });
    }
    const target = parseAbsolute(url);
    const asked = {
      kind: 'http',
      host: target.ok ? target.host : hostIn(url),
      port: target.ok ? target.port : null,
    } as const;
    const problem = this.#record.admit() ?? headProblem(method, rawHeaders);
    if (problem !== null) return this.#refuse(asked, problem, response);
    if (!target.ok) return this.#refuse(asked, target.reason, response);
    return this.#forward.toHost(request, response, { target, allow: this.#policy.allow, waits });
  }

  async #connect(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { url = '' } = request;
    const target = parseAuthority(url, null);
    const asked = {
      kind: 'connect',
      host: target.ok ? target.host : url,
      port: target.ok ? target.port : null,
    } as const;
    const problem = this.#record.admit() ?? (target.ok ? null : target.reason);
    socket.on('error', () => socket.destroy());
    if (this.#turns.busy(socket)) {
      // An answer here would appear in the middle of another one.
      this.#record.decide({ ...asked, allowed: false, reason: TOO_EAGER });
      socket.destroy();
      return;
    }
    if (problem !== null || !target.ok) {
      this.#record.decide({ ...asked, allowed: false, reason: problem });
      dismiss(socket, 403, problem ?? '');
      return;
    }
    const { allow } = this.#policy;
    await tunnel(
      { ...this.#context, record: this.#record, keep: (one) => this.#keep(one) },
      { target, allow, socket, head },
    );
  }

  #refuse(asked: Pick<ProxyRequest, 'kind' | 'host' | 'port'>, reason: string, response: ServerResponse): void {
    this.#record.decide({ ...asked, allowed: false, reason });
    // The body is not read to the end, so no further request can come on this connection.
    response.writeHead(403, { 'content-type': 'text/plain', connection: 'close' });
    response.end(`Supervisor's proxy refused this: ${reason}\n`);
  }

  #keep(socket: Duplex): void {
    if (this.#closing !== null) socket.destroy();
    else if (!this.#sockets.has(socket)) {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    }
  }

  #cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

const TOO_EAGER = 'too many requests before the first answer';

/** Only for the record. */
const hostIn = (url: string): string => /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? url;
