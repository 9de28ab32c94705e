/** A key goes to its own vendor only; without one, a login; without that, a sentence. */
import { expect, test } from 'vitest';
import type { Adapter } from '../../src/mind/workers/adapter.ts';
import { ADAPTERS } from '../../src/mind/workers/adapters/index.ts';
import type { AdapterCli } from '../../src/mind/workers/cli-config.ts';
import { wayOut } from '../../src/mind/workers/model-access.ts';

const KEYS = { ANTHROPIC_API_KEY: 'a-key', OPENAI_API_KEY: 'o-key', OWN: 'own-key' };

function way(
  cli: string,
  more: Partial<AdapterCli> = {},
  keys: Readonly<Record<string, string>> = KEYS,
  login = false,
) {
  return wayOut(
    cli,
    ADAPTERS[cli] as Adapter,
    { type: 'adapter', adapter: cli, ...more },
    {
      ...{ variable: (name) => keys[name], login: () => login, extra: [] },
    },
  );
}

test.each([
  ['claude', {}, 'https://api.anthropic.com', { 'x-api-key': 'a-key' }],
  ['codex', {}, 'https://api.openai.com/v1', { authorization: 'Bearer o-key' }],
  ['opencode', { key: 'OPENAI_API_KEY' }, 'https://api.openai.com/v1', { authorization: 'Bearer o-key' }],
  ['opencode', { key: 'ANTHROPIC_API_KEY' }, 'https://api.anthropic.com', { 'x-api-key': 'a-key' }],
  ['copilot', { key: 'ANTHROPIC_API_KEY' }, 'https://api.anthropic.com', { 'x-api-key': 'a-key' }],
  ['opencode', { key: 'OWN', provider: 'openai' }, 'https://api.openai.com/v1', { authorization: 'Bearer own-key' }],
  ['claude', { key: 'OWN', base_url: 'http://127.0.0.1:1' }, 'http://127.0.0.1:1', { 'x-api-key': 'own-key' }],
])('%s with %j asks %s', (cli, more, upstream, headers) => {
  expect(way(cli, more)).toMatchObject({ type: 'key', upstream, headers });
});

test('a key under another name is not guessed', () => {
  expect(way('opencode', { key: 'OWN' })).toMatchObject({
    type: 'none',
    message: expect.stringMatching(/clis\.opencode\.provider/),
  });
});

test('a key that could not be a header is none; a login is taken when there is no key, or when it was asked for', () => {
  expect(way('claude', {}, { ANTHROPIC_API_KEY: 'a\nb' }).type).toBe('none');
  expect(way('claude', {}, {}, true).type).toBe('login');
  expect(way('claude', {}, KEYS, true).type).toBe('key');
  expect(way('claude', { auth: 'login' }, KEYS, true).type).toBe('login');
  expect(way('claude', { auth: 'key' }, {}, true)).toMatchObject({
    type: 'none',
    message: expect.stringContaining('ANTHROPIC_API_KEY'),
  });
});
