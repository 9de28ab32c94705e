/** The server itself: where it listens, what it keeps, and that it ends. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { StandIn } from '../../src/hands/stand-in/stand-in.ts';
import { ask } from './ask.ts';

const SCENARIO = { turns: [{ text: 'here' }] };

test('the server listens on a UNIX socket, and leaves none behind', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'socket-'));
  const socketPath = join(dir, 's');
  try {
    await using server = new StandIn({ scenario: SCENARIO });
    expect(await server.listen({ socket: socketPath })).toEqual({ url: 'http://localhost', port: null });
    const body = await new Promise<string>((resolve, reject) => {
      const call = request({ socketPath, method: 'POST', path: '/v1/chat/completions' }, async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve(text);
      });
      call.on('error', reject);
      call.end('{"model":"m","messages":[]}');
    });
    expect(body).toContain('here');
    await server.close();
    expect(existsSync(socketPath)).toBe(false);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('the server listens on a given port, and says when that is taken', async () => {
  await using first = new StandIn({ scenario: SCENARIO });
  const { port } = await first.listen();
  await using second = new StandIn({ scenario: SCENARIO });
  await expect(second.listen({ port: port! })).rejects.toThrow('EADDRINUSE');
  await first.close();
  expect(await second.listen({ port: port! })).toEqual({ url: `http://127.0.0.1:${port}`, port });
});

test('the server keeps the newest requests and counts all', async () => {
  await using server = new StandIn({ scenario: SCENARIO, maxRequests: 3 });
  const { url } = await server.listen();
  for (const model of ['a', 'b', 'c', 'd', 'e']) await (await ask(url, 'chat', { model })).text();
  expect(server.requests.map(({ model }) => model)).toEqual(['c', 'd', 'e']);
  expect(server.count).toBe(5);
});

test('the server reads packed requests, and survives unreadable ones', async () => {
  await using server = new StandIn({ scenario: SCENARIO });
  const { url } = await server.listen();
  const post = (body: Uint8Array<ArrayBuffer> | string, encoding?: string) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      body,
      headers: encoding === undefined ? {} : { 'content-encoding': encoding },
    });
  expect((await post(gzipSync('{"model":"packed"}'), 'gzip')).status).toBe(200);
  const bad = await post('no gzip', 'gzip');
  expect([bad.status, await bad.text()]).toEqual([500, expect.stringContaining('stand-in: ')]);
  expect((await post('no json')).status).toBe(200);
  expect(server.requests.map(({ model }) => model)).toEqual(['packed', '']);
});

test('closing hangs up on those who were left waiting', async () => {
  const server = new StandIn({ scenario: { turns: [{ fault: 'hang' }, { text: 'late', delay: '1h' }] } });
  const { url } = await server.listen();
  const waiting = [ask(url, 'chat'), ask(url, 'gemini')].map((one) =>
    one.then(
      () => 'answered',
      () => 'hung up',
    ),
  );
  while (server.count < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  await server.close();
  expect(await Promise.all(waiting)).toEqual(['hung up', 'hung up']);
});
