/** The command line on a machine that has few programs, or on which no sandbox can be built. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { ENTRY, type Result, type World } from '../support/cli.ts';

const NODE = '/usr/bin/supervisor-test-node';

const PLACES = ['/usr/bin', '/usr/local/bin', '/usr/sbin', '/usr/local/sbin'];

/** Only these programs are there. */
export function withOnly(world: World, programs: readonly string[], args: readonly string[]): Promise<Result> {
  const empty = PLACES.flatMap((dir) => ['--tmpfs', dir]);
  const shown = PLACES.flatMap((dir) => programs.map((name) => `${dir}/${name}`)).filter((path) => existsSync(path));
  const node = ['--ro-bind', process.execPath, NODE];
  return walled(world, [...empty, ...shown.flatMap((path) => ['--ro-bind', path, path]), ...node], NODE, args);
}

/** As in many a container: no namespace can be made. */
export const withoutNamespaces = (world: World, args: readonly string[]): Promise<Result> =>
  walled(world, ['--unshare-user', '--disable-userns'], process.execPath, args);

async function walled(world: World, wall: readonly string[], node: string, args: readonly string[]): Promise<Result> {
  const words = ['--die-with-parent', '--dev-bind', '/', '/', ...wall];
  const child = spawn('bwrap', [...words, '--', node, ENTRY, ...args], {
    cwd: world.repository,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: world.home, SUPERVISOR_HOME: world.state, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  return new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr })));
}
