/** A Supervisor in a control group of its own: DIR CONTROLLER; says as JSON what it can make of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { ControlGroup, handOn } from '../../src/hands/sandbox/bubblewrap/control-group.ts';

const [dir = '', controller = ''] = process.argv.slice(2);
const own = () => /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
const found = handOn(dir, [controller]);
const again = handOn(found.home, [controller]);
let member: string | null = null;
let left: boolean | null = null;
if (found.given.length > 0) {
  const group = new ControlGroup({ version: 2, at: { pids: found.dir } }, 'supervisor-sandbox-of-a-test');
  const child = spawn('sleep', ['600']);
  group.make();
  group.join(child.pid ?? 0);
  member = readFileSync(`/proc/${child.pid}/cgroup`, 'utf8');
  await Promise.all([group.end(), once(child, 'close')]);
  left = existsSync(`${found.dir}/supervisor-sandbox-of-a-test`);
}
console.log(JSON.stringify({ uid: process.getuid?.(), found, again, own: own(), member, left }));
