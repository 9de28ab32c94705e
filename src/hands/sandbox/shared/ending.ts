/** Ends a run from outside: the first cause counts; time limits and the operator ask before they kill. */
import type { SandboxEnd } from '../../../engine/ports/sandbox.ts';
import { whenOverdue } from '../../../os/machine/missed-deadline.ts';

const GRACE_MS = 2000;

export class Ending {
  cause: SandboxEnd | null = null;
  forced = false;
  readonly #graceMs: number;
  readonly #killAll: () => void;
  #askAll: (() => void) | null = null;
  #grace: NodeJS.Timeout | null = null;
  #isOver = false;

  constructor(graceMs: number | undefined, killAll: () => void) {
    this.#graceMs = graceMs ?? GRACE_MS;
    this.#killAll = killAll;
  }

  /** Called once there is a program that can be asked to end. */
  begin(askAll: () => void): void {
    this.#askAll = askAll;
  }

  stop(end: SandboxEnd): void {
    this.cause ??= end;
    if (this.#isOver) return;
    const polite = end.how === 'aborted' || (end.how === 'limit' && (end.limit === 'wall' || end.limit === 'idle'));
    if (!polite || this.#askAll === null) this.#kill();
    else if (this.#grace === null) {
      this.#grace = whenOverdue(this.#graceMs, () => {
        if (!this.#isOver) this.#kill();
      });
      this.#askAll();
    }
  }

  /** The program has ended: nothing is left to kill. */
  over(): void {
    this.#isOver = true;
    if (this.#grace !== null) clearTimeout(this.#grace);
  }

  #kill(): void {
    this.forced = true;
    this.#killAll();
  }
}
