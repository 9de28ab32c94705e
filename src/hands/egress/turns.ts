/**
 * One request at a time on each connection. Node's server would begin all that were sent without waiting for an answer
 * (pipelining), each with a connection outside, and so get around the limit of connections.
 */
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Of programs, at one door. With one request at a time on each, there are not more of them to the outside. */
export const MAX_CONNECTIONS = 128;
/** Package managers of systems send ten ahead. Reading is not stopped: who goes away while a model thinks must be noticed. */
const MAX_WAITING = 16;

export class Turns {
  /** Of connections that are being answered: what comes next there. */
  readonly #waiting = new WeakMap<Duplex, (() => void)[]>();

  busy(socket: Duplex): boolean {
    return this.#waiting.has(socket);
  }

  /** Calls `begin` when all before it were answered; false: too many wait. */
  take(socket: Duplex, response: ServerResponse, begin: () => void): boolean {
    const start = () => {
      response.once('close', () => this.#next(socket));
      begin();
    };
    const waiting = this.#waiting.get(socket);
    if (waiting === undefined) {
      this.#waiting.set(socket, []);
      start();
      return true;
    }
    if (waiting.length >= MAX_WAITING) return false;
    waiting.push(start);
    return true;
  }

  #next(socket: Duplex): void {
    // After an answer that was the last one nothing can be answered any more, so nothing is asked.
    const over = socket.destroyed || socket.writableEnded;
    const next = over ? undefined : this.#waiting.get(socket)?.shift();
    if (next === undefined) this.#waiting.delete(socket);
    else next();
  }
}
