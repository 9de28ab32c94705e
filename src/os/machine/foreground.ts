/** Whether this process may read from its terminal: one in the background is stopped by the kernel when it tries. */
import { readFileSync } from 'node:fs';

/** True where the system does not tell. */
export function isInForeground(): boolean {
  try {
    // Behind the name, which may hold blanks: state, ppid, process group, session, terminal, group in the foreground.
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return group === foreground;
  } catch {
    return true;
  }
}
