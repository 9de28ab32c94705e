/** Finds the caches of package managers on this machine. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Cache } from '../../mind/environment/caches.ts';

/** `variables`: the operator's environment, which may have moved a cache. */
export function findCaches(home: string, variables: Readonly<Record<string, string | undefined>>): Cache[] {
  const cargo = variables['CARGO_HOME'] ?? join(home, '.cargo');
  const go = variables['GOMODCACHE'] ?? join(variables['GOPATH']?.split(':')[0] ?? join(home, 'go'), 'pkg/mod');
  const pip = variables['PIP_CACHE_DIR'] ?? join(variables['XDG_CACHE_HOME'] ?? join(home, '.cache'), 'pip');
  const npm = variables['npm_config_cache'] ?? variables['NPM_CONFIG_CACHE'] ?? join(home, '.npm');
  const links = (variables['PIP_FIND_LINKS'] ?? '').split(/\s+/).filter((path) => path.startsWith('/'));
  return [
    { kind: 'npm' as const, from: join(npm, '_cacache') },
    ...[...links, ...wheelDirs(join(pip, 'wheels'))].map((from) => ({ kind: 'pip' as const, from })),
    { kind: 'go' as const, from: join(go, 'cache/download') },
    { kind: 'cargo' as const, from: join(cargo, 'registry') },
  ].filter(({ from }) => isDirectory(from));
}

/** Wheels that pip built lie four levels deep, one directory each; pip searches only flat directories for packages. */
const MAX_WHEEL_DIRS = 50;

function wheelDirs(root: string): string[] {
  let level = [root];
  for (let depth = 0; depth < 4; depth++) level = level.flatMap((dir) => list(dir).map((name) => join(dir, name)));
  return level.filter((dir) => list(dir).some((name) => name.endsWith('.whl'))).slice(0, MAX_WHEEL_DIRS);
}

function list(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
