/** How to install a CLI with npm as this user: npm's global directory is often root's. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { WorkerOptions } from './options.ts';

type NpmOptions = Pick<WorkerOptions, 'tools' | 'env' | 'home'>;

const GLOBAL = 'npm install -g ';

/** The command as it is; or, if npm could not write, one that installs into the home directory. */
export function npmInstall(command: string, around: NpmOptions): string {
  const { home, env } = around;
  if (home === null || !command.startsWith(GLOBAL) || isWritable(join(prefixOf(around), 'lib', 'node_modules')))
    return command;
  const bin = join(home, '.local', 'bin');
  const onPath = env('PATH')?.split(':').includes(bin) === true;
  const path = onPath ? '' : ' (and put ~/.local/bin on PATH)';
  return `${GLOBAL}--prefix ~/.local ${command.slice(GLOBAL.length)}${path}`;
}

/** As npm finds it, but without starting npm: from its settings, else beside Node. */
function prefixOf({ tools, env, home }: NpmOptions): string {
  const chosen = env('npm_config_prefix') ?? env('NPM_CONFIG_PREFIX') ?? ofUser(home);
  return chosen ?? dirname(dirname(tools.find('node')?.program ?? process.execPath));
}

function ofUser(home: string | null): string | undefined {
  try {
    const line = /^prefix\s*=\s*(.+)$/m.exec(readFileSync(join(home ?? '/', '.npmrc'), 'utf8'))?.[1]?.trim();
    return line?.replace(/^(?:~|\$\{HOME\})(?=\/)/, home ?? '');
  } catch {
    return undefined;
  }
}

function isWritable(dir: string): boolean {
  let at = dir;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  try {
    accessSync(at, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
