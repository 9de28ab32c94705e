/** Combines how a program ended according to the wait outside and to the first process inside. */
import { constants } from 'node:os';
import { type SandboxEnd, SandboxError } from '../../../engine/ports/sandbox.ts';
import type { Report } from './output.ts';

/** Shells print nothing about these signals, so a program that itself exits with 128 + n looks the same. */
const SILENT: readonly number[] = [constants.signals.SIGINT, constants.signals.SIGPIPE, constants.signals.SIGTERM];

/**
 * The code is the one that the parent of the first process waited for; the report from inside has to agree. Without
 * both there is no code: the first process was killed or tampered with, or something else reported too.
 */
export function endOf({ end }: Report, code: number | null, signal: NodeJS.Signals | null): SandboxEnd {
  if (end === null || code !== end.code) {
    const ended = code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with code ${code}`;
    const told = end === null ? 'gave no proper report' : `reported code ${end.code}`;
    throw new SandboxError(
      `the end of the program is not known: the first process of its sandbox ${ended} and ${told}`,
    );
  }
  // Shells report 128 + n for a program that signal n ended.
  const name = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  const exited = !end.signalled && !SILENT.includes(code - 128);
  return name === undefined || exited ? { how: 'exit', code } : { how: 'signal', signal: name };
}
