/** Hands the terminal to a program, such as an editor, until it ends. */
import { spawn } from 'node:child_process';

/** Its exit code; null if it could not be started or a signal ended it. */
export function runInTerminal(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<number | null> {
  // Ctrl-C and Ctrl-\\ are for the program that has the terminal.
  const ignore = () => {};
  for (const signal of FOR_THE_PROGRAM) process.on(signal, ignore);
  return new Promise<number | null>((resolve) => {
    const child = spawn(command, [...args], { env: { ...env }, stdio: 'inherit' });
    child.once('error', () => resolve(null));
    child.once('exit', (code) => resolve(code));
  }).finally(() => {
    for (const signal of FOR_THE_PROGRAM) process.off(signal, ignore);
  });
}

const FOR_THE_PROGRAM = ['SIGINT', 'SIGQUIT'] as const;
