/** The route: what the operator's key may be used for, and that it does not come back, however it is written. */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callProblem, withoutCredentials } from '../../src/mind/egress/calls.ts';
import { acp } from '../../src/mind/workers/adapters/acp.ts';
import { GOOGLE } from '../../src/mind/workers/adapters/gemini.ts';
import { http } from '../../src/mind/workers/adapters/http.ts';
import { ADAPTERS } from '../../src/mind/workers/adapters/index.ts';
import { ANTHROPIC, OPENAI } from '../../src/mind/workers/adapters/providers.ts';
import { wayOut } from '../../src/mind/workers/model-access.ts';
import { get, KEY, Outside, say } from './outside-server.ts';

const ask = (method: string, path: string, more = '') =>
  get(path, `Content-Length: 0\r\n${more}`).replace('GET', method);

describe('requests that are allowed with the key', () => {
  const TAKEN: [provider: typeof ANTHROPIC, method: string, path: string][] = [
    [ANTHROPIC, 'POST', '/v1/messages?beta=true'],
    [ANTHROPIC, 'POST', '/v1/messages/count_tokens'],
    [ANTHROPIC, 'GET', '/v1/models/claude-x-1'],
    [ANTHROPIC, 'HEAD', '/'],
    [OPENAI, 'POST', '/responses'],
    [OPENAI, 'POST', '/chat/completions'],
    [OPENAI, 'GET', '/models?client_version=1'],
    [OPENAI, 'GET', '/models/ft:one:two'],
    [GOOGLE, 'POST', '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse'],
    [GOOGLE, 'POST', '/v1beta/models/gemini-2.5-flash:countTokens'],
    [GOOGLE, 'GET', '/v1beta/models'],
  ];
  const REFUSED: [provider: typeof ANTHROPIC, method: string, path: string][] = [
    [ANTHROPIC, 'GET', '/v1/files'],
    [ANTHROPIC, 'DELETE', '/v1/files/file_1'],
    [ANTHROPIC, 'GET', '/v1/messages'],
    [ANTHROPIC, 'POST', '/v1/messages/batches'],
    [ANTHROPIC, 'GET', '/v1/organizations/api_keys'],
    [ANTHROPIC, 'POST', '//v1/messages'],
    [ANTHROPIC, 'POST', '/v1//messages'],
    [ANTHROPIC, 'POST', '/v1/messages/'],
    [ANTHROPIC, 'POST', '/v1/messages;x=/v1/files'],
    [ANTHROPIC, 'POST', '/v1/message%73'],
    [ANTHROPIC, 'GET', '/v1/models/%2e%2e'],
    [ANTHROPIC, 'GET', '/v1/models/..%2ffiles'],
    [ANTHROPIC, 'GET', '/v1/models/.'],
    [ANTHROPIC, 'GET', '/V1/models'],
    [OPENAI, 'GET', '/files'],
    [OPENAI, 'POST', '/files'],
    [OPENAI, 'DELETE', '/models/ft:mine'],
    [OPENAI, 'GET', '/responses/resp_of_somebody_else'],
    [OPENAI, 'POST', '/fine_tuning/jobs'],
    [OPENAI, 'GET', '/models/a/../../organization/users'],
    [GOOGLE, 'POST', '/v1beta/models/m:predictLongRunning'],
    [GOOGLE, 'POST', '/v1beta/models/m:delete:generateContent'],
    [GOOGLE, 'POST', '/v1beta/models/:generateContent'],
    [GOOGLE, 'POST', '/v1beta/cachedContents'],
    [GOOGLE, 'POST', '/upload/v1beta/files'],
  ];

  test.each(TAKEN)('$0.name: %s %s', ({ calls }, method, path) => {
    expect(callProblem(calls, method, path)).toBeNull();
  });
  test.each(REFUSED)('$0.name: not %s %s', ({ calls }, method, path) => {
    expect(callProblem(calls, method, path)).toMatch(/is not a model call$/);
  });

  test('every provider of every adapter says what it is; agents of others have the calls of all', () => {
    for (const { name, providers } of Object.values(ADAPTERS))
      for (const { calls } of providers) expect(calls.length, name).toBeGreaterThan(0);
    expect(http.providers.flatMap(({ calls }) => calls)).toEqual([{ method: 'POST', path: '/chat/completions' }]);
    for (const { calls } of acp.providers)
      expect(calls).toEqual([ANTHROPIC, OPENAI, GOOGLE].flatMap((provider) => provider.calls));
    const has = { variable: () => 'a-key-of-mine', login: () => false, extra: [] };
    expect(wayOut('http', http, { adapter: 'http' } as never, has)).toMatchObject({
      type: 'key',
      calls: http.providers[0]?.calls,
    });
  });

  test('an accepted path means the same to every server that reads it next', () => {
    const { calls } = { calls: [ANTHROPIC, OPENAI, GOOGLE].flatMap((provider) => provider.calls) };
    const piece = fc.constantFrom(
      ...['v1', 'v1beta', 'models', 'messages', '..', '.', '%2e%2e', '', 'm:x', '%2f', ';', 'm'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), fc.constantFrom('GET', 'POST', 'HEAD'), (pieces, method) => {
        const path = `/${pieces.join('/')}`;
        if (callProblem(calls, method, path) === null) expect(new URL(`http://x${path}`).pathname).toBe(path);
      }),
      { numRuns: 2000 },
    );
  });

  test('a proxy enforces it: no server outside receives the rest, and the record names it', async () => {
    await using outside = await Outside.start();
    const route = outside.route('');
    await using proxy = await outside.open({ route: { ...route, calls: ANTHROPIC.calls } });
    // The control: without the list the key opens everything there.
    await using open = await outside.open({ route });
    for (const [method, path] of [
      ['DELETE', '/v1/files/file_1'],
      ['GET', '/v1/organizations/api_keys'],
      ['POST', '/v1//messages'],
    ] as const) {
      expect(await say(open, ask(method, path))).toMatch(/^HTTP\/1\.1 200 /);
      expect(outside.heard.at(-1)).toMatchObject({ method, url: path, headers: { 'x-api-key': KEY } });
      const before = outside.heard.length;
      expect(await say(proxy, ask(method, path))).toMatch(/^HTTP\/1\.1 403 [\s\S]*is not a model call/);
      expect(outside.heard).toHaveLength(before);
      const reason = `${method} ${path} is not a model call`;
      expect(proxy.report().decisions.at(-1)).toMatchObject({ kind: 'route', allowed: false, reason, count: 1 });
    }
    expect(await say(proxy, ask('POST', '/v1/messages?beta=true'))).toMatch(/^HTTP\/1\.1 200 /);
    expect(proxy.report().upstream).toBeNull();
  });

  test('a request is what it looks like, and has no key of its own', async () => {
    await using outside = await Outside.start();
    await using proxy = await outside.open({ route: { ...outside.route(''), calls: GOOGLE.calls } });
    const path = '/v1beta/models/m:generateContent';
    const odd = 'X-HTTP-Method-Override: DELETE\r\nX-Original-URL: /v1beta/files\r\nRange: bytes=0-4\r\n';
    await say(proxy, ask('POST', `${path}?alt=sse&key=mine&%6bey=mine&a=1;token=x&Access_Token=x&$key=x`, odd));
    const [heard] = outside.heard;
    expect(heard?.url).toBe(`${path}?alt=sse`);
    expect(Object.keys(heard?.headers ?? {}).filter((name) => /override|original|range/.test(name))).toEqual([]);
    expect(withoutCredentials(`${path}?key=x`)).toBe(path);
    expect(withoutCredentials(`${path}?keys=x&monkey=y&=&%zz`)).toBe(`${path}?keys=x&monkey=y&=&%zz`);
  });
});

