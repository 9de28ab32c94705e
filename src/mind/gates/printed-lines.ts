/** A gate's output line by line: without colours, and without overwritten text. */
import type { RunnerOutput } from './ids.ts';

export function printedLines({ stdout, stderr }: RunnerOutput): string[] {
  return `${stdout}\n${stderr}`.replaceAll(ESCAPES, '').split(/\r\n|\r|\n/);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is taken out
const ESCAPES = /\u001b\[[0-9;?]{0,20}[A-Za-z]/g;
