/**
 * CONNECT: copies bytes between a program and an allowed host, after a TLS hello for that host. The bytes are not
 * inspected, only counted.
 */
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AllowedHost } from '../../engine/ports/egress.ts';
import { findAllowed } from '../../mind/egress/policy.ts';
import type { ProxyTarget } from '../../mind/egress/target.ts';
import { greeting } from './await-client-hello.ts';
import { find } from './connect.ts';
import type { ProxyContext } from './proxy-context.ts';
import type { Meter, Record } from './record.ts';
import { dismiss } from './refusal.ts';

type TunnelContext = ProxyContext & { readonly record: Record; keep(socket: Duplex): void };

export async function tunnel(
  context: TunnelContext,
  asked: {
    readonly target: ProxyTarget;
    readonly allow: readonly AllowedHost[];
    readonly socket: Duplex;
    readonly head: Buffer;
  },
): Promise<void> {
  const { record, resolve, times, keep } = context;
  const { target, socket, head } = asked;
  const { host, port } = target;
  const refuse = (reason: string, status = 403) => {
    record.decide({ kind: 'connect', host, port, allowed: status !== 403, reason });
    dismiss(socket, status, reason);
  };
  const entry = findAllowed(asked.allow, target);
  if ('reason' in entry) return refuse(entry.reason);
  const found = await find(resolve, target.host, entry.private === true);
  if ('reason' in found) return refuse(found.reason, found.failed ? 502 : 403);
  if (socket.destroyed) return;
  // No delay, like the program's own connection: joining both must not add a wait for acknowledgements.
  const way = { noDelay: true, allowHalfOpen: true } as const;
  const upstream = connect({ host, port, lookup: found.lookup, timeout: times.connectMs, ...way });
  keep(upstream);
  upstream.on('timeout', () => upstream.destroy(new Error('timeout')));
  let open = false;
  upstream.on('error', ({ message, ...error }: NodeJS.ErrnoException) => {
    if (open || socket.destroyed) socket.destroy();
    else refuse(`${host} did not answer (${error.code ?? message})`, 502);
  });
  upstream.on('close', () => (open ? socket.destroy() : null));
  socket.on('close', () => upstream.destroy());
  upstream.once('connect', () => {
    open = true;
    upstream.setTimeout(times.idleMs);
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    void greeting(socket, head, host, times.headMs).then((greeted) => {
      const reason = greeted.type === 'wrong' ? greeted.reason : null;
      const meter = record.decide({ kind: 'connect', host, port, allowed: reason === null, reason });
      if (greeted.type !== 'right') {
        socket.destroy();
        return;
      }
      meter.out(greeted.bytes.length);
      upstream.write(greeted.bytes);
      join(socket, upstream, meter, times.halfOpenMs);
    });
  });
}

function join(socket: Duplex, upstream: Socket, meter: Meter, halfOpenMs: number): void {
  socket.on('data', (bytes: Buffer) => meter.out(bytes.length));
  upstream.on('data', (bytes: Buffer) => meter.in(bytes.length));
  socket.pipe(upstream);
  upstream.pipe(socket);
  // One side may end first and still want the other's rest, but not for ever.
  let timer: NodeJS.Timeout | undefined;
  const half = () => {
    timer ??= setTimeout(() => upstream.destroy(), halfOpenMs);
  };
  socket.once('end', half);
  upstream.once('end', half);
  upstream.once('close', () => clearTimeout(timer));
}
