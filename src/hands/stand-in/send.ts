/** Sends what was decided, faults included. */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sending } from '../../mind/stand-in/sending.ts';

export async function send(
  response: ServerResponse,
  { status, headers, chunks, begins, end }: Sending,
  { delay, signal }: { readonly delay: number; readonly signal: AbortSignal },
): Promise<void> {
  if (delay > 0) await sleep(delay, undefined, { signal });
  if (begins) {
    const whole = Buffer.byteLength(chunks.join(''));
    const isStream = headers['content-type']?.startsWith('text/event-stream') === true;
    // A length tells the client that something is missing; a stream has none, there a missing last chunk does.
    const length = end === 'whole' ? whole : whole * 2;
    response.writeHead(status, isStream ? headers : { ...headers, 'content-length': `${length}` });
    for (const chunk of chunks) await written(response, chunk);
    response.flushHeaders();
  }
  if (end === 'whole') response.end();
  // What was written is on its way before the line goes dead.
  if (end === 'hang-up') response.socket?.destroySoon();
}

const written = (response: ServerResponse, chunk: string): Promise<void> =>
  new Promise((resolve, reject) => response.write(chunk, (error) => (error ? reject(error) : resolve())));
