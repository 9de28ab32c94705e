/** Answers on a connection that Node's server has given up. */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** If closed at once, bytes that the program still sends would make its system drop the answer. */
const LINGER_MS = 1000;

export function dismiss(socket: Duplex, status: number, reason: string): void {
  const body = `Supervisor's proxy refused this: ${reason}\n`;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}`,
    'content-type: text/plain',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.on('error', () => socket.destroy());
  socket.resume();
  socket.end([...head, '', body].join('\r\n'));
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('end', () => socket.destroy());
  socket.once('close', () => clearTimeout(timer));
}
