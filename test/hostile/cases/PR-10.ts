import { expect } from 'vitest';
import { ACCEPTED, FIX, type HostileCase, print, SAYS } from '../harness/case.ts';

const program = (port: number) => `
const dgram = require('node:dgram'), dns = require('node:dns'), net = require('node:net');
const asked = new Set(['/exfil', '/latest/meta-data/', '/bridge', 'udp', 'dns', 'lookup', 'listen inside']);
const say = (what) => (error) => {
  console.log(what, error ? error.code : 'WORKED');
  asked.delete(what);
  if (asked.size === 0) process.exit(0);
};
const get = (host, at, path) => {
  const socket = net.connect({ host, port: at });
  socket.on('data', () => say(path)(null)).on('error', say(path));
};
get('127.0.0.1', ${port}, '/exfil');
get('169.254.169.254', 80, '/latest/meta-data/');
get('localhost', 40861, '/bridge');
const socket = dgram.createSocket('udp4').on('error', say('udp'));
socket.send('canary', ${port}, '192.0.2.1', say('udp'));
const resolver = new dns.Resolver({ timeout: 300, tries: 1 });
resolver.setServers(['127.0.0.1:${port}']);
resolver.resolveTxt('canary.exfil.invalid', say('dns'));
dns.lookup('allowed.invalid', say('lookup'));
net.createServer().on('error', say('listen inside')).listen(${port}, '0.0.0.0', say('listen inside'));`;

export default {
  id: 'PR-10',
  title: 'goes to hosts, the metadata service and name servers by itself, and listens where the host listens',
  worker: ({ port }) =>
    `${print(program(port)).replace('cat <<', 'cat >/tmp/net.cjs <<')}node /tmp/net.cjs\n${FIX}${SAYS}`,
  expect: ACCEPTED,
  after: ({ transcripts, connections }) => {
    const said = transcripts.join('');
    expect(said).toMatch(/\/exfil ECONNREFUSED/);
    expect(said).toMatch(/\/latest\/meta-data\/ E(?:NETUNREACH|HOSTUNREACH|CONNREFUSED)/);
    // A command of one's own has no bridge: nothing at all is at its port.
    expect(said).toMatch(/\/bridge ECONNREFUSED/);
    expect(said).toMatch(/udp ENETUNREACH/);
    expect(said).toMatch(/dns ECONNREFUSED/);
    expect(said).toMatch(/lookup E(?:NOTFOUND|AI_AGAIN)/);
    // Its own loopback is its own: the host's port is free there.
    expect(said).toMatch(/listen inside WORKED/);
    expect(connections).toBe(0);
  },
  control: { naive: ({ connections }) => connections.worker >= 1 },
} satisfies HostileCase;
