/**
 * Handles one request at a time per connection. Node's server would start all pipelined requests at once, each with a
 * connection outside, and so exceed the limit of connections.
 */
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Connections from programs, per proxy. Each has one request at a time, so this also limits connections to servers. */
export const MAX_CONNECTIONS = 128;
/** System package managers send ten ahead. Reading never stops, to notice a client that leaves while a model thinks. */
const MAX_WAITING = 16;

export class Turns {
  /** The requests that wait on each busy connection. */
  readonly #waiting = new WeakMap<Duplex, (() => void)[]>();

  busy(socket: Duplex): boolean {
    return this.#waiting.has(socket);
  }

  /** Calls `begin` after all earlier requests were answered; returns false if too many wait. */
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
    // After the last answer of a connection no other can be sent, so no request is made.
    const over = socket.destroyed || socket.writableEnded;
    const next = over ? undefined : this.#waiting.get(socket)?.shift();
    if (next === undefined) this.#waiting.delete(socket);
    else next();
  }
}
