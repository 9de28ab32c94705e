/**
 * IF-23: messages to a person go nowhere else, delay nothing and hold no secret; each refusal beside a delivery that
 * works.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { find, type ResolveHost, systemResolve, trusted } from '../../src/hands/egress/connect.ts';
import { notifier } from '../../src/hands/notify/notifier.ts';
import type { TaskId } from '../../src/kernel/ids.ts';
import { type Channel, notifyConfig, quietMinutes } from '../../src/mind/config/notify-config.ts';
import type { Effect, NotifySend } from '../../src/mind/domain/work.ts';

type Got = { readonly path: string; readonly headers: IncomingMessage['headers']; readonly body: string };

/** A real server on loopback that keeps what it was sent. */
async function serve(answer?: RequestListener) {
  const got: Got[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      got.push({ path: request.url ?? '', headers: request.headers, body });
      if (answer === undefined) response.end('ok');
      else answer(request, response);
    });
  });
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    got,
    port,
    url: `http://127.0.0.1:${port}/hook`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

const WAITS: NotifySend = {
  kind: 'notify.send',
  title: 'fix <!channel> the parser',
  spec: { version: 1, text: 'the whole text with much more' },
  status: 'waiting',
  asks: true,
};
const { asks: _, ...END } = WAITS;
const ENDED: NotifySend = { ...END, status: 'accepted' };

type Options = {
  readonly work?: NotifySend;
  readonly env?: Readonly<Record<string, string>>;
  readonly resolve?: ResolveHost;
  readonly minute?: number;
  readonly timeoutMs?: number;
};

async function send(written: unknown, options: Options = {}): Promise<string> {
  return (await report([written], options)).result.replace('written to the application log; ', '');
}

