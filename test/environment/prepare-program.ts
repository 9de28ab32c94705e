/** A Supervisor that prepares, to be killed or run beside another one: ROOT COMMAND; prints what it is told, then the key. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { joined } from './joined.ts';

const [root = '', prepare = ''] = process.argv.slice(2);
const { environments } = joined(root, { prepare, key: ['deps.lock'], outputs: ['vendor'] });
const head = execFileSync('git', ['-C', join(root, 'repo'), 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
process.stdout.write('starting\n');
const state = await environments.ready(head, {
  signal: new AbortController().signal,
  onOutput: (text) => process.stdout.write(text),
});
process.stdout.write(`${state.type === 'ready' ? state.environment.key : state.message}\n`);
