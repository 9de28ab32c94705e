/** The control groups of a process, as directories. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const CONTROLLERS = ['memory', 'pids', 'cpu'] as const;
export type Controller = (typeof CONTROLLERS)[number];

export type GroupDirs = {
  readonly version: 1 | 2;
  /** The same for all controllers in version 2, which may lack some. */
  readonly at: Readonly<Partial<Record<Controller, string>>>;
  /** Where its hierarchy is mounted: no directory above is a group. */
  readonly tops: Readonly<Partial<Record<Controller, string>>>;
  /** Its entry in /proc. */
  readonly said: string;
};

export function groupDirs(pid: number | 'self'): GroupDirs {
  const mounts = read('/proc/self/mountinfo').split('\n').flatMap(mountOf);
  const said = read(`/proc/${pid}/cgroup`);
  const own = new Map(said.split('\n').flatMap(ownGroup));
  const found = CONTROLLERS.flatMap((controller) => {
    const mount = mounts.find(({ options }) => options.includes(controller));
    const path = own.get(controller);
    return mount === undefined || path === undefined ? [] : [{ controller, mount, path }];
  });
  if (found.length > 0) return { version: 1, ...placed(found), said };
  const unified = mounts.find(({ type }) => type === 'cgroup2');
  const path = own.get('');
  if (unified === undefined || path === undefined) return { version: 2, at: {}, tops: {}, said };
  return { version: 2, ...placed(CONTROLLERS.map((controller) => ({ controller, mount: unified, path }))), said };
}

type MountedGroup = { readonly controller: Controller; readonly mount: GroupMount; readonly path: string };

const placed = (found: readonly MountedGroup[]): Pick<GroupDirs, 'at' | 'tops'> => ({
  at: Object.fromEntries(found.map(({ controller, mount, path }) => [controller, below(mount, path)])),
  tops: Object.fromEntries(found.map(({ controller, mount }) => [controller, mount.at])),
});

type GroupMount = {
  readonly root: string;
  readonly at: string;
  readonly type: string;
  readonly options: readonly string[];
};

function mountOf(line: string): GroupMount[] {
  const [left = '', right = ''] = line.split(' - ');
  const [, , , root = '', at = ''] = left.split(' ');
  const [type = '', , options = ''] = right.split(' ');
  return type.startsWith('cgroup') ? [{ root, at, type, options: options.split(',') }] : [];
}

function ownGroup(line: string): [string, string][] {
  const [, names = '', ...path] = line.split(':');
  return line === '' ? [] : names.split(',').map((name) => [name, path.join(':')]);
}

/** The mount may show only a part of the hierarchy. */
const below = ({ root, at }: GroupMount, path: string): string =>
  join(at, root !== '/' && path.startsWith(root) ? path.slice(root.length) : path);

/** Empty if it cannot be read. */
export function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
