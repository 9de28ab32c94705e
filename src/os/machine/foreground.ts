/** Whether this process may read from its terminal: the kernel stops a background process that tries. */
import { readFileSync } from 'node:fs';

/** True if the system does not say. */
export function isInForeground(): boolean {
  try {
    // After the name, which may contain blanks: state, ppid, process group, session, terminal, foreground group.
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return group === foreground;
  } catch {
    return true;
  }
}
