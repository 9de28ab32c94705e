/** What a killed Supervisor could leave of real work: in its state directory, in the user's repository, on the machine. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from './cli.ts';
import { list } from './traces.ts';

export function leftOver(world: World): string[] {
  const git = join(world.repository, '.git');
  const below = (dir: string) =>
    list(dir).flatMap((project) => list(join(dir, project)).map((name) => `${dir}: ${name}`));
  const files = readdirSync(git, { recursive: true, encoding: 'utf8' });
  return [
    ...below(join(world.state, 'workspaces')),
    ...below(join(world.state, 'trash')),
    ...list(join(world.state, 'git')).flatMap((project) => list(join(world.state, 'git', project, 'scratch'))),
    ...list(join(world.state, 'run', 'runs')).map((name) => `note of a run: ${name}`),
    ...list(join(world.state, 'run', 'egress')).map((name) => `socket of a way out: ${name}`),
    ...files.filter((path) => /\.lock$|\.keep$|\/tmp_(pack|idx|obj|rev)_/.test(path)),
    ...processesIn(world.dir),
    ...readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .filter((line) => line.includes(world.dir)),
  ];
}

/** Processes that see a directory through a mount of their own: those of a sandbox, whoever their parent is by now. */
function processesIn(dir: string): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return (
        readFileSync(`/proc/${name}/mountinfo`, 'utf8').includes(dir) &&
        !/^\d+ \(\S+\) [ZX]/.test(readFileSync(`/proc/${name}/stat`, 'utf8'))
      );
    } catch {
      return false;
    }
  });
}
