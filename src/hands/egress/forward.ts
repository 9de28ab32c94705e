/**
 * Forwards plain HTTP: unchanged to an allowed host, or over the route, where the proxy adds the operator's key.
 * Streams both ways.
 */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AllowedHost, EgressRoute } from '../../engine/ports/egress.ts';
import { callProblem, withoutCredentials } from '../../mind/egress/calls.ts';
import { answerProblem, OVERRIDES, passedOn, valuesOf } from '../../mind/egress/headers.ts';
import { findAllowed, upstreamOf } from '../../mind/egress/policy.ts';
import { resetTime } from '../../mind/egress/reset-time.ts';
import type { ProxyTarget } from '../../mind/egress/target.ts';
import { find, trusted } from './connect.ts';
import { KeyMask } from './key-mask.ts';
import type { ProxyContext } from './proxy-context.ts';
import type { Meter, ProxyRequest, Record } from './record.ts';
import { MAX_CONNECTIONS } from './turns.ts';

type ForwardContext = ProxyContext & { readonly record: Record; keep(socket: Duplex): void };
type To = {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** Flat: name, value, name, value. */
  readonly headers: readonly string[];
  readonly lookup: LookupFunction;
  readonly waits: boolean;
  /** Masks the key that the proxy added; null if it added none. */
  readonly mask: KeyMask | null;
};

/** Shorter than servers wait, so that no request goes to a connection that is being closed. */
const KEPT_MS = 4000;
const AGENT = {
  keepAlive: true,
  timeout: KEPT_MS,
  maxSockets: MAX_CONNECTIONS,
  maxTotalSockets: MAX_CONNECTIONS,
  maxFreeSockets: 8,
};

