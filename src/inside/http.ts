/**
 * Asks a model over OpenAI's chat completions, inside the sandbox and through the bridge: one question, and the answer
 * as lines of JSON. Arguments: the address, and the request without its messages, as JSON. The packet comes on standard
 * input.
 */
import { type IncomingMessage, request } from 'node:http';

const [url = '', text = '{}', system = ''] = process.argv.slice(2);
const MAX_ERROR = 8000;
const MAX_LINE = 4 << 20;

type ChatUsage = { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown; readonly cost?: unknown };
type Piece = {
  readonly model?: unknown;
  readonly error?: unknown;
  readonly usage?: ChatUsage | null;
  readonly choices?: readonly {
    readonly delta?: { readonly content?: unknown };
    readonly message?: { readonly content?: unknown };
    readonly finish_reason?: unknown;
  }[];
};

let model: unknown = null;
let usage: ChatUsage | null = null;
let reason: unknown = null;

const parts: Buffer[] = [];
process.stdin.on('data', (part: Buffer) => parts.push(part));
process.stdin.on('end', () => ask(Buffer.concat(parts).toString()));

function ask(packet: string): void {
  const messages = [...(system === '' ? [] : [{ role: 'system', content: system }]), { role: 'user', content: packet }];
  const stream = { stream: true, stream_options: { include_usage: true } };
  const body = JSON.stringify({ ...(JSON.parse(text) as object), ...stream, messages });
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream, application/json' };
  const sent = request(`${url}/chat/completions`, { method: 'POST', headers }, (answer) => void read(answer));
  sent.on('error', ({ message }) => finish({ type: 'error', status: null, message }));
  sent.end(body);
}

async function read(answer: IncomingMessage): Promise<void> {
  const status = answer.statusCode ?? 0;
  answer.setEncoding('utf8');
  try {
    if (status < 200 || status > 299) {
      let said = '';
      for await (const part of answer) said = (said + part).slice(0, MAX_ERROR);
      return finish({ type: 'error', status, message: said });
    }
    const events = `${answer.headers['content-type']}`.includes('event-stream');
    let rest = '';
    for await (const part of answer) {
      rest += part;
      if (rest.length > MAX_LINE) return finish({ type: 'error', status, message: 'malformed: a line without an end' });
      if (!events) continue;
      const lines = rest.split(/\r?\n/);
      rest = lines.pop() ?? '';
      for (const line of lines) take(line);
    }
    if (events) take(rest);
    else hear(JSON.parse(rest) as Piece);
  } catch (error) {
    return finish({ type: 'error', status: null, message: (error as Error).message });
  }
  if (reason === null) finish({ type: 'error', status: null, message: 'the stream ended before the answer did' });
  else finish({ type: 'result', finish: reason, model, usage });
}

function take(line: string): void {
  const [, data] = /^data: ?(.*)$/.exec(line) ?? [];
  if (data === undefined || data === '' || data === '[DONE]') return;
  let piece: Piece;
  try {
    piece = JSON.parse(data) as Piece;
  } catch {
    throw new Error('malformed: an event that is no JSON');
  }
  hear(piece);
}

function hear(piece: Piece): void {
  if (piece.error !== undefined && piece.error !== null)
    throw new Error(JSON.stringify(piece.error).slice(0, MAX_ERROR));
  model = piece.model ?? model;
  usage = piece.usage ?? usage;
  const [choice] = piece.choices ?? [];
  const said = choice?.delta?.content ?? choice?.message?.content;
  if (typeof said === 'string' && said !== '')
    process.stdout.write(`${JSON.stringify({ type: 'text', text: said })}\n`);
  reason = choice?.finish_reason ?? reason;
}

let ended = false;

function finish(event: object): void {
  if (ended) return;
  ended = true;
  const good = 'finish' in event && event.finish === 'stop';
  process.stdout.write(`${JSON.stringify(event)}\n`, () => process.exit(good ? 0 : 1));
}
