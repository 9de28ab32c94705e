/** Asks a yes-or-no question, only on a terminal. */
import { createInterface } from 'node:readline';

/** Whether a person can be asked: not if a program reads or writes. */
export const canAsk = (json: boolean): boolean =>
  !json && process.stdin.isTTY === true && process.stdout.isTTY === true;

/** Only a clear yes counts. Ctrl-C ends the process as usual; nothing has been done yet. */
export function confirm(question: string): Promise<boolean> {
  // Not in raw mode: the terminal itself handles editing and signals.
  const lines = createInterface({ input: process.stdin, terminal: false });
  process.stdout.write(`${question} [y/N] `);
  return new Promise((resolve) => {
    let answer = '';
    lines.once('line', (line) => {
      answer = line.trim().toLowerCase();
      lines.close();
    });
    lines.once('close', () => resolve(answer === 'y' || answer === 'yes'));
  });
}