async function report(
  written: readonly unknown[],
  { work = WAITS, env = {}, resolve, minute = 720, timeoutMs }: Options = {},
) {
  const channels = v.parse(notifyConfig, written) as Channel[];
  const hand = notifier({
    log: () => {},
    channels: () => channels,
    env: (name) => env[name],
    variables: () => ({ PATH: process.env['PATH'] ?? '', ...env }),
    now: () => new Date(2026, 5, 1, Math.floor(minute / 60), minute % 60, 30),
    find: (host, allowPrivate) => find(resolve ?? systemResolve, host, allowPrivate),
    trusted,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  const effect = {
    key: 'k',
    stream: 'task/t-1',
    task: 't-1' as TaskId,
    step: null,
    token: 1,
    started: false,
    work,
  } as Effect;
  const context = { signal: new AbortController().signal, keep: async () => '' as never, read: async () => null };
  return hand.run(effect, work, context);
}

describe('a message is delivered', () => {
  test('to a webhook: ids, the status and the command, none of the text of the task', async () => {
    await using server = await serve();
    expect(await send({ kind: 'webhook', url: server.url, private: true })).toBe('webhook: sent');
    expect(server.got).toHaveLength(1);
    expect(JSON.parse(server.got[0]?.body ?? '')).toMatchObject({
      task: 't-1',
      status: 'waiting',
      command: 'supervisor show t-1',
    });
    expect(server.got[0]?.body).not.toContain('much more');
  });

  test('to Slack: as its webhook takes it, and a title pings no person', async () => {
    await using server = await serve();
    const env = { SLACK_URL: server.url };
    expect(await send({ kind: 'slack', url_env: 'SLACK_URL', private: true }, { env })).toBe('slack: sent');
    const { text } = JSON.parse(server.got[0]?.body ?? '') as { text: string };
    expect(text).toContain('task t-1 waits for you: supervisor show t-1');
    expect(text).toContain('fix &lt;!channel&gt; the parser');
    expect(await send({ kind: 'slack', url_env: 'NONE', private: true })).toBe(
      'slack: failed: the variable NONE is not set',
    );
  });

  test('to ntfy: title, priority and token as headers, and no text of the task', async () => {
    await using server = await serve();
    const channel = { kind: 'ntfy', url: server.url, token_env: 'NTFY', private: true };
    expect(await send(channel, { env: { NTFY: 'tk_1' } })).toBe('ntfy: sent');
    expect(server.got[0]).toMatchObject({
      body: 'task t-1 waits for you: supervisor show t-1',
      headers: { title: 'Supervisor waits for you', priority: 'high', authorization: 'Bearer tk_1' },
    });
    expect(JSON.stringify(server.got)).not.toContain('parser');
  });

  test('by a command and on the desktop, as programs of the person', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'supervisor-test-'));
    try {
      const file = join(dir, 'told');
      const program = (name: string, text: string) => {
        writeFileSync(join(dir, name), `#!/bin/sh\n${text}\n`);
        chmodSync(join(dir, name), 0o755);
        return join(dir, name);
      };
      expect(await send({ kind: 'command', command: [program('tell', `cat > ${file}`)] })).toBe('command: sent');
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ task: 't-1', about: 'fix <!channel> the parser' });
      expect(await send({ kind: 'command', command: [program('bad', 'exit 3')] })).toBe(
        'command: failed (exit code 3)',
      );
      expect(await send({ kind: 'command', command: [join(dir, 'none')] })).toBe('command: failed (missing)');
      program('notify-send', `printf '%s\\n' "$@" > ${file}`);
      const env = { PATH: `${dir}:${process.env['PATH']}` };
      expect(await send({ kind: 'desktop' }, { env })).toBe('desktop: sent');
      expect(readFileSync(file, 'utf8')).toContain('task t-1 waits for you');
      expect(await send({ kind: 'desktop' }, { env: { PATH: '/nonexistent' } })).toBe(
        'desktop: notify-send is not installed',
      );
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

describe('a message is not sent', () => {
  test.each([
    ['http://169.254.169.254/latest/meta-data/', 'it leads to 169.254.169.254, which is never allowed'],
    ['http://[fd00:ec2::254]/', 'it leads to fd00:ec2::254, which is never allowed'],
    ['http://0x7f.1:6379/', 'it leads to 127.0.0.1, a private address'],
    ['http://10.0.0.1/', 'it leads to 10.0.0.1, a private address'],
    ['http://name:word@example.com/', 'name and password do not belong into the address'],
  ])('to %s: %s', async (url, why) => {
    expect(await send({ kind: 'webhook', url })).toBe(`webhook: refused: ${why}`);
  });

  test('to a metadata address, also when the person says that it is private', async () => {
    expect(await send({ kind: 'webhook', url: 'http://169.254.169.254/', private: true })).toContain('never allowed');
  });

  test('into this machine, unless the person says so of this very host', async () => {
    await using server = await serve();
    expect(await send({ kind: 'webhook', url: server.url })).toContain('a private address');
    expect(server.got).toEqual([]);
    expect(await send({ kind: 'webhook', url: server.url, private: true })).toBe('webhook: sent');
  });

  test('to a public name that leads into this machine; and the name is looked up once', async () => {
    await using server = await serve();
    const url = `http://hooks.example:${server.port}/`;
    let looked = 0;
    // A server of names that says something else the second time.
    const resolve = async () => (looked++ === 0 ? ['127.0.0.1'] : ['169.254.169.254']);
    expect(await send({ kind: 'webhook', url }, { resolve })).toContain('refused: it leads to 127.0.0.1');
    looked = 0;
    expect(await send({ kind: 'webhook', url, private: true }, { resolve })).toBe('webhook: sent');
    expect(looked).toBe(1);
    expect(server.got).toHaveLength(1);
    const mixed = async () => ['93.184.216.34', '127.0.0.1'];
    expect(await send({ kind: 'webhook', url }, { resolve: mixed })).toContain('refused');
    expect(server.got).toHaveLength(1);
  });

  test('on to where a server redirects', async () => {
    await using target = await serve();
    await using server = await serve((_, response) => response.writeHead(307, { location: target.url }).end());
    expect(await send({ kind: 'webhook', url: server.url, private: true })).toBe(
      'webhook: refused: it redirects (307), which is not followed',
    );
    expect([server.got.length, target.got.length]).toEqual([1, 0]);
    // The control: who follows gets there.
    await fetch(server.url, { method: 'POST', body: 'x' });
    expect(target.got).toHaveLength(1);
  });

  test('to what is no http address', () => {
    for (const url of ['file:///etc/passwd', 'gopher://127.0.0.1:6379/_', 'example.com'])
      expect(v.safeParse(notifyConfig, [{ kind: 'webhook', url }]).success, url).toBe(false);
  });
});

describe('a faulty server delays nothing', () => {
  test('a server that never answers, one that drips, one that floods, one that fails', async () => {
    await using silent = await serve(() => {});
    const channel = { kind: 'webhook', url: silent.url, private: true };
    expect(await send(channel, { timeoutMs: 50 })).toBe('webhook: failed (no answer in time)');
    await using drips = await serve((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(timer));
    });
    expect(await send({ ...channel, url: drips.url }, { timeoutMs: 200 })).toBe('webhook: failed (no answer in time)');
    await using floods = await serve((_, response) => {
      response.writeHead(200);
      const more = () => {
        while (response.writable && response.write('x'.repeat(65_536)));
        if (response.writable) response.once('drain', more);
      };
      more();
    });
    expect(await send({ ...channel, url: floods.url })).toBe('webhook: sent');
    await using fails = await serve((_, response) => response.writeHead(500).end());
    expect(await send({ ...channel, url: fails.url })).toBe('webhook: failed (status 500)');
  });

  test('a server that does not exist, one that does not speak HTTP', async () => {
    const server = createTcpServer((socket) => socket.end('hello\r\n\r\n', () => socket.destroy()));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-path`;
    const told = await send({ kind: 'webhook', url, private: true });
    expect(told).toMatch(/^webhook: failed \([A-Z_]+\)$/);
    await new Promise((done) => server.close(done));
    expect(await send({ kind: 'webhook', url, private: true })).toBe('webhook: failed (ECONNREFUSED)');
  });

  test('a server that switches to another protocol', async () => {
    await using switches = await serve((_, response) => {
      response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    });
    expect(await send({ kind: 'webhook', url: switches.url, private: true })).toBe('webhook: failed (ECONNRESET)');
    expect(switches.got).toHaveLength(1);
  });

  test('a server of names that never answers', async () => {
    const resolve = () => new Promise<never>(() => {});
    expect(await send({ kind: 'webhook', url: 'http://hooks.example/' }, { resolve, timeoutMs: 50 })).toBe(
      'webhook: failed (no answer in time)',
    );
  });
});

describe('a person is left alone', () => {
  test('in quiet hours, also over midnight; the record says so', async () => {
    await using server = await serve();
    const channel = { kind: 'webhook', url: server.url, private: true, quiet: '22:00-07:00' };
    expect(await send(channel, { minute: 23 * 60 })).toBe('webhook: held in quiet hours (22:00-07:00)');
    expect(server.got).toEqual([]);
    expect(await send(channel, { minute: 12 * 60 })).toBe('webhook: sent');
    const left = [6 * 60 + 59, 7 * 60, 22 * 60].map((minute) => quietMinutes('22:00-07:00', minute));
    expect(left).toEqual([1, 0, 9 * 60]);
    expect([59, 60, 119, 120].map((minute) => quietMinutes('01:00-02:00', minute))).toEqual([0, 60, 1, 0]);
  });

  test('and told how long; one message after them goes where something was held, and only there', async () => {
    await using server = await serve();
    await using other = await serve();
    const channels = [
      { kind: 'webhook', url: server.url, private: true, quiet: '22:00-07:00' },
      { kind: 'webhook', url: other.url, private: true },
    ];
    const night = { minute: 23 * 60 };
    expect(await report(channels, night)).toMatchObject({ quiet_ms: 8 * 3_600_000 - 30_000 });
    expect([server.got.length, other.got.length]).toEqual([0, 1]);
    const digest: NotifySend = { ...END, status: 'digest', digest: { asks: ['t-1' as TaskId], ended: [] } };
    expect(await report(channels, { work: digest, ...night })).toMatchObject({ quiet_ms: 8 * 3_600_000 - 30_000 });
    expect([server.got.length, other.got.length]).toEqual([0, 1]);
    expect(await report(channels, { work: digest })).toEqual({
      result: 'written to the application log; webhook: sent',
    });
    expect([server.got.length, other.got.length]).toEqual([1, 1]);
    expect(JSON.parse(server.got[0]?.body ?? '')).toMatchObject({ status: 'digest', tasks: ['t-1'], about: null });
  });

  test('of how tasks ended, if only questions are asked for', async () => {
    await using server = await serve();
    const channel = { kind: 'webhook', url: server.url, private: true, on: 'asks' };
    expect(await send(channel, { work: ENDED })).toBe('webhook: not asked for');
    expect(await send(channel)).toBe('webhook: sent');
    expect(server.got).toHaveLength(1);
  });
});
