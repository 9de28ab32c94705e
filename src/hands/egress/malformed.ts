/** Requests that Node's parser refused: smuggling, control characters, endless headers. Classified for the record. */
import type { Duplex } from 'node:stream';
import { parseAuthority } from '../../mind/egress/target.ts';
import type { Record } from './record.ts';
import { dismiss } from './refusal.ts';

export function malformed(record: Record, error: Error, socket: Duplex): void {
  const { code = '', rawPacket } = error as NodeJS.ErrnoException & { readonly rawPacket?: Buffer };
  // The program left without a request.
  if (code === 'ECONNRESET' || code === 'EPIPE' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { kind, host } = askedIn(rawPacket);
  const [status, reason] = judge(code, kind === 'connect' ? host : null);
  record.admit();
  record.decide({ kind, host, port: null, allowed: false, reason });
  dismiss(socket, status, reason);
}

function judge(code: string, authority: string | null): [status: number, reason: string] {
  if (code === 'HPE_HEADER_OVERFLOW') return [431, 'the head of the request is too long'];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'the request did not come in time'];
  const parsed = authority === null ? null : parseAuthority(authority, null);
  if (parsed !== null && !parsed.ok) return [403, parsed.reason];
  return [400, `the request is malformed (${code.replace(/^HPE_/, '').toLowerCase()})`];
}

/** What the first line holds, however odd. */
function askedIn(packet: Buffer | undefined): { readonly kind: 'connect' | 'http' | 'route'; readonly host: string } {
  const line = (packet ?? Buffer.alloc(0)).subarray(0, 1000).toString('latin1').split('\r\n')[0] ?? '';
  const [, method, target = ''] = /^([A-Z]+) (.*?)(?: HTTP\/\d\.\d)?$/s.exec(line) ?? [];
  if (method === 'CONNECT') return { kind: 'connect', host: target };
  const [, host] = /^https?:\/\/([^/?#]*)/is.exec(target) ?? [];
  return host === undefined ? { kind: 'route', host: '' } : { kind: 'http', host };
}
