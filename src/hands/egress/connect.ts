/** Resolves a name, judges its addresses, and connects only to a judged address; the name is not resolved again. */
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { addressProblem } from '../../mind/egress/address.ts';

export type ResolveHost = (host: string) => Promise<readonly string[]>;

type ResolvedHost = { readonly lookup: LookupFunction } | { readonly reason: string; readonly failed: boolean };

/** Resolves as the system does: hosts file first, then its resolver. */
export const systemResolve: ResolveHost = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

const RESOLVE_MS = 15_000;

/** `failed`: the name could not be resolved. This is no refusal. */
export async function find(resolve: ResolveHost, host: string, allowPrivate: boolean): Promise<ResolvedHost> {
  let addresses: readonly string[];
  try {
    // Only the operator may give an address; a program's request has a name by now.
    addresses = isIP(host) === 0 ? await inTime(resolve(host)) : [host];
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return { reason: `${host} could not be resolved (${code})`, failed: true };
  }
  const problem = addressProblem(addresses, allowPrivate);
  return problem === null ? { lookup: pinned(addresses) } : { reason: problem, failed: false };
}

const pinned = (addresses: readonly string[]): LookupFunction => {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, done) => {
    const [first] = all;
    if (options.all) done(null, all);
    else if (first) done(null, first.address, first.family);
  };
};

async function inTime(resolving: Promise<readonly string[]>): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('too late'), { code: 'ETIMEDOUT' })), RESOLVE_MS);
  });
  return Promise.race([resolving, late]).finally(() => clearTimeout(timer));
}

let context: SecureContext | null = null;

/**
 * The certificates that the operator's machine trusts: Node's own list, NODE_EXTRA_CA_CERTS, and the system's. Read at
 * first use.
 */
export function trusted(): SecureContext {
  context ??= createSecureContext({
    ca: [...new Set([...getCACertificates('default'), ...getCACertificates('system')])],
  });
  return context;
}