describe('the key does not come back', () => {
  test('in the words of a status', async () => {
    await using outside = await Outside.start();
    await using proxy = await outside.open({ route: outside.route() });
    outside.answer = (_, response) => response.writeHead(401, `bad key ${KEY}`).end('no');
    // The control: the server does say it.
    const direct = await fetch(`http://127.0.0.1:${outside.port}/`);
    expect(direct.statusText).toContain(KEY);
    expect(await say(proxy, get('/'))).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/);
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['identity, gzip', gzipSync],
  ])('coded as %s, although it was not requested', async (coding, code) => {
    await using outside = await Outside.start();
    await using proxy = await outside.open({ route: outside.route() });
    outside.answer = (_, response) =>
      response.writeHead(401, { 'content-encoding': coding }).end(code(`bad key ${KEY}`));
    const text = await say(proxy, get('/', 'Accept-Encoding: gzip, br\r\n'));
    expect(text).toMatch(/^HTTP\/1\.1 502 [\s\S]*the answer is coded \((?:gzip|br)\)/);
    expect(outside.heard.at(-1)?.headers['accept-encoding']).toBe('identity');
    outside.answer = (_, response) => response.writeHead(401, { 'content-encoding': 'identity' }).end('plain');
    expect(await say(proxy, get('/'))).toMatch(/^HTTP\/1\.1 401 [\s\S]*plain/);
  });

  test('coded on its way', async () => {
    await using outside = await Outside.start();
    await using proxy = await outside.open({ route: outside.route() });
    const body = gzipSync(KEY);
    outside.answer = (_, response) => {
      const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n';
      const part = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
      response.socket?.end(Buffer.concat([Buffer.from(head), part]));
    };
    expect(await say(proxy, get('/'))).toMatch(/^HTTP\/1\.1 502 /);
  });

  test('in base64 at any place, escaped, or percent-encoded, in whatever pieces', async () => {
    await using outside = await Outside.start();
    const secret = 'canary/key+4c1f0b7d==';
    const route = { ...outside.route(), headers: { authorization: `Bearer ${secret}` } };
    await using proxy = await outside.open({ route });
    const escaped = [...secret].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    const spelled = [
      ...['', 'x', 'xy', 'Authorization: Bearer '].map((before) =>
        Buffer.from(`${before}${secret} and`).toString('base64'),
      ),
      Buffer.from(secret).toString('base64url'),
      ...[escaped, encodeURIComponent(secret)],
    ];
    for (const one of spelled) {
      for (const size of [1, 1000]) {
        outside.answer = (_, response) => {
          response.writeHead(401, { 'x-said': one });
          for (let at = 0; at < one.length; at += size) response.write(one.slice(at, at + size));
          response.end();
        };
        const text = await say(proxy, get('/'));
        const body = [...text.matchAll(/\r\n[0-9a-f]+\r\n([^\r]*)/g)].map(([, part]) => part).join('');
        expect(body).toHaveLength(one.length);
        for (const place of [body, text]) expect(shownIn(place, secret), one).toBe(false);
        expect(shownIn(one, secret)).toBe(true);
      }
    }
  });
});

/** Whether eight letters of it in a row can be had from this text, by whatever was done to it. */
function shownIn(text: string, secret: string): boolean {
  const words = text.split(/[^\w+/%=\\-]+/);
  const read = words.flatMap((word) => [
    word.replaceAll(/\\u([0-9a-f]{4})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    word.replaceAll(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    ...[0, 1, 2, 3].map((at) => Buffer.from(word.slice(at), 'base64').toString('latin1')),
  ]);
  return Array.from({ length: secret.length - 7 }, (_, at) => secret.slice(at, at + 8)).some((part) =>
    read.some((one) => one.includes(part)),
  );
}
