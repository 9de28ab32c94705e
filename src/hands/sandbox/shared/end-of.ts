/** How a program ended, from what the first process inside said of it. */
import { constants } from 'node:os';
import type { SandboxEnd } from '../../../engine/ports/sandbox.ts';
import type { Report } from './output.ts';

/** Of these no shell says a word, so that here a program that exits with 128 + n itself looks the same. */
const SILENT: readonly number[] = [constants.signals.SIGINT, constants.signals.SIGPIPE, constants.signals.SIGTERM];

/** Shells, and what starts a wall, say 128 + n for a program that signal n ended. */
export function endOf({ end }: Report, outer: number | null, signal: NodeJS.Signals | null): SandboxEnd {
  const code = end?.code ?? outer;
  if (code === null) return { how: 'signal', signal: signal ?? 'SIGKILL' };
  const name = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  const exited = end !== null && !end.signalled && !SILENT.includes(code - 128);
  return name === undefined || exited ? { how: 'exit', code } : { how: 'signal', signal: name };
}
