/** How a built-in CLI reaches its model: with a key that stays outside, or with a copy of its own login inside. */

import type { AllowedCall } from '../egress/calls.ts';
import { type AllowedHost, placeOf } from '../egress/egress-config.ts';
import type { Adapter, Login, Provider } from './adapter.ts';
import type { AdapterCli } from './cli-config.ts';

export type ModelAccess =
  | {
      readonly type: 'key';
      readonly provider: string;
      readonly upstream: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly drop: readonly string[];
      readonly calls: readonly AllowedCall[];
      readonly allow: readonly AllowedHost[];
      /** Where the key was found; null if the server needs none. */
      readonly variable: string | null;
    }
  | { readonly type: 'login'; readonly allow: readonly AllowedHost[]; readonly login: Login }
  | { readonly type: 'none'; readonly message: string };

/** Headers with which a program inside could send its own key. */
const CREDENTIALS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key', 'cookie', 'proxy-authorization'];

export function wayOut(
  name: string,
  adapter: Adapter,
  cli: AdapterCli,
  has: {
    /** A variable of the operator's environment. */
    variable(name: string): string | undefined;
    /** Whether every file of the login exists. */
    login(login: Login): boolean;
    readonly extra: readonly AllowedHost[];
  },
): ModelAccess {
  const allow = [...has.extra, ...(cli.egress ?? []).map(placeOf)];
  const providers = providersFor(adapter, cli);
  if (providers === null)
    return {
      type: 'none',
      message: `CLI ${name}: the vendor of the key in ${cli.key} is not known: name it with clis.${name}.provider`,
    };
  if (cli.auth !== 'login') {
    for (const provider of providers) {
      const found = keyOf(provider, cli, has.variable);
      if (found !== null) return { type: 'key', allow, ...route(provider, cli, has.variable), ...found };
    }
    const [provider] = providers;
    if (cli.base_url !== undefined && cli.key === undefined && provider !== undefined)
      return { type: 'key', allow, ...route(provider, cli, has.variable), headers: {}, variable: null };
  }
  const { login } = adapter;
  if (cli.auth !== 'key' && login !== null && has.login(login))
    return { type: 'login', allow: [...login.hosts.map((host) => placeOf(host)), ...allow], login };
  return { type: 'none', message: missing(name, adapter, cli, providers) };
}

/** A key goes only to its own vendor; null if its vendor is unknown. */
function providersFor({ providers }: Adapter, { provider, key, base_url }: AdapterCli): readonly Provider[] | null {
  if (provider !== undefined) return providers.filter((one) => one.name === provider);
  if (key === undefined || providers.length < 2) return providers;
  const owner = providers.filter(({ keys }) => keys.some((one) => one.variable === key));
  if (owner.length > 0) return owner;
  // The address is given, so only the protocol is open, and the first is used.
  return base_url === undefined ? null : providers;
}

function keyOf(
  { keys }: Provider,
  cli: AdapterCli,
  variable: (name: string) => string | undefined,
): { readonly headers: Record<string, string>; readonly variable: string } | null {
  const [usual] = keys;
  const places = cli.key === undefined ? keys : usual === undefined ? [] : [{ ...usual, variable: cli.key }];
  for (const place of places) {
    const key = variable(place.variable)?.trim();
    // A value with a line break would become two headers.
    if (key !== undefined && key !== '' && !/[\r\n\0]/.test(key))
      return { headers: { [place.header]: `${place.prefix}${key}` }, variable: place.variable };
  }
  return null;
}

function route(provider: Provider, cli: AdapterCli, variable: (name: string) => string | undefined) {
  const own = provider.upstreamVariable === null ? undefined : variable(provider.upstreamVariable)?.trim();
  return {
    provider: provider.name,
    upstream: cli.base_url ?? (own === undefined || own === '' ? provider.upstream : own),
    drop: [...new Set([...CREDENTIALS, ...provider.keys.map(({ header }) => header.toLowerCase())])],
    calls: provider.calls,
  };
}

function missing(name: string, adapter: Adapter, cli: AdapterCli, providers: readonly Provider[]): string {
  const variables =
    cli.key === undefined ? providers.flatMap(({ keys }) => keys.map((key) => key.variable)) : [cli.key];
  const key = variables.length === 0 ? [] : [`set ${[...new Set(variables)].join(' or ')}`];
  const login =
    adapter.login === null || cli.auth === 'key' ? [] : [`log in by starting ${adapter.programs.at(-1)} once`];
  const what = [...key, ...login].join(', or ');
  return `CLI ${name} has no key and no login here: ${what || `give clis.${name} a base_url`}`;
}
