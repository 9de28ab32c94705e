/** Whether a policy allows a request. Checks names; their addresses are checked once they are resolved. */
import type { ProxyTarget } from './target.ts';

type EgressEntry = { readonly host: string; readonly port: number; readonly private?: boolean };

export function findAllowed(
  allow: readonly EgressEntry[],
  { host, port }: ProxyTarget,
): EgressEntry | { readonly reason: string } {
  const named = allow.filter((entry) => entry.host === host);
  const found = named.find((entry) => entry.port === port);
  if (found !== undefined) return found;
  return { reason: named.length === 0 ? 'this host is not on the list' : 'this port of the host is not on the list' };
}

/** The parts of a route's upstream; a base path comes before every path. Null if it is no http or https address. */
export function upstreamOf(
  text: string,
): { readonly secure: boolean; readonly host: string; readonly port: number; readonly base: string } | null {
  const [, scheme, host, port, path = ''] =
    /^(https?):\/\/(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?(\/[^?#\s\\]*)?$/i.exec(text) ?? [];
  if (scheme === undefined || host === undefined) return null;
  const secure = scheme.toLowerCase() === 'https';
  const number = port === undefined ? (secure ? 443 : 80) : Number(port);
  if (number < 1 || number > 65_535) return null;
  return { secure, host: host.replace(/^\[|\]$/g, '').toLowerCase(), port: number, base: path.replace(/\/+$/, '') };
}
