/**
 * Who answers the model calls. A base is what the vendor's own clients take as one: for OpenAI with its `/v1`, for the
 * others without; programs inside are given the bridge's address for it and ask below that.
 */
import type { Provider } from '../adapter.ts';

export const ANTHROPIC: Provider = {
  name: 'anthropic',
  keys: [
    { variable: 'ANTHROPIC_API_KEY', header: 'x-api-key', prefix: '' },
    { variable: 'ANTHROPIC_AUTH_TOKEN', header: 'authorization', prefix: 'Bearer ' },
  ],
  upstream: 'https://api.anthropic.com',
  upstreamVariable: 'ANTHROPIC_BASE_URL',
};

export const OPENAI: Provider = {
  name: 'openai',
  keys: [
    { variable: 'OPENAI_API_KEY', header: 'authorization', prefix: 'Bearer ' },
    { variable: 'CODEX_API_KEY', header: 'authorization', prefix: 'Bearer ' },
  ],
  upstream: 'https://api.openai.com/v1',
  upstreamVariable: 'OPENAI_BASE_URL',
};

/** What a program is given where it wants a key. It opens nothing: the real one is put on outside. */
export const NO_KEY = 'supervisor-holds-the-key';