export class Forward {
  readonly #context: ForwardContext;
  readonly #agents = {
    http: new http.Agent(AGENT),
    https: new https.Agent(AGENT),
  };

  constructor(context: ForwardContext) {
    this.#context = context;
  }

  end(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  async toHost(
    request: IncomingMessage,
    response: ServerResponse,
    asked: {
      readonly target: ProxyTarget & { readonly path: string };
      readonly allow: readonly AllowedHost[];
      readonly waits: boolean;
    },
  ): Promise<void> {
    const { path, host, port } = asked.target;
    const of = { kind: 'http', host, port } as const;
    const entry = findAllowed(asked.allow, asked.target);
    if ('reason' in entry) return this.#refuse(response, of, entry.reason);
    const found = await find(this.#context.resolve, host, entry.private === true);
    if ('reason' in found) return this.#refuse(response, of, found.reason, found.failed ? 502 : 403);
    const headers = [...passedOn(request.rawHeaders, ['host', 'expect']), 'Host', authority(host, port, 80)];
    const meter = this.#context.record.decide({ ...of, allowed: true, reason: null });
    const to = { secure: false, host, port, path, headers, lookup: found.lookup, waits: asked.waits, mask: null };
    this.#send(request, response, to, of, meter, () => {});
  }

  async overRoute(
    request: IncomingMessage,
    response: ServerResponse,
    asked: { readonly route: EgressRoute; readonly path: string; readonly waits: boolean },
  ): Promise<void> {
    const { route, waits } = asked;
    const upstream = upstreamOf(route.upstream);
    if (upstream === null)
      return this.#refuse(response, { kind: 'route', host: '', port: null }, 'the route leads nowhere', 502);
    const { secure, host, port, base } = upstream;
    const of = { kind: 'route', host, port } as const;
    const problem = route.calls === undefined ? null : callProblem(route.calls, request.method ?? '', asked.path);
    if (problem !== null) return this.#refuse(response, of, problem);
    // The operator named it, so a local address is allowed.
    const found = await find(this.#context.resolve, host, true);
    if ('reason' in found) return this.#refuse(response, of, found.reason, found.failed ? 502 : 403);
    const own = Object.entries(route.headers);
    // Not compressed: a key in a compressed answer could not be seen.
    const drop = ['host', 'expect', 'accept-encoding', ...OVERRIDES, ...route.drop, ...own.map(([name]) => name)];
    const headers = [
      ...passedOn(
        request.rawHeaders,
        drop.map((name) => name.toLowerCase()),
      ),
      ...['Host', authority(host, port, secure ? 443 : 80), 'Accept-Encoding', 'identity'],
      ...own.flat(),
    ];
    const { record } = this.#context;
    const meter = record.decide({ ...of, allowed: true, reason: null });
    const to = {
      secure,
      host,
      port,
      path: base + withoutCredentials(asked.path),
      headers,
      lookup: found.lookup,
      waits,
      mask: new KeyMask(Object.values(route.headers)),
    };
    this.#send(request, response, to, of, meter, ({ statusCode = 0, headers: told }) => {
      // CLIs probe whether the server is there; the answer says nothing about their work.
      if (request.method !== 'HEAD' && request.method !== 'OPTIONS')
        record.answered(statusCode, resetTime(told, Date.now()));
    });
  }

  #send(
    request: IncomingMessage,
    response: ServerResponse,
    to: To,
    of: Pick<ProxyRequest, 'kind' | 'host' | 'port'>,
    meter: Meter,
    answered: (answer: IncomingMessage) => void,
  ): void {
    if (response.destroyed) return;
    const chunked = valuesOf(request.rawHeaders, 'transfer-encoding').length > 0;
    const hasBody = chunked || Number(request.headers['content-length'] ?? 0) > 0;
    const outgoing = this.#open(request, to, chunked);
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (response.destroyed) return;
      // A truncated answer must not look complete.
      if (response.headersSent) response.destroy();
      else this.#refuse(response, of, `${of.host} did not answer (${error.code ?? error.message})`, 502);
    });
    response.on('close', () => outgoing.destroy());
    meter.out(request.rawHeaders.join('').length + (request.url ?? '').length);
    outgoing.on('response', (answer) => {
      answered(answer);
      meter.in(answer.rawHeaders.join('').length);
      const problem = to.mask === null ? null : answerProblem(answer.rawHeaders);
      if (problem === null) passAnswer(answer, response, to.mask, meter);
      else {
        this.#refuse(response, of, problem, 502);
        outgoing.destroy();
      }
    });
    if (to.waits) response.writeContinue();
    if (!hasBody) outgoing.end();
    else {
      request.on('data', (bytes: Buffer) => meter.out(bytes.length));
      request.pipe(outgoing);
    }
  }

  /** Opens the request to the server with two timeouts: one for connecting, one for silence. */
  #open(request: IncomingMessage, to: To, chunked: boolean): http.ClientRequest {
    const { times, keep } = this.#context;
    const options = {
      host: to.host,
      port: to.port,
      path: to.path,
      method: request.method,
      lookup: to.lookup,
      // Always set: for some methods Node would send a body without saying where it ends.
      headers: [...to.headers, ...(chunked ? ['Transfer-Encoding', 'chunked'] : [])],
      agent: to.secure ? this.#agents.https : this.#agents.http,
      setDefaultHeaders: false,
      timeout: times.idleMs,
    };
    const outgoing = to.secure
      ? https.request({
          ...options,
          servername: isIP(to.host) === 0 ? to.host : '',
          secureContext: trusted(),
          rejectUnauthorized: true,
        } as https.RequestOptions)
      : http.request(options as http.RequestOptions);
    const late = setTimeout(() => outgoing.destroy(coded('ETIMEDOUT')), times.connectMs);
    outgoing.on('socket', (socket) => {
      keep(socket);
      const ready = () => {
        clearTimeout(late);
        socket.setTimeout(times.idleMs);
      };
      if (outgoing.reusedSocket || !socket.connecting) ready();
      else socket.once(to.secure ? 'secureConnect' : 'connect', ready);
    });
    outgoing.on('timeout', () => outgoing.destroy(coded('ETIMEDOUT')));
    outgoing.on('close', () => clearTimeout(late));
    return outgoing;
  }

  #refuse(
    response: ServerResponse,
    of: Pick<ProxyRequest, 'kind' | 'host' | 'port'>,
    reason: string,
    status = 403,
  ): void {
    this.#context.record.decide({ ...of, allowed: status !== 403, reason });
    if (response.destroyed) return;
    response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
    response.end(`Supervisor's proxy ${status === 403 ? 'refused this' : 'could not do this'}: ${reason}\n`);
  }
}

function passAnswer(answer: IncomingMessage, response: ServerResponse, mask: To['mask'], meter: Meter): void {
  answer.on('data', (bytes: Buffer) => meter.in(bytes.length));
  answer.on('aborted', () => response.destroy());
  answer.on('error', () => response.destroy());
  try {
    response.sendDate = false;
    response.writeHead(
      answer.statusCode ?? 502,
      // The status text is ours: a server could put the key there.
      passedOn(answer.rawHeaders.map((text) => mask?.text(text) ?? text)),
    );
    response.flushHeaders();
  } catch {
    // A status or header that Node itself would not send.
    response.destroy();
    return;
  }
  if (mask === null) answer.pipe(response);
  else answer.pipe(mask.stream()).pipe(response);
}

const authority = (host: string, port: number, usual: number): string => {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === usual ? name : `${name}:${port}`;
};

const coded = (code: string): Error => Object.assign(new Error(code), { code });
