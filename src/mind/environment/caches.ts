/**
 * What package managers have already downloaded on the operator's machine, mounted read-only for a preparation without
 * network. Only downloaded packages: never a manager's configuration, which may hold tokens.
 */
import { wantedNetwork } from './failure.ts';

type CacheKind = 'npm' | 'pip' | 'go' | 'cargo';
/**
 * `from` is the directory on this machine: `_cacache` of npm, one with wheels, `cache/download` of Go, cargo's
 * `registry`.
 */
export type Cache = { readonly kind: CacheKind; readonly from: string };

/** Below the temporary directory: files beside a mount stay writable, and managers do write there (logs, locks). */
const SHOWN = '/tmp/caches';
/** Where npm notes checksums of packages; it writes there even when it only reads packages. */
const INDEX = 'index-v5';
const COPIED = `${SHOWN}/npm-index`;

/**
 * With network, caches are not mounted: a package's script could send private packages away, and managers would fail to
 * add to them.
 */
export function shownCaches(
  caches: readonly Cache[],
  network: boolean,
): {
  readonly readable: readonly { readonly from: string; readonly to: string }[];
  readonly env: Readonly<Record<string, string>>;
} {
  if (network) return { readable: [], env: {} };
  const readable = caches.flatMap(({ kind, from }, index) => PARTS[kind].map((part) => shown(kind, from, part, index)));
  const wheels = readable.filter(({ to }) => to.startsWith(`${SHOWN}/pip/`)).map(({ to }) => to);
  return {
    readable,
    env: {
      npm_config_offline: 'true',
      npm_config_cache: `${SHOWN}/npm`,
      PIP_NO_INDEX: '1',
      ...(wheels.length === 0 ? {} : { PIP_FIND_LINKS: wheels.join(' ') }),
      GOSUMDB: 'off',
      GOPROXY: caches.some(({ kind }) => kind === 'go') ? `file://${SHOWN}/go/download` : 'off',
      CARGO_NET_OFFLINE: 'true',
      ...(caches.some(({ kind }) => kind === 'cargo') ? { CARGO_HOME: `${SHOWN}/cargo` } : {}),
    },
  };
}

/** npm writes beside its contents, in `_cacache/tmp`, and into its index, of which it gets a copy (`withCopies`). */
const PARTS: Readonly<Record<CacheKind, readonly string[]>> = {
  npm: ['content-v2', INDEX],
  pip: [''],
  go: [''],
  cargo: [''],
};

function shown(kind: CacheKind, from: string, part: string, index: number) {
  switch (kind) {
    case 'npm':
      return { from: `${from}/${part}`, to: part === INDEX ? COPIED : `${SHOWN}/npm/_cacache/${part}` };
    case 'pip':
      return { from, to: `${SHOWN}/pip/${index}` };
    case 'go':
      return { from, to: `${SHOWN}/go/download` };
    case 'cargo':
      return { from, to: `${SHOWN}/cargo/registry` };
  }
}

/** Runs a command after making writable copies of what managers write to; all values are arguments. */
export function withCopies(argv: readonly [string, ...string[]]): [string, ...string[]] {
  return ['/bin/sh', '-c', COPY, 'sh', COPIED, `${SHOWN}/npm/_cacache/${INDEX}`, ...argv];
}

const COPY = 'if [ -d "$1" ]; then cp -R -- "$1" "$2" || exit 97; fi; shift 2; exec "$@"';

/** The hint after a failure without network, if the output shows that something had to be downloaded. */
export function offlineHint(output: string): string | null {
  if (!wantedNetwork(output)) return null;
  return 'a package is not in the local caches: allow the network for this preparation (--network), or install once in your own checkout so that the caches hold it';
}
