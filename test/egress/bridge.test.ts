/** The bridge in a real sandbox: files, input, port, signals and ends are those of the program behind it. */
import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Egress } from '../../src/engine/ports/egress.ts';
import { probeEgress } from '../../src/hands/egress/probe.ts';
import { isOurs } from '../../src/hands/sandbox/shared/users.ts';
import { get, say } from './outside-server.ts';
import { Boxed } from './sandboxed-program.ts';

const sh = (text: string): ['/bin/sh', '-c', string] => ['/bin/sh', '-c', text];

test('the bridge writes files, passes the input on to its end, and ends as the program ends', async () => {
  await using boxed = await Boxed.start();
  const input = `first line\n${'ü'.repeat(400_000)}\nlast`;
  const done = await boxed.run(
    sh('cat >in; cat /tmp/home/a/b; stat -c %a /tmp/home/a/b; wc -c <in; tail -c 4 in; exit 7'),
    null,
    {
      input,
      files: [{ path: '/tmp/home/a/b', text: 'text of it\n' }],
    },
  );
  expect(done).toMatchObject({ end: { how: 'exit', code: 7 }, stderr: '', leftovers: 0 });
  expect(done.stdout).toBe(`text of it\n600\n${Buffer.byteLength(input)}\nlast`);
  expect((await boxed.run(sh('kill -9 $$'), null)).end).toEqual({ how: 'signal', signal: 'SIGKILL' });
  expect((await boxed.run(sh('kill -15 $$'), null)).end).toEqual({ how: 'signal', signal: 'SIGTERM' });
  expect((await boxed.run(sh('exit 0'), null, { input })).end).toEqual({ how: 'exit', code: 0 });
  const missing = await boxed.run(['/nothing/there'], null);
  expect(missing.end).toEqual({ how: 'exit', code: 127 });
  expect(missing.stderr).toMatch(/supervisor: .*ENOENT/);
});

test('without a way out there is no port, and what is no plan is no run', async () => {
  await using boxed = await Boxed.start();
  const { stdout } = await boxed.run(
    sh('curl -sS http://127.0.0.1:40861/ 2>&1; ls -la /run/supervisor/egress.sock 2>&1'),
    null,
  );
  expect(stdout).toMatch(/Failed to connect[\s\S]*No such file/);
  await using proxy = await boxed.outside.open();
  const policy = boxed.policy(proxy);
  const run = (change: object) =>
    boxed.sandbox.run({
      ...{ argv: ['true'] as const, policy: { ...policy, ...change }, input: '', onOutput: () => {} },
      signal: new AbortController().signal,
    });
  await expect(run({ kind: 'gate' })).rejects.toThrow(/a gate has no network/);
  await expect(run({ kind: 'prepare', network: 'host' })).rejects.toThrow(/exclude each other: choose one/);
  await expect(run({ egress: '/etc/passwd' })).rejects.toThrow(/no socket/);
  const over = { from: boxed.tree, to: '/run/supervisor' };
  await expect(run({ readable: [over] })).rejects.toThrow(/hide the socket of the proxy/);
});

test('requests go through the socket, which belongs to the user of the run only', async () => {
  await using boxed = await Boxed.start();
  const { outside } = boxed;
  await using proxy = await outside.open({ route: outside.route() });
  const proxied = `curl -sS -x http://127.0.0.1:40861 http://good.test:${outside.port}`;
  const many = `for i in 1 2 3 4 5 6 7 8; do ${proxied}/$i >/dev/null & done; wait; echo done`;
  // In a tunnel it is no TLS, and what the host would say to that does not matter.
  const tunnelled = `${proxied.replace('curl', 'curl -p')}/no 2>/dev/null || echo cut`;
  const { stdout, end } = await boxed.run(
    sh(`${proxied}/a; ${proxied}/b; ${tunnelled}; curl -sS http://127.0.0.1:40861/c; ${many}`),
    proxy,
  );
  const hello = 'hello from outside';
  expect(stdout).toBe(`${hello}${hello}cut\n${hello}done\n`);
  expect(end).toEqual({ how: 'exit', code: 0 });
  expect(outside.heard.map(({ url }) => url).slice(0, 3)).toEqual(['/a', '/b', '/base/c']);
  expect(outside.heard).toHaveLength(11);
  const { uid, mode } = statSync(proxy.socket);
  expect(mode & 0o777).toBe(0o600);
  expect(process.getuid?.() === 0 ? isOurs(uid) : uid === process.getuid?.()).toBe(true);
  // As this user itself, that is outside the sandbox, it still works: the mode alone keeps others out.
  expect(await say(proxy, get('/d'))).toMatch(/200 OK/);
});

/** In a network namespace of its own, the kernel counts how often somebody waited for an acknowledgement. */
const EXCHANGES = `
const http = require('node:http');
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const get = () => new Promise((resolve, reject) => {
  http.get('http://127.0.0.1:40861/x', { agent }, (answer) => answer.resume().on('end', resolve)).on('error', reject);
});
(async () => {
  for (let n = 0; n < 30; n++) await get();
  const [names, values] = require('node:fs').readFileSync('/proc/net/netstat', 'utf8').split('\\n').map((line) => line.split(' '));
  console.log(values[names.indexOf('DelayedACKs')]);
  process.exit();
})();`;

test('a response is passed on at once: no answer waits for the kernel', async () => {
  await using boxed = await Boxed.start();
  const { outside } = boxed;
  await using proxy = await outside.open({ route: outside.route() });
  const { stdout, stderr } = await boxed.script(EXCHANGES, proxy);
  expect(stderr).toBe('');
  // Each of 30 answers would wait; a machine that stops for a moment makes one or two, a slow one some more.
  expect(Number(stdout)).toBeLessThan(20);
  expect(outside.heard).toHaveLength(30);
});

test('asked to end, the program first hears SIGINT', async () => {
  await using boxed = await Boxed.start();
  const stop = new AbortController();
  const text = 'trap "echo int; exit 3" INT; trap "echo term" TERM; echo ready; while :; do sleep 0.05; done';
  const run = boxed.run(sh(text), null, {
    signal: stop.signal,
    onOutput: (said) => (said.includes('ready') ? stop.abort() : null),
  });
  const { stdout, forced, end } = await run;
  expect(stdout).toContain('int\n');
  expect(end).toEqual({ how: 'aborted' });
  expect(forced).toBe(false);
});

test('the whole way is tried for real, and what is wrong with it is said', async () => {
  await using boxed = await Boxed.start();
  const { sandbox, inside, outside } = boxed;
  expect(await probeEgress({ sandbox, inside, egress: outside.proxy })).toEqual({ ready: true });
  // A proxy that is shut before anybody could go through.
  const shut: Egress = { open: (policy) => outside.proxy.open({ ...policy, maxRequests: 0 }) };
  const closed = await probeEgress({ sandbox, inside, egress: shut });
  expect(closed).toMatchObject({ ready: false, problem: expect.stringContaining('more than 0 requests') });
  const gone: Egress = { open: () => Promise.reject(new Error('no place for a socket')) };
  expect(await probeEgress({ sandbox, inside, egress: gone })).toEqual({
    ready: false,
    problem: 'no place for a socket',
  });
});
