/**
 * Where a preparation may download packages: exactly the hosts that the operator's own package managers use. They are
 * asked, and their output is parsed here; no host is built in. A project's own configuration is ignored: it could name
 * any.
 */
import type { AllowedHost } from '../egress/egress-config.ts';
import { SANDBOX_HOME } from '../sandbox/paths.ts';

export type Registries = {
  readonly allow: readonly AllowedHost[];
  /** Makes the managers inside use the same hosts; without credentials. */
  readonly env: Readonly<Record<string, string>>;
  /** For the same purpose, in the home directory inside. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
};

/** What each manager printed; null if it is not installed, or did not answer. */
type ManagerOutput = {
  /** `npm config ls -l --json`. */
  readonly npm: string | null;
  /** `pip config list`, and `pip install --help`, which names the built-in index. */
  readonly pip: { readonly config: string; readonly help: string } | null;
  /** `go env GOPROXY GOSUMDB`. */
  readonly go: string | null;
};

export function registriesIn(printed: ManagerOutput): Registries {
  const npm = printed.npm === null ? [] : npmLines(printed.npm);
  const pip = printed.pip === null ? null : pipIndexes(printed.pip);
  const go = printed.go === null ? null : goPlaces(printed.go);
  const urls = [...npm.map(({ url }) => url), ...(pip?.all ?? []), ...(go?.all ?? [])];
  return {
    allow: once(urls.flatMap((url) => placeAt(url) ?? [])),
    env: {
      ...(pip === null || pip.index === null ? {} : { PIP_INDEX_URL: pip.index }),
      ...(pip === null || pip.extra.length === 0 ? {} : { PIP_EXTRA_INDEX_URL: pip.extra.join(' ') }),
      ...(go === null || go.proxies.length === 0 ? {} : { GOPROXY: go.proxies.join(',') }),
      ...(go === null || go.sums === '' ? {} : { GOSUMDB: go.sums }),
    },
    files:
      npm.length === 0
        ? []
        : [{ path: `${SANDBOX_HOME}/.npmrc`, text: npm.map(({ key, url }) => `${key}=${url}\n`).join('') }],
  };
}

/** From the operator's own configuration, so it may be in a private network. */
function placeAt(url: string): AllowedHost | null {
  const [, scheme, host, port] = /^(https?):\/\/([a-z0-9.-]+)(?::(\d{1,5}))?(?:[/?]|$)/i.exec(url) ?? [];
  if (scheme === undefined || host === undefined) return null;
  return { host: host.toLowerCase(), port: Number(port ?? (scheme === 'https' ? 443 : 80)), private: true };
}

/** The registry for all packages, and those for single scopes. */
function npmLines(text: string): { readonly key: string; readonly url: string }[] {
  const values = jsonOf(text);
  return Object.entries(values).flatMap(([key, value]) => {
    const url =
      (key === 'registry' || /^@[\w.-]+:registry$/.test(key)) && typeof value === 'string' ? plain(value) : null;
    return url === null ? [] : [{ key, url }];
  });
}

function pipIndexes({ config, help }: NonNullable<ManagerOutput['pip']>) {
  const said = (name: string) =>
    [...config.matchAll(/^[\w:.-]+?\.([\w-]+)='(.*)'$/gm)].findLast(([, key]) => key === name)?.[2]?.split(/\s+|\\n/) ??
    [];
  const builtIn = /\(default[:\s]+(https?:\/\/[^\s)]+)\)/.exec(help.replaceAll(/\s+/g, ' '))?.[1];
  const [index = null] = [...said('index-url'), ...(builtIn === undefined ? [] : [builtIn])].flatMap(
    (url) => plain(url) ?? [],
  );
  const extra = said('extra-index-url').flatMap((url) => plain(url) ?? []);
  return { index, extra, all: [...(index === null ? [] : [index]), ...extra] };
}

/** `direct` would ask any host that a module names. */
function goPlaces(text: string) {
  const [proxy = '', sums = ''] = text.split('\n').map((line) => line.trim());
  const proxies = proxy.split(/[,|]/).flatMap((url) => plain(url.trim()) ?? []);
  // `name`, or `name+key address`.
  const [name = '', address] = sums.split(/\s+/);
  const place = address ?? (/^[a-z0-9.-]+\.[a-z]+(?:\+|$)/.test(name) ? `https://${name.split('+')[0]}` : null);
  return { proxies, sums, all: [...proxies, ...(place === null ? [] : [place])] };
}

/** Without a user name and password: no credentials of the operator go into a sandbox. */
function plain(url: string): string | null {
  const [, scheme, rest] = /^(https?:\/\/)(?:[^/]*@)?([^\s'"@]+)$/i.exec(url.trim()) ?? [];
  return scheme === undefined || rest === undefined ? null : `${scheme}${rest}`;
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const once = (places: readonly AllowedHost[]): AllowedHost[] =>
  places.filter(({ host, port }, index) => places.findIndex((one) => one.host === host && one.port === port) === index);
