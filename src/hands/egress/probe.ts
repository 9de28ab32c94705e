/**
 * Tests the network path for real: from inside a sandbox, over bridge, socket and proxy, to a server of ours and back.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Egress } from '../../engine/ports/egress.ts';
import type { Sandbox, SandboxPolicy } from '../../engine/ports/sandbox.ts';
import { SANDBOX_HOME } from '../../mind/sandbox/paths.ts';
import { BRIDGE_PORT, bridgeInput, INSIDE_DIR, INSIDE_NODE } from '../../mind/workers/bridge.ts';
import type { InsidePrograms } from './inside-programs.ts';

type EgressProbe = { readonly ready: true } | { readonly ready: false; readonly problem: string };

const MIB = 1 << 20;
const LIMITS: SandboxPolicy['limits'] = {
  memoryBytes: 1024 * MIB,
  processes: 50,
  cpus: 1,
  wallMs: 20_000,
  idleMs: null,
  outputBytes: 64 << 10,
  diskBytes: 16 * MIB,
};

/** Requests the route, then a host that is not on the list; prints both answers. */
const ASK = `
const { get, request } = require('node:http');
const at = { host: '127.0.0.1', port: ${BRIDGE_PORT} };
const failed = ({ message }) => { console.log(message); process.exit(1); };
get({ ...at, path: '/' }, (answer) => {
  let word = '';
  answer.on('data', (part) => { word += part; });
  answer.on('end', () => {
    const other = request({ ...at, method: 'CONNECT', path: 'not-allowed.invalid:443' });
    other.on('connect', ({ statusCode }) => { console.log(word + ' ' + statusCode); process.exit(0); });
    other.on('error', failed).end();
  });
}).on('error', failed);`;

export async function probeEgress(of: {
  readonly sandbox: Pick<Sandbox, 'run'>;
  readonly egress: Egress;
  readonly inside: InsidePrograms;
}): Promise<EgressProbe> {
  const [key, word] = [randomBytes(8).toString('hex'), randomBytes(8).toString('hex')];
  const server = createServer((request, response) =>
    response.end(request.headers['x-probe'] === key ? word : 'no key'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const calls = [{ method: 'GET', path: '/' }] as const;
    const route = { upstream, headers: { 'x-probe': key }, drop: [], calls };
    await using proxy = await of.egress.open({ allow: [], route, maxRequests: 5, maxBytes: 64 << 10 });
    let said = '';
    const { end } = await of.sandbox.run({
      argv: of.inside.argv('bridge'),
      policy: {
        kind: 'worker',
        readable: of.inside.readable,
        writable: [],
        cwd: INSIDE_DIR,
        limits: LIMITS,
        env: { PATH: '/usr/bin:/bin', HOME: SANDBOX_HOME },
        egress: proxy.socket,
      },
      input: bridgeInput({ files: [], argv: [INSIDE_NODE, '-e', ASK] }, ''),
      onOutput: (_, bytes) => {
        said += Buffer.from(bytes).toString();
      },
      signal: new AbortController().signal,
    });
    if (said.trim() === `${word} 403`) return { ready: true };
    return { ready: false, problem: `the proxy of the sandbox does not work: ${said.trim() || JSON.stringify(end)}` };
  } catch (error) {
    return { ready: false, problem: (error as Error).message };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
