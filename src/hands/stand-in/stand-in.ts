/** A small loopback server that stands in for the vendors' models: it speaks their protocols and plays a scenario. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { parseDuration } from '../../kernel/duration.ts';
import type { ModelRequest } from '../../mind/stand-in/model-request.ts';
import { keyOf, type Route, routeOf } from '../../mind/stand-in/route.ts';
import { checkedScenario, type Scenario, type ScenarioInput } from '../../mind/stand-in/scenario.ts';
import { type Sending, sendingFor, sideSending } from '../../mind/stand-in/sending.ts';
import { probeSending } from '../../mind/stand-in/side-requests.ts';
import { nextTurn } from '../../mind/stand-in/turns.ts';
import { type SeenRequest, SeenRequests } from './received-requests.ts';

type StandInOptions = {
  readonly scenario: ScenarioInput;
  /** How many of the newest requests are kept. */
  readonly maxRequests?: number;
};

type Listening = {
  /** `http://127.0.0.1:PORT`, or `http://localhost` on a socket. */
  readonly url: string;
  readonly port: number | null;
};

export class StandIn implements AsyncDisposable {
  readonly #scenario: Scenario;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #closed = new AbortController();
  readonly #played: number[] = [];
  readonly #seen: SeenRequests;

  constructor({ scenario, maxRequests }: StandInOptions) {
    this.#scenario = checkedScenario(scenario);
    this.#seen = new SeenRequests(maxRequests);
    // With Node's default of five seconds it would hang up just when a proxy reuses the connection.
    this.#server = createServer(
      { keepAliveTimeout: 60_000 },
      (request, response) => void this.#serve(request, response),
    );
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  /** Listens on a free or given loopback port, or on a UNIX socket. */
  async listen(on: { readonly port?: number; readonly socket?: string } = {}): Promise<Listening> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      const ready = () => {
        this.#server.off('error', reject);
        resolve();
      };
      if (on.socket === undefined) this.#server.listen(on.port ?? 0, '127.0.0.1', ready);
      else this.#server.listen(on.socket, ready);
    });
    if (on.socket !== undefined) return { url: 'http://localhost', port: null };
    const { port } = this.#server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, port };
  }

  /** The newest requests, oldest first. */
  get requests(): readonly SeenRequest[] {
    return this.#seen.kept;
  }

  /** The requests that belong to a conversation. */
  get mainRequests(): readonly SeenRequest[] {
    return this.#seen.kept.filter(({ kind }) => kind === 'main');
  }

  /** All requests ever received, including those no longer kept. */
  get count(): number {
    return this.#seen.count;
  }

  /** Hangs up on all clients, including those it left hanging. */
  async close(): Promise<void> {
    this.#closed.abort();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await readBody(request);
      const { sending, delay } = this.#answer(request, body);
      await send(response, sending, { delay, signal: this.#closed.signal });
    } catch (error) {
      // The server lives on and reports the error, if the client is still there.
      if (response.headersSent || response.destroyed) response.destroy();
      else response.writeHead(500, { connection: 'close' }).end(`stand-in: ${(error as Error).message}\n`);
    }
  }

  #answer(
    request: IncomingMessage,
    { value: body, bytes }: RequestBody,
  ): { readonly sending: Sending; readonly delay: number } {
    const { method = 'GET', url = '/' } = request;
    const [path = '/', query = ''] = url.split('?', 2);
    const headers = flat(request.headers);
    const key = keyOf(headers, query);
    const route = routeOf(method, path);
    const asked: ModelRequest | null =
      route.to === 'model' ? { ...route.read(body), protocol: route.protocol, key } : null;
    const seen = { at: Date.now(), method, path, query, headers, key, body, ...about(route, asked) };
    if (asked === null) {
      this.#seen.add({ ...seen, turn: null }, bytes);
      return { sending: probeSending(route), delay: 0 };
    }
    const unique = { id: `standin${this.#seen.count}`, created: Math.floor(Date.now() / 1_000) };
    if (asked.kind === 'side') {
      this.#seen.add({ ...seen, turn: null }, bytes);
      return { sending: sideSending(asked, unique), delay: 0 };
    }
    const { turn, index } = nextTurn(this.#scenario, this.#played, asked);
    if (index !== null) this.#played[index] = (this.#played[index] ?? 0) + 1;
    this.#seen.add({ ...seen, turn: index }, bytes);
    return { sending: sendingFor(turn, asked, unique), delay: parseDuration(turn.delay) ?? 0 };
  }
}

function about(
  route: Route,
  asked: ModelRequest | null,
): Pick<SeenRequest, 'protocol' | 'kind' | 'model' | 'stream' | 'tools'> {
  return {
    protocol: 'protocol' in route ? route.protocol : null,
    kind: asked?.kind ?? 'probe',
    model: asked?.model ?? null,
    stream: asked?.stream ?? false,
    tools: asked?.tools.map(({ name }) => name) ?? [],
  };
}

const flat = (headers: IncomingMessage['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));

/** CLIs send whole conversations; prompts of 3 MB were seen. */
const MAX_BYTES = 64_000_000;

type RequestBody = { readonly value: unknown; readonly bytes: number };

async function readBody(request: IncomingMessage): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`a request is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  const text = unpacked(Buffer.concat(chunks), request.headers['content-encoding']);
  return { value: parsed(text.toString('utf8')), bytes: text.length };
}

function unpacked(bytes: Buffer, encoding: string | undefined): Buffer {
  const options = { maxOutputLength: MAX_BYTES };
  if (encoding === 'gzip') return gunzipSync(bytes, options);
  if (encoding === 'deflate') return inflateSync(bytes, options);
  if (encoding === 'br') return brotliDecompressSync(bytes, options);
  return encoding === 'zstd' ? zstdDecompressSync(bytes, options) : bytes;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Sends the decided answer, including faults. */
async function send(
  response: ServerResponse,
  { status, headers, chunks, begins, end }: Sending,
  { delay, signal }: { readonly delay: number; readonly signal: AbortSignal },
): Promise<void> {
  if (delay > 0) await sleep(delay, undefined, { signal });
  if (begins) {
    const whole = Buffer.byteLength(chunks.join(''));
    const isStream = headers['content-type']?.startsWith('text/event-stream') === true;
    // A length tells the client that something is missing; in a stream the missing last chunk does.
    const length = end === 'whole' ? whole : whole * 2;
    response.writeHead(status, isStream ? headers : { ...headers, 'content-length': `${length}` });
    for (const chunk of chunks) await written(response, chunk);
    response.flushHeaders();
  }
  if (end === 'whole') response.end();
  // The written bytes are sent before the connection closes.
  if (end === 'hang-up') response.socket?.destroySoon();
}

const written = (response: ServerResponse, chunk: string): Promise<void> =>
  new Promise((resolve, reject) => response.write(chunk, (error) => (error ? reject(error) : resolve())));
