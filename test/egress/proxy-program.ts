/** A process with a proxy: says where it is, then what its route answers; waits to be killed. */
import { EgressProxies } from '../../src/hands/egress/proxies.ts';
import { get, say } from './outside-server.ts';

const [dir = '', upstream = ''] = process.argv.slice(2);
const proxies = new EgressProxies({ dir, log: () => {} });
const proxy = await proxies.open({
  allow: [],
  route: { upstream, headers: {}, drop: [] },
  maxRequests: 10,
  maxBytes: 1e6,
});
const answer = await say(proxy, get('/'));
process.stdout.write(`${JSON.stringify({ socket: proxy.socket, answer })}\n`);
