/** Finds where a name leads, judges that, and makes connections to just what was judged: nobody looks it up again. */
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { addressProblem } from '../../mind/egress/address.ts';

export type Resolve = (host: string) => Promise<readonly string[]>;

type Found = { readonly lookup: LookupFunction } | { readonly reason: string; readonly failed: boolean };

/** As the system does it: its hosts file, then its resolver. */
export const systemResolve: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

const RESOLVE_MS = 15_000;

/** `failed`: the name could not be looked up, which is nobody's fault here. */
export async function find(resolve: Resolve, host: string, allowPrivate: boolean): Promise<Found> {
  let addresses: readonly string[];
  try {
    // An address comes from the operator alone; what a program asks for is a name by now.
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

/** Whom the operator's machine trusts: Node's own list, NODE_EXTRA_CA_CERTS, and the system's. Read when first needed. */
export function trusted(): SecureContext {
  context ??= createSecureContext({
    ca: [...new Set([...getCACertificates('default'), ...getCACertificates('system')])],
  });
  return context;
}
