/** Writes a small private file: completely or not at all, even if the power fails. */
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

export function writePrivateFile(path: string, text: string): void {
  makeDirectory(dirname(path));
  // Only this process uses the name; a crashed one with the same pid may have left the file.
  const fresh = `${path}.${process.pid}.new`;
  rmSync(fresh, { force: true });
  const fd = openSync(fresh, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(fresh, path);
  syncDirectory(dirname(path));
}

/**
 * Creates level by level (Node's own recursion never ends in /proc). 0711, because the state directory is among them:
 * an unprivileged sandbox may pass through to what is mounted for it, but sees no names.
 */
function makeDirectory(dir: string): void {
  if (existsSync(dir)) return;
  makeDirectory(dirname(dir));
  try {
    mkdirSync(dir, { mode: 0o711 });
  } catch (error) {
    // Another process made it at the same moment.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  syncDirectory(dirname(dir));
}

function syncDirectory(dir: string): void {
  const fd = openSync(dir, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
