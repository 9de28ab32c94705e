/** How a program ended, from what the wait outside and the first process inside say of it. */
import { constants } from 'node:os';
import { type SandboxEnd, SandboxError } from '../../../engine/ports/sandbox.ts';
import type { Report } from './output.ts';

/** Of these no shell says a word, so that here a program that exits with 128 + n itself looks the same. */
const SILENT: readonly number[] = [constants.signals.SIGINT, constants.signals.SIGPIPE, constants.signals.SIGTERM];

/**
 * The code is the one that the parent of the first process waited for; what was reported from inside has to agree. Without
 * both there is no code: the first process was killed, broken or not the only one that reported.
 */
export function endOf({ end }: Report, code: number | null, signal: NodeJS.Signals | null): SandboxEnd {
  if (end === null || code !== end.code) {
    const ended = code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with code ${code}`;
    const told = end === null ? 'gave no proper report' : `reported code ${end.code}`;
    throw new SandboxError(`how the program ended is not known: the first process of its sandbox ${ended} and ${told}`);
  }
  // Shells say 128 + n for a program that signal n ended.
  const name = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  const exited = !end.signalled && !SILENT.includes(code - 128);
  return name === undefined || exited ? { how: 'exit', code } : { how: 'signal', signal: name };
}
