/** Names in a directory; none if it does not exist. */
import { readdirSync } from 'node:fs';

export function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
