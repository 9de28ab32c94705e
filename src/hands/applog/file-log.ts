/** The application log: one JSON line per fact, in a file, quiet by default. For finding out what happened. */
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AppLog, LogLevel } from '../../engine/ports/surroundings.ts';

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
/** One old file is kept beside the new one. */
const MAX_BYTES = 8 << 20;

export function fileLog(file: string, least: LogLevel): AppLog {
  let ready = false;
  return (level, message, facts = {}) => {
    if (RANK[level] < RANK[least]) return;
    try {
      if (!ready) {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        ready = true;
      }
      appendFileSync(
        file,
        `${JSON.stringify({ time: new Date().toISOString(), level, pid: process.pid, message, ...facts })}\n`,
        { mode: 0o600 },
      );
      if (statSync(file).size > MAX_BYTES) renameSync(file, `${file}.1`);
    } catch {
      // A log that cannot be written must not stop the work; the store reports a full disk.
    }
  };
}
