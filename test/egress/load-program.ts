/**
 * A process with a proxy to good.test at a port, or (`naive`) with a proxy that does nothing but pass on. Says where it is,
 * then, for each line that it reads, how many descriptors and how much memory it has.
 */
import { readdirSync } from 'node:fs';
import { request as ask, createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { EgressProxies } from '../../src/hands/egress/proxies.ts';

const [dir = '', port = '', naive = ''] = process.argv.slice(2);

async function open(): Promise<string> {
  if (naive === '') {
    const proxy = new EgressProxies({ dir, log: () => {}, resolve: async () => ['127.0.0.1'] });
    const allow = [{ host: 'good.test', port: Number(port), private: true }];
    return (await proxy.open({ allow, route: null, maxRequests: 1e6, maxBytes: 1e12 })).socket;
  }
  const socket = `${dir}.naive`;
  const server = createServer((request, response) => {
    const outgoing = ask({
      port: Number(port),
      path: new URL(request.url ?? '').pathname,
      method: request.method ?? '',
    });
    outgoing.on('response', (answer) => answer.pipe(response)).on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    request.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return socket;
}

const socket = await open();
process.stdout.write(`${JSON.stringify({ socket })}\n`);
for await (const _ of createInterface(process.stdin)) {
  const facts = { fds: readdirSync('/proc/self/fd').length, rss: process.memoryUsage.rss() };
  process.stdout.write(`${JSON.stringify(facts)}\n`);
}
process.exit(0);
