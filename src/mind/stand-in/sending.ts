/** The bytes sent for one turn: headers, body, and where it stops. */
import { anthropic } from './anthropic.ts';
import { chat } from './chat.ts';
import { exampleOf } from './example.ts';
import { gemini } from './gemini.ts';
import type { ModelRequest } from './model-request.ts';
import type { HttpRefusal, Reply, Speech } from './reply.ts';
import { responses } from './responses.ts';
import type { Protocol, Turn, Usage } from './scenario.ts';
import { callFor } from './tool-call.ts';

export type Sending = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent one after the other. */
  readonly chunks: readonly string[];
  /** How it ends after them: normally, by hanging up, or not at all. */
  readonly end: 'whole' | 'hang-up' | 'silence';
  /** Whether even the headers are sent. */
  readonly begins: boolean;
};

type Unique = { readonly id: string; readonly created: number };

const USAGE: Usage = { input: 100, output: 20, cached: 0 };

export function sendingFor(turn: Turn, asked: ModelRequest, unique: Unique): Sending {
  const { fault = null, status } = turn;
  const more =
    turn.retry_after === undefined ? turn.headers : { 'retry-after': `${turn.retry_after}`, ...turn.headers };
  if (status !== undefined) return refused(asked, refusalOf(turn, status), more);
  const reply = replyOf(turn, asked, unique);
  // Refused loudly: a scenario that silently did nothing would make a meaningless test green.
  if (reply === null) return refused(asked, cannot(asked), more);
  const good = spoken(asked, reply, more);
  switch (fault) {
    case null:
      return good;
    case 'malformed':
      return { ...good, chunks: [asked.stream ? 'data: {"type": "mess\n\n' : '{"id": "mess'] };
    case 'empty':
      return { ...good, chunks: [] };
    case 'html':
      return {
        ...good,
        headers: { ...more, 'content-type': 'text/html; charset=utf-8' },
        chunks: ['<!doctype html><html><body><h1>Please log in to the network</h1></body></html>\n'],
      };
    case 'cut':
      return { ...half(good), end: 'hang-up' };
    case 'stall':
      return { ...half(good), end: 'silence' };
    case 'reset':
      return { ...good, chunks: [], begins: false, end: 'hang-up' };
    case 'hang':
      return { ...good, chunks: [], begins: false, end: 'silence' };
  }
}

/** For a request that takes no turn: a fitting answer without any effect. */
export function sideSending(asked: ModelRequest, unique: Unique): Sending {
  const text = asked.schema === null ? 'stand-in' : JSON.stringify(exampleOf(asked.schema));
  return spoken(asked, { ...unique, model: asked.model, text, call: null, usage: USAGE }, {});
}

function replyOf(turn: Turn, asked: ModelRequest, unique: Unique): Reply | null {
  const wanted = (turn.write ?? turn.run ?? turn.call) !== undefined;
  const call = wanted ? callFor(turn, asked) : null;
  if (wanted && call === null) return null;
  const text = turn.text ?? (call === null ? 'stand-in' : null);
  return { ...unique, model: asked.model, text, call, usage: turn.usage ?? USAGE };
}

function spoken(asked: ModelRequest, reply: Reply, more: Readonly<Record<string, string>>): Sending {
  const { stream, whole } = SPEECHES[asked.protocol];
  const type = asked.stream ? 'text/event-stream; charset=utf-8' : 'application/json';
  return {
    status: 200,
    headers: { 'content-type': type, ...more },
    chunks: asked.stream ? stream(reply) : [JSON.stringify(whole(reply))],
    end: 'whole',
    begins: true,
  };
}

function refused(asked: ModelRequest, refusal: HttpRefusal, more: Readonly<Record<string, string>>): Sending {
  const body = JSON.stringify(SPEECHES[asked.protocol].refusal(refusal));
  const headers = { 'content-type': 'application/json', ...more };
  return { status: refusal.status, headers, chunks: [body], end: 'whole', begins: true };
}

function refusalOf({ message, kind, retry_after }: Turn, status: number): HttpRefusal {
  return {
    status,
    kind: kind ?? null,
    retryAfter: retry_after ?? null,
    message: message ?? MESSAGES[status] ?? `stand-in answers ${status}`,
  };
}

const MESSAGES: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  401: 'The API key is not valid',
  403: 'The API key has no access to this',
  429: 'Too many requests',
  500: 'Internal server error',
  503: 'The service is unavailable',
  529: 'Overloaded',
};

function cannot({ tools }: ModelRequest): HttpRefusal {
  const offered = tools.map(({ name }) => name).join(', ') || 'none';
  const message = `stand-in: no tool of this request does what the turn wants (offered: ${offered})`;
  return { status: 400, kind: null, retryAfter: null, message };
}

/** Sends some of it and withholds the rest, in any protocol. */
function half(good: Sending): Sending {
  const all = good.chunks.join('');
  return { ...good, chunks: [all.slice(0, Math.ceil(all.length / 2))] };
}

/** The form that each protocol gives to an answer. */
const SPEECHES: Readonly<Record<Protocol, Speech>> = { anthropic, responses, chat, gemini };
