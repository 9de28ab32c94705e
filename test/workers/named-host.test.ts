/** A failed call names the server it was meant for, never the port of our own bridge. */
import { expect, test } from 'vitest';
import { BRIDGE_URL } from '../../src/mind/workers/bridge.ts';
import { namingHost } from '../../src/mind/workers/named-host.ts';

const route = (port: number | null = 443, reason: string | null = null) =>
  ({ kind: 'route', host: 'api.example.com', port, reason }) as const;

test.each([
  [`connect ECONNREFUSED ${BRIDGE_URL.slice(7)}`, 'connect ECONNREFUSED api.example.com'],
  [
    `error sending request for url (${BRIDGE_URL}/v1/responses)`,
    'error sending request for url (api.example.com/v1/responses)',
  ],
  ['API Error: 529 overloaded', 'API Error: 529 overloaded (server: api.example.com)'],
  ['502 api.example.com did not answer (ENOTFOUND)', '502 api.example.com did not answer (ENOTFOUND)'],
])('%s', (said, named) => {
  expect(namingHost(said, 'transient', [route()])).toBe(named);
});

test('an unusual port is part of the name; other failures keep their words', () => {
  expect(namingHost('fetch failed', 'transient', [route(8443)])).toBe('fetch failed (server: api.example.com:8443)');
  expect(namingHost('gate failed: tests', 'invalid', [route()])).toBe('gate failed: tests');
  expect(namingHost('fetch failed', 'transient', [])).toBe('fetch failed');
});

test('with a login, the host that could not be reached through the tunnel is named', () => {
  const tunnel = { kind: 'connect', host: 'chatgpt.example', port: 443, reason: 'it did not answer' } as const;
  expect(namingHost('stream closed', 'transient', [tunnel])).toBe('stream closed (server: chatgpt.example)');
});
