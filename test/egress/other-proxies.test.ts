/** Proxies of other processes: whom they trust, and what remains of them when they are killed. */
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { certificate } from './certificate.ts';
import { connectTo, get, Outside, say } from './outside-server.ts';

const PROGRAM = fileURLToPath(new URL('proxy-program.ts', import.meta.url));

async function doorApart(dir: string, upstream: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [PROGRAM, dir, upstream], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  const said = await new Promise<string>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`it ended: ${text}`)));
    child.stdout.on('data', (part) => {
      text += part;
      if (text.endsWith('\n')) resolve(text);
    });
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  return JSON.parse(said) as { readonly socket: string; readonly answer: string };
}

test('an upstream must be who it says it is, by the certificates that the operator trusts', async () => {
  await using outside = await Outside.start();
  const { key, cert } = certificate();
  const server = createServer({ key, cert }, (_, response) => response.end('over TLS'));
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const file = join(outside.dir, 'ca.pem');
    writeFileSync(file, cert);
    const dir = join(outside.dir, 'd');
    const stranger = await doorApart(dir, `https://localhost:${port}`);
    expect(stranger.answer).toMatch(/^HTTP\/1\.1 502[\s\S]*(?:SELF_SIGNED|UNABLE_TO_VERIFY)/);
    const known = await doorApart(dir, `https://localhost:${port}`, { NODE_EXTRA_CA_CERTS: file });
    expect(known.answer).toMatch(/^HTTP\/1\.1 200[\s\S]*over TLS/);
    // The same server under another name.
    const other = await doorApart(dir, `https://127.0.0.1:${port}`, { NODE_EXTRA_CA_CERTS: file });
    expect(other.answer).toMatch(/^HTTP\/1\.1 502[\s\S]*ALTNAME/);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('the socket of a killed process is swept when the next proxy is opened', async () => {
  await using outside = await Outside.start();
  const { socket } = await doorApart(join(outside.dir, 'd'), 'http://127.0.0.1:1');
  expect(existsSync(socket)).toBe(true);
  await using proxy = await outside.open();
  expect(existsSync(socket)).toBe(false);
  expect(existsSync(proxy.socket)).toBe(true);
});

test('for any bytes, only allowed requests go out, and the proxy stays open', async () => {
  await using outside = await Outside.start();
  const { port } = outside;
  await using proxy = await outside.open({ maxRequests: 100_000 });
  const seeds = [
    connectTo(`good.test:${port}`),
    get(`http://good.test:${port}/x`),
    connectTo('169.254.169.254:80'),
    get('/v1'),
  ];
  const change = fc.record({
    at: fc.nat(200),
    cut: fc.nat(12),
    put: fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.constantFrom('\0', '\r\n', '\n', ' ', '@', '[::1]', '127.0.0.1', '%00', '.', ':'),
    ),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...seeds),
      fc.array(change, { minLength: 1, maxLength: 3 }),
      async (seed, changes) => {
        const text = changes.reduce((now, { at, cut, put }) => now.slice(0, at) + put + now.slice(at + cut), seed);
        await say(proxy, Buffer.from(`${text}\r\n\r\n`, 'latin1'), /HTTP\/1\.1 \d/);
      },
    ),
    { numRuns: 150 },
  );
  expect(new Set(outside.asked)).toEqual(new Set(outside.asked.length === 0 ? [] : ['good.test']));
  expect(await say(proxy, get(`http://good.test:${port}/`))).toMatch(/^HTTP\/1\.1 200/);
  const allowed = proxy.report().decisions.filter((one) => one.allowed);
  expect(new Set(allowed.map(({ host }) => host))).toEqual(new Set(['good.test']));
  // A tunnel is refused when it is open already; nothing of it goes out then.
  const good = proxy.report().decisions.filter(({ host, port: at }) => host === 'good.test' && at === port);
  expect(outside.connections).toBeLessThanOrEqual(good.reduce((sum, { count }) => sum + count, 0));
  expect(proxy.report().decisions.some((one) => !one.allowed)).toBe(true);
});
