/** What all adapters do with the command they made. */
import type { AdapterCall, CliRequest } from '../adapter.ts';
import { ARGUMENT_BYTES } from '../limits.ts';
import { tooLongArgument } from './listener.ts';

type CliInvocation = {
  readonly args: readonly string[];
  readonly input: string;
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Arguments that the record names instead of showing. */
  readonly named?: ReadonlyMap<string, string>;
  /** The session that the arguments name. */
  readonly session?: string;
};

export function callWith({ args, input, env, files, named, session }: CliInvocation): AdapterCall {
  const long = tooLongArgument(args);
  if (long !== null) {
    const what = named?.get(long) ?? `"${long.slice(0, 60)}…"`;
    return { type: 'refused', message: `the argument ${what} has more than ${ARGUMENT_BYTES - 1} bytes: shorten it` };
  }
  if ([...args, ...Object.values(env)].some((one) => one.includes('\0')))
    return { type: 'refused', message: 'an argument holds a NUL character, which no program can be given' };
  const shown = args.map((arg) => named?.get(arg) ?? arg);
  return { type: 'call', args, input, env, files, shown, ...(session === undefined ? {} : { session }) };
}

/**
 * Network access for a login, and for what tools download. The bridge itself is plain HTTP on loopback and bypasses any
 * proxy.
 */
export const proxyEnv = ({ proxy }: CliRequest): Record<string, string> =>
  proxy === null
    ? {}
    : { HTTPS_PROXY: proxy, https_proxy: proxy, NO_PROXY: 'localhost,127.0.0.1', no_proxy: 'localhost,127.0.0.1' };
