/** The purpose of a server path. Base paths before the version vary between clients, so only the end counts. */
import { readAnthropic } from './anthropic.ts';
import { readChat } from './chat.ts';
import { readGemini } from './gemini.ts';
import type { ModelRequest } from './model-request.ts';
import { readResponses } from './responses.ts';
import type { Protocol } from './scenario.ts';

export type Route =
  | { readonly to: 'model'; readonly protocol: Protocol; read(body: unknown): Omit<ModelRequest, 'protocol' | 'key'> }
  | { readonly to: 'count'; readonly protocol: Protocol }
  | { readonly to: 'models' }
  | { readonly to: 'probe' }
  /** Codex first asks for a WebSocket, and continues with HTTP at once only if it is refused like this. */
  | { readonly to: 'websocket' }
  | { readonly to: 'nothing' };

export function routeOf(method: string, path: string): Route {
  if (method === 'HEAD') return { to: 'probe' };
  if (method === 'GET' && /\/models$/.test(path)) return { to: 'models' };
  if (method === 'GET' && /\/responses$/.test(path)) return { to: 'websocket' };
  if (method === 'GET' && path === '/') return { to: 'probe' };
  if (method !== 'POST') return { to: 'nothing' };
  if (/\/messages\/count_tokens$/.test(path)) return { to: 'count', protocol: 'anthropic' };
  if (/\/messages$/.test(path)) return { to: 'model', protocol: 'anthropic', read: readAnthropic };
  if (/\/responses$/.test(path)) return { to: 'model', protocol: 'responses', read: readResponses };
  if (/\/chat\/completions$/.test(path)) return { to: 'model', protocol: 'chat', read: readChat };
  const [, model = '', manner = ''] = /\/models\/([^/:]+):(\w+)$/.exec(path) ?? [];
  if (manner === 'countTokens') return { to: 'count', protocol: 'gemini' };
  if (manner !== 'generateContent' && manner !== 'streamGenerateContent') return { to: 'nothing' };
  const stream = manner === 'streamGenerateContent';
  return { to: 'model', protocol: 'gemini', read: (body) => readGemini(body, { model: decoded(model), stream }) };
}

/** The key of a request, wherever its protocol puts it. */
export function keyOf(headers: Readonly<Record<string, string>>, query: string): string | null {
  const bearer = /^Bearer\s+(.+)$/i.exec(headers['authorization'] ?? '')?.[1];
  const asked = /(?:^|&)key=([^&]+)/.exec(query)?.[1];
  return (
    headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers['api-key'] ?? bearer ?? (asked ? decoded(asked) : null)
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
