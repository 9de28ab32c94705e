/** A process with a door: says where it is, then what its route answers; waits to be killed. */
import { EgressProxy } from '../../src/hands/egress/proxy.ts';
import { get, say } from './outside.ts';

const [dir = '', upstream = ''] = process.argv.slice(2);
const proxy = new EgressProxy({ dir, log: () => {} });
const door = await proxy.open({
  allow: [],
  route: { upstream, headers: {}, drop: [] },
  maxRequests: 10,
  maxBytes: 1e6,
});
const answer = await say(door, get('/'));
process.stdout.write(`${JSON.stringify({ socket: door.socket, answer })}\n`);
