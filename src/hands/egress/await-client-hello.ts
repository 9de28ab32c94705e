/** Waits for the first bytes of a tunnel, which must be a TLS hello for the allowed host. Holds them until then. */
import type { Duplex } from 'node:stream';
import { MAX_CLIENT_HELLO, readClientHello } from '../../mind/egress/client-hello.ts';

type Greeting =
  | { readonly type: 'right'; readonly bytes: Buffer }
  | { readonly type: 'wrong'; readonly reason: string }
  /** The client left without sending anything. */
  | { readonly type: 'nothing' };

/** Afterwards the socket is paused, and none of its bytes are lost. */
export function greeting(socket: Duplex, first: Buffer, host: string, ms: number): Promise<Greeting> {
  return new Promise((resolve) => {
    let held = first;
    let parts: Buffer[] = [];
    let size = held.length;
    let need = 1;
    const done = (result: Greeting) => {
      clearTimeout(timer);
      socket.off('data', add).off('end', gone).off('close', gone);
      socket.pause();
      resolve(result);
    };
    const look = () => {
      if (size < need) return;
      held = Buffer.concat([held, ...parts]);
      parts = [];
      // Bytes after the hello are not inspected.
      const hello = readClientHello(held.subarray(0, MAX_CLIENT_HELLO));
      if (hello.type === 'more') need = hello.need;
      else if (hello.type === 'refused') done({ type: 'wrong', reason: hello.reason });
      else if (hello.name === host) done({ type: 'right', bytes: held });
      else done({ type: 'wrong', reason: `the TLS hello is for another host (${hello.name})` });
    };
    const add = (bytes: Buffer) => {
      parts.push(bytes);
      size += bytes.length;
      look();
    };
    const gone = () =>
      done(size === 0 ? { type: 'nothing' } : { type: 'wrong', reason: 'the TLS hello was not finished' });
    const timer = setTimeout(() => done({ type: 'wrong', reason: 'no TLS hello came in time' }), ms);
    socket.on('data', add).once('end', gone).once('close', gone);
    look();
  });
}
