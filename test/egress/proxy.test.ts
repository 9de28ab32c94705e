/** A proxy itself, without a sandbox: what it lets out, what it refuses, and what it says of both. */
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hello } from './hello-bytes.ts';
import { connectTo, get, KEY, Outside, say, stay } from './outside-server.ts';

/** To a server that does not speak TLS, and says so: what it says shows that both ways are open. */
const greet = (host: string, port: number): Buffer =>
  Buffer.concat([Buffer.from(connectTo(`${host}:${port}`)), hello(host.toLowerCase())]);

test('plain HTTP and CONNECT to what the list allows, counted and logged', async () => {
  await using outside = await Outside.start();
  await using proxy = await outside.open();
  const { port } = outside;
  expect(await say(proxy, get(`http://good.test:${port}/a?b=1`, 'X-Mine: 1\r\nProxy-Authorization: no\r\n'))).toMatch(
    /^HTTP\/1\.1 200 OK[\s\S]*hello from outside/,
  );
  const [heard] = outside.heard;
  expect(heard).toMatchObject({ url: '/a?b=1', headers: { host: `good.test:${port}`, 'x-mine': '1' } });
  expect(heard?.headers['proxy-authorization']).toBeUndefined();
  const tunnelled = await say(proxy, greet('GOOD.test', port));
  expect(tunnelled).toMatch(/^HTTP\/1\.1 200 Connection established\r\n\r\nHTTP\/1\.1 400 Bad/);
  const report = proxy.report();
  expect(report.requests).toBe(2);
  expect(report.decisions).toMatchObject([
    { kind: 'http', host: 'good.test', port, allowed: true, reason: null, count: 1 },
    { kind: 'connect', host: 'good.test', port, allowed: true, reason: null, count: 1 },
  ]);
  for (const { bytesIn, bytesOut } of report.decisions) expect(Math.min(bytesIn, bytesOut)).toBeGreaterThan(20);
  expect(outside.logged.map(({ message }) => message)).toEqual(['egress_allowed', 'egress_allowed']);
});

test('everything else is refused with a reason, in the report and in the log; no server outside receives it', async () => {
  await using outside = await Outside.start();
  const { port } = outside;
  const allow = ['good.test', 'loop.test', 'meta.test', 'both.test', 'mapped.test'].map((host) => ({
    ...{ host, port },
    private: host === 'meta.test',
  }));
  await using proxy = await outside.open({ allow });
  outside.names = {
    'loop.test': ['127.0.0.1'],
    'meta.test': ['169.254.169.254'],
    'both.test': ['93.184.216.34', '10.0.0.1'],
    'mapped.test': ['::ffff:127.0.0.1'],
  };
  const cases: [target: string, reason: RegExp][] = [
    [`evil.test:${port}`, /host is not on the list/],
    [`evil.good.test:${port}`, /host is not on the list/],
    [`good.test.evil.test:${port}`, /host is not on the list/],
    ['good.test:25', /port of the host is not on the list/],
    ['good.test', /no port/],
    [`127.0.0.1:${port}`, /address instead of a name/],
    [`2130706433:${port}`, /address instead of a name/],
    [`0x7f000001:${port}`, /address instead of a name/],
    [`[::1]:${port}`, /address instead of a name/],
    [`good.test.:${port}`, /ends with a dot/],
    [`good_.test:${port}`, /not the name of a host/],
    [`me@good.test:${port}`, /user name/],
    [`good%00.test:${port}`, /percent/],
    [`loop.test:${port}`, /127\.0\.0\.1, a private address/],
    [`meta.test:${port}`, /169\.254\.169\.254, which is never/],
    [`both.test:${port}`, /10\.0\.0\.1, a private address/],
    [`mapped.test:${port}`, /private address/],
    [`evil.test\0.good.test:${port}`, /zero byte/],
    [`good.test\x01:${port}`, /control/],
    [`g\xf6od.test:${port}`, /ASCII|malformed/],
  ];
  for (const [target, reason] of cases) {
    const text = await say(proxy, Buffer.from(connectTo(target), 'latin1'));
    expect(text, target).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(text.split('\r\n\r\n')[1], target).toMatch(reason);
    expect(proxy.report().decisions.at(-1)).toMatchObject({ kind: 'connect', allowed: false, count: 1 });
    expect(outside.logged.at(-1)).toMatchObject({ message: 'egress_denied' });
  }
  for (const [target, reason] of cases.slice(0, 4)) {
    const text = await say(proxy, get(`http://${target}/`));
    expect(text).toMatch(/^HTTP\/1\.1 403 /);
    expect(text).toMatch(reason);
  }
  expect(await say(proxy, get(`https://good.test:${port}/`))).toMatch(/403[\s\S]*needs CONNECT/);
  expect(await say(proxy, get('/v1/messages'))).toMatch(/403[\s\S]*no route/);
  expect(outside.connections).toBe(0);
  expect(outside.asked).not.toContain('evil.test');
  for (const { host } of proxy.report().decisions) expect(host).toMatch(/^[ -~…\u0080-\uffff]*$/);
});

