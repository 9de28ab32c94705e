/** What a test could leave behind on the machine: processes, control groups, mounts, temporary directories. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Users that the sandbox gives to its programs when Supervisor is root. */
const isSandboxUser = (uid: number): boolean => uid >= 61_000 && uid <= 61_999;

type Row = { readonly pid: number; readonly parent: number; readonly state: string; readonly text: string };

function rows(): Row[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const command = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ').slice(0, 200);
      return [{ pid: Number(name), parent: Number(fields[1]), state: fields[0] ?? '', text: `${name} ${command}` }];
    } catch {
      return [];
    }
  });
}

/** Living processes that came from this one. */
export function descendants(root: number): string[] {
  const all = rows();
  const found = all.filter(({ parent }) => parent === root);
  for (let n = 0; n < found.length; n++) found.push(...all.filter(({ parent }) => parent === found[n]?.pid));
  return found.filter(({ state }) => state !== 'Z' && state !== 'X').map(({ text }) => text);
}

export function sandboxProcesses(): string[] {
  return rows().flatMap(({ pid, state, text }) => {
    if (state === 'Z' || state === 'X') return [];
    try {
      const uid = Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
      return isSandboxUser(uid) ? [text] : [];
    } catch {
      return [];
    }
  });
}

export function sandboxGroups(): string[] {
  const own = readFileSync('/proc/self/cgroup', 'utf8').split('\n');
  return own.flatMap((line) => {
    const [, controllers = '', path = ''] = line.split(':');
    const dirs = ['/sys/fs/cgroup', ...controllers.split(',').map((name) => `/sys/fs/cgroup/${name}`)];
    return dirs.flatMap((dir) => list(join(dir, path)).filter((name) => name.startsWith('supervisor-sandbox-')));
  });
}

export const mounts = (): string[] =>
  readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .filter((line) => line.includes('supervisor'));

export function list(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

/** Looks until nothing is left, or patience ends: a killed process takes a moment to be gone. */
export async function settled(look: () => string[], patienceMs = 5_000): Promise<string[]> {
  for (const until = Date.now() + patienceMs; ; ) {
    const found = look();
    if (found.length === 0 || Date.now() > until) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
