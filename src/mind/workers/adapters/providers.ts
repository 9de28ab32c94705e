/**
 * The providers of model calls. A base is what the vendor's own clients use: for OpenAI with its `/v1`, for the others
 * without. Programs inside get the bridge's address for it and call paths below that.
 */
import type { AllowedCall } from '../../egress/calls.ts';
import type { Provider } from '../adapter.ts';

/** OpenAI's protocol, which many others use; below a base that ends with its version. */
export const OPENAI_CALLS: readonly AllowedCall[] = [
  { method: 'POST', path: '/responses' },
  // The server shortens a long session.
  { method: 'POST', path: '/responses/compact' },
  { method: 'POST', path: '/chat/completions' },
  { method: 'GET', path: '/models' },
  { method: 'GET', path: '/models/*' },
];

export const ANTHROPIC: Provider = {
  name: 'anthropic',
  keys: [
    { variable: 'ANTHROPIC_API_KEY', header: 'x-api-key', prefix: '' },
    { variable: 'ANTHROPIC_AUTH_TOKEN', header: 'authorization', prefix: 'Bearer ' },
  ],
  upstream: 'https://api.anthropic.com',
  upstreamVariable: 'ANTHROPIC_BASE_URL',
  calls: [
    { method: 'POST', path: '/v1/messages' },
    { method: 'POST', path: '/v1/messages/count_tokens' },
    { method: 'GET', path: '/v1/models' },
    { method: 'GET', path: '/v1/models/*' },
    // Checks whether the server is there.
    { method: 'HEAD', path: '/' },
    { method: 'GET', path: '/' },
  ],
};

export const OPENAI: Provider = {
  name: 'openai',
  keys: [
    { variable: 'OPENAI_API_KEY', header: 'authorization', prefix: 'Bearer ' },
    { variable: 'CODEX_API_KEY', header: 'authorization', prefix: 'Bearer ' },
  ],
  upstream: 'https://api.openai.com/v1',
  upstreamVariable: 'OPENAI_BASE_URL',
  calls: OPENAI_CALLS,
};

/** The placeholder for a program that requires a key. It opens nothing: the proxy adds the real one outside. */
export const NO_KEY = 'supervisor-holds-the-key';
