/** Asks a person several questions, only on a terminal. */
import { createInterface } from 'node:readline';
import { terminalText } from '../../kernel/terminal-text.ts';

export class Dialogue implements Disposable {
  // Not in raw mode: the terminal itself handles editing and signals. One reader for all questions, so that input typed
  // ahead counts.
  readonly #lines = createInterface({ input: process.stdin, terminal: false });
  readonly #typed: string[] = [];
  #waiting: ((line: string | null) => void) | null = null;
  #ended = false;

  constructor() {
    this.#lines.on('line', (line) => this.#settle(line));
    this.#lines.once('close', () => {
      this.#ended = true;
      this.#settle(null);
    });
  }

  /** Returns the typed line; null at the end of input. */
  ask(question: string): Promise<string | null> {
    process.stdout.write(`${terminalText(question)} `);
    const line = this.#typed.shift();
    if (line !== undefined || this.#ended) return Promise.resolve(line?.trim() ?? null);
    return new Promise((resolve) => {
      this.#waiting = (typed) => resolve(typed?.trim() ?? null);
    });
  }

  /** Enter means yes. Asks again if the answer is neither yes nor no. */
  async agree(question: string): Promise<boolean | null> {
    for (;;) {
      const answer = await this.ask(`${question} [Y/n]`);
      if (answer === null) return null;
      if (/^(?:y(?:es)?)?$/i.test(answer)) return true;
      if (/^no?$/i.test(answer)) return false;
    }
  }

  #settle(line: string | null): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting !== null) waiting(line);
    else if (line !== null) this.#typed.push(line);
  }

  [Symbol.dispose](): void {
    this.#lines.close();
  }
}