test('a name is looked up once, and the connection goes to just that address', async () => {
  await using outside = await Outside.start();
  const { port } = outside;
  // The first answer is the server; whoever asks again, or asks the system, is led elsewhere.
  let times = 0;
  outside.names = new Proxy({}, { get: () => (times++ === 0 ? ['127.0.0.1'] : ['127.0.0.99']) });
  await using proxy = await outside.open({ allow: [{ host: 'turn.test', port, private: true }] });
  expect(await say(proxy, greet('turn.test', port))).toMatch(/established[\s\S]*400 Bad/);
  expect(outside.asked).toEqual(['turn.test']);
  expect(await say(proxy, connectTo(`turn.test:${port}`))).toMatch(/^HTTP\/1\.1 502/);
});

test('over the route the key is put on outside; what the program sends under its name is gone', async () => {
  await using outside = await Outside.start();
  await using proxy = await outside.open({ route: outside.route() });
  const body = 'a'.repeat(300_000);
  const request = `POST /v1/messages?beta=1 HTTP/1.1\r\nHost: 127.0.0.1:40861\r\nX-Api-Key: fake\r\nAuthorization: Bearer fake\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
  const text = await say(proxy, request);
  expect(text).toMatch(/^HTTP\/1\.1 200/);
  const [heard] = outside.heard;
  expect(heard).toMatchObject({ method: 'POST', url: '/base/v1/messages?beta=1', body });
  expect(heard?.headers).toMatchObject({ 'x-api-key': KEY, host: `127.0.0.1:${outside.port}` });
  expect(heard?.headers.authorization).toBeUndefined();
  expect(heard?.raw.filter((name) => /^x-api-key$/i.test(name))).toHaveLength(1);
  expect(text).not.toContain(KEY);
  expect(JSON.stringify([proxy.report(), outside.logged])).not.toContain(KEY);
  for (const bad of ['/../admin', '/%2e%2e/admin']) expect(await say(proxy, get(bad))).toMatch(/403[\s\S]*dot segment/);
  // It would be answered with all that was sent, the key among it.
  expect(await say(proxy, get('/').replace('GET', 'TRACE'))).toMatch(/403[\s\S]*TRACE/);
  expect(outside.heard).toHaveLength(1);
});

test('a server that repeats the key does not give it to the program, however it is cut into pieces', async () => {
  await using outside = await Outside.start();
  const route = { ...outside.route(), headers: { authorization: `Bearer ${KEY}` } };
  await using proxy = await outside.open({ route });
  const text = `bad key ${KEY}, I said ${KEY}; almost ${KEY.slice(0, -1)}`;
  for (const size of [1, 5, 19, 1000]) {
    outside.answer = ({ headers }, response) => {
      expect(headers['accept-encoding']).toBe('identity');
      response.writeHead(401, { 'x-key': KEY, 'content-length': `${text.length}` });
      for (let at = 0; at < text.length; at += size) response.write(text.slice(at, at + size));
      response.end();
    };
    const answer = await say(proxy, get('/', 'Accept-Encoding: gzip\r\n'));
    expect(outside.heard.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(answer).not.toContain(KEY);
    const stars = '*'.repeat(KEY.length);
    expect(answer).toContain(`x-key: ${stars}`);
    expect(answer.split('\r\n\r\n')[1]).toBe(`bad key ${stars}, I said ${stars}; almost ${KEY.slice(0, -1)}`);
  }
});

test('answers are streamed as they come, redirects are passed on, 100-continue works', async () => {
  await using outside = await Outside.start();
  await using proxy = await outside.open({ route: outside.route() });
  outside.answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'set-cookie': ['a=1', 'b=2'] });
    response.write('data: one\n\n');
  };
  const first = await stay(proxy);
  first.write(get('/stream'));
  await until(() => first.text().includes('data: one'));
  expect(first.text()).toMatch(/set-cookie: a=1\r\nset-cookie: b=2/i);
  first.destroy();

  outside.answer = (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
  expect(await say(proxy, get('/moved'))).toMatch(/^HTTP\/1\.1 302 Found[\s\S]*location: http:\/\/169/i);

  outside.answer = ({ body }, response) => response.end(`got ${body}`);
  const waiting = await stay(proxy);
  waiting.write(
    'POST /slow HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\nConnection: close\r\n\r\n',
  );
  await until(() => waiting.text().includes('100 Continue'));
  waiting.write('body');
  await until(() => waiting.text().includes('got body'));
  // A body that says itself where it ends, with a method that seldom has one: what follows is not another request.
  const inner = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
  const chunked = `DELETE /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`;
  expect(await say(proxy, chunked)).toContain(`got ${inner}`);
  expect(outside.heard.map(({ url }) => url)).not.toContain('/base/smuggled');
});

test('a request that two servers could read differently is refused', async () => {
  await using outside = await Outside.start();
  await using proxy = await outside.open({ route: outside.route() });
  const head = 'POST /x HTTP/1.1\r\nHost: x\r\n';
  const cases: [string, RegExp][] = [
    [`${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, /^HTTP\/1\.1 40[03]/],
    [`${head}Content-Length: 4\r\nContent-Length: 5\r\n\r\nbodyx`, /^HTTP\/1\.1 40[03]/],
    [`${head}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, /^HTTP\/1\.1 40[03]/],
    [`${head}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`, /^HTTP\/1\.1 40[03]/],
    [`${head}Host: y\r\nContent-Length: 0\r\n\r\n`, /^HTTP\/1\.1 403[\s\S]*two hosts/],
    [`${head}X-Folded: a\r\n b\r\nContent-Length: 0\r\n\r\n`, /^HTTP\/1\.1 400/],
    ['GET /x HTTP/1.1\nHost: x\n\n', /^HTTP\/1\.1 400/],
    [`${head}X\0: 1\r\n\r\n`, /^HTTP\/1\.1 400/],
    [`${head}Content-Length : 4\r\n\r\nbody`, /^HTTP\/1\.1 400/],
    ['GET /x HTTP/3.0\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 400/],
    ['\x16\x03\x01\x02', /^HTTP\/1\.1 400/],
    [get('/x', `X-Long: ${'a'.repeat(17 << 10)}\r\n`), /^HTTP\/1\.1 431/],
    [
      get('/x', Array.from({ length: 250 }, (_, index) => `X-${index}: 1\r\n`).join('')),
      /^HTTP\/1\.1 403[\s\S]*too many/,
    ],
    [get('/x', 'Upgrade: websocket\r\n').replace('close', 'Upgrade'), /^HTTP\/1\.1 403[\s\S]*WebSocket/],
  ];
  for (const [bytes, expected] of cases) {
    const before = proxy.report().decisions.reduce((sum, { count, allowed }) => sum + (allowed ? 0 : count), 0);
    expect(await say(proxy, bytes), bytes.slice(0, 80)).toMatch(expected);
    const after = proxy.report().decisions.reduce((sum, { count, allowed }) => sum + (allowed ? 0 : count), 0);
    expect(after, bytes.slice(0, 80)).toBe(before + 1);
  }
  expect(outside.heard).toEqual([]);
  // The same request in its plain form goes through.
  expect(await say(proxy, `${head}Content-Length: 4\r\nConnection: close\r\n\r\nbody`)).toMatch(/^HTTP\/1\.1 200/);
});

test('requests and bytes are bounded', async () => {
  await using outside = await Outside.start();
  await using few = await outside.open({ route: outside.route(), maxRequests: 2 });
  for (const expected of [/ 200 /, / 200 /, /403[\s\S]*more than 2 requests/])
    expect(await say(few, get('/'))).toMatch(expected);
  expect(await say(few, connectTo(`good.test:${outside.port}`))).toMatch(/403[\s\S]*more than 2 requests/);

  outside.answer = (_, response) => response.end(Buffer.alloc(3 << 20, 'x'));
  await using small = await outside.open({ route: outside.route(), maxBytes: 1 << 20 });
  const cut = await say(small, get('/big'));
  expect(cut).toMatch(/^HTTP\/1\.1 200/);
  expect(cut.length).toBeLessThan(3 << 20);
  expect(small.report().bytesIn).toBeLessThan(2 << 20);
  expect(await say(small, get('/again'))).toMatch(/403[\s\S]*more than 1048576 bytes/);
  // In a tunnel, to a server that takes and gives whatever it can.
  const server = createServer((socket) =>
    socket
      .on('error', () => {})
      .resume()
      .write(Buffer.alloc(3 << 20, 'x')),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const allow = [{ host: 'good.test', port, private: true }];
  await using tunnel = await outside.open({ allow, maxBytes: 1 << 20 });
  expect((await say(tunnel, greet('good.test', port))).length).toBeLessThan(2 << 20);
  expect(await say(tunnel, connectTo(`good.test:${port}`))).toMatch(/403[\s\S]*bytes/);
  server.close();
});

test('the report is bounded, whatever is asked, and so is the log', async () => {
  await using outside = await Outside.start();
  await using proxy = await outside.open({ maxRequests: 10_000 });
  for (let index = 0; index < 30; index += 1) {
    const many = Array.from({ length: 10 }, (_, at) => say(proxy, connectTo(`host-${index * 10 + at}.test:443`)));
    await Promise.all(many);
  }
  const { decisions, requests } = proxy.report();
  expect(requests).toBe(300);
  expect(decisions.length).toBeLessThanOrEqual(101);
  expect(decisions.reduce((sum, { count }) => sum + count, 0)).toBe(300);
  expect(outside.logged.length).toBeLessThan(110);
});

test('the last response of the route, and when to ask again', async () => {
  await using outside = await Outside.start();
  await using proxy = await outside.open({ route: outside.route() });
  const answer = (status: number, headers = {}) => {
    outside.answer = (_, response) => response.writeHead(status, headers).end();
    return say(proxy, get('/'));
  };
  expect(proxy.report().upstream).toBeNull();
  const before = Date.now();
  await answer(429, { 'retry-after': '30' });
  const { upstream } = proxy.report();
  expect(upstream?.status).toBe(429);
  expect(upstream?.resetAt).toBeGreaterThanOrEqual(before + 30_000);
  expect(upstream?.resetAt).toBeLessThanOrEqual(Date.now() + 30_000);
  await answer(529);
  expect(proxy.report().upstream).toEqual({ status: 529, resetAt: null });
  outside.answer = (_, response) => response.writeHead(404).end();
  await say(proxy, get('/').replace('GET', 'HEAD'));
  expect(proxy.report().upstream).toEqual({ status: 529, resetAt: null });
  await answer(200);
  expect(proxy.report().upstream).toBeNull();
});

test('a host that does not answer is a failure, not a refusal; half an answer does not look like a whole one', async () => {
  await using outside = await Outside.start({ times: { connectMs: 60_000 } });
  const dead = { upstream: 'http://127.0.0.1:1', headers: {}, drop: [] };
  await using proxy = await outside.open({ route: dead, allow: [{ host: 'dead.test', port: 1, private: true }] });
  expect(await say(proxy, get('/'))).toMatch(/^HTTP\/1\.1 502[\s\S]*ECONNREFUSED/);
  expect(await say(proxy, connectTo('dead.test:1'))).toMatch(/^HTTP\/1\.1 502[\s\S]*ECONNREFUSED/);
  await using half = await outside.open({ route: outside.route() });
  outside.answer = (_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('only this', () => response.destroy());
  };
  const text = await say(half, get('/'));
  expect(text).toMatch(/content-length: 100[\s\S]*only this$/i);
  outside.answer = (_, response) => {
    response.write('only this', () => response.destroy());
  };
  expect(await say(half, get('/'))).not.toMatch(/\r\n0\r\n/);
});

test('a head that does not come is not waited for', async () => {
  await using outside = await Outside.start({ times: { headMs: 1000 } });
  await using proxy = await outside.open();
  const slow = await stay(proxy);
  slow.write('GET http://good.test/ HTTP/1.1\r\nHost:');
  const silent = await stay(proxy);
  await until(() => slow.closed && silent.closed);
  expect(slow.text()).toMatch(/^HTTP\/1\.1 408/);
});

test('closing a proxy ends all its connections and takes its file away', async () => {
  await using outside = await Outside.start();
  const proxy = await outside.open({ route: outside.route() });
  expect(statSync(proxy.socket).mode & 0o777).toBe(0o600);
  expect(statSync(join(proxy.socket, '..')).mode & 0o777).toBe(0o711);
  outside.answer = (_, response) => void response.write('for ever');
  const [tunnel, stream, idle] = [await stay(proxy), await stay(proxy), await stay(proxy)];
  tunnel.write(connectTo(`good.test:${outside.port}`));
  stream.write(get('/'));
  await until(() => tunnel.text().includes('200') && stream.text().includes('for ever'));
  await proxy[Symbol.asyncDispose]();
  await until(() => tunnel.closed && stream.closed && idle.closed);
  expect(existsSync(proxy.socket)).toBe(false);
  await expect(say(proxy, get('/'))).rejects.toThrow(/ENOENT|ECONNREFUSED/);
  await proxy[Symbol.asyncDispose]();
});

test('sockets of killed processes are swept, those of living ones and other files stay', async () => {
  await using outside = await Outside.start();
  await using proxy = await outside.open();
  const dir = join(proxy.socket, '..');
  const random = 'ab'.repeat(8);
  writeFileSync(join(dir, `zzzzz-1-00000000.${random}`), '');
  writeFileSync(join(dir, 'other'), '');
  expect(outside.proxy.sweep()).toBe(1);
  expect(readdirSync(dir).sort()).toEqual([proxy.socket.slice(dir.length + 1), 'other'].sort());
});

test('a path that is too long for a socket is used all the same', async () => {
  await using outside = await Outside.start();
  const { EgressProxies } = await import('../../src/hands/egress/proxies.ts');
  await using proxies = new EgressProxies({ dir: join(outside.dir, 'd'.repeat(90)), log: () => {} });
  const proxy = await proxies.open(outside.policy());
  expect(statSync(proxy.socket).isSocket()).toBe(true);
  await proxy[Symbol.asyncDispose]();
  expect(readdirSync(join(proxy.socket, '..'))).toEqual([]);
});

async function until(done: () => boolean): Promise<void> {
  const end = Date.now() + 120_000;
  while (!done()) {
    if (Date.now() > end) throw new Error('it did not happen');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
