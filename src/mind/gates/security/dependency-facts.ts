/** What the dependency rules compare: packages that a manifest names, and those that a lock file pins. */

export type PackageEcosystem = 'npm' | 'pypi' | 'go' | 'cargo' | 'rubygems';

/** Where a package comes from. `path`: a directory beside it. */
export type PackageOrigin = 'registry' | 'git' | 'url' | 'path';

/** A dependency that a manifest asks for. */
export type RequestedDependency = {
  readonly name: string;
  readonly version: string | null;
  readonly origin: PackageOrigin;
  /** The manifest's text for it, to see whether it changed. */
  readonly said: string;
  readonly line: number | null;
};

/** Another setting in a manifest that affects what is installed or run; compared by `key` and `said`. */
export type Setting = {
  readonly rule: 'install-script' | 'dependency-override' | 'registry' | 'package-manager';
  readonly key: string;
  readonly said: string;
  readonly line: number | null;
};

export type DependencyManifest = {
  readonly wanted: readonly RequestedDependency[];
  readonly settings: readonly Setting[];
};

/** A package as a lock file pins it. */
export type Locked = {
  readonly name: string;
  readonly version: string | null;
  /** Its place in the tree; two entries with one key are the same one at two times. */
  readonly key: string;
  /** The address it is loaded from; null if the lock file names none. */
  readonly source: string | null;
  readonly origin: PackageOrigin;
  readonly integrity: string | null;
  /** Whether the lock file has hashes for packages like this one. */
  readonly needsIntegrity: boolean;
  readonly hasScript: boolean;
  readonly line: number | null;
};

export type ReadProblem = { readonly problem: string };

/** From the version or address in a manifest. */
export function originOf(said: string): PackageOrigin {
  if (/^(?:workspace|link|portal|file|path):|^\.{1,2}(?:\/|$)|^~?\//.test(said)) return 'path';
  if (
    /^(?:git\b|github:|gitlab:|bitbucket:|gist:|ssh:)|^git\+|\.git(?:#|$)|^[\w.-]{1,100}\/[\w.-]{1,100}(?:#|$)/.test(
      said,
    )
  )
    return 'git';
  return /^(?:https?|ftp):/.test(said) ? 'url' : 'registry';
}

/** The host of an address, in lower case; null if there is none. */
export function hostOf(source: string): string | null {
  const host = /^(?:[a-z][a-z0-9+.-]{0,30}:)?\/\/(?:[^/?#@\s]{0,300}@)?([^/?#:\s]{1,255})/i.exec(source)?.[1];
  return host?.toLowerCase() ?? /^[\w.-]{1,60}@([\w.-]{1,255}):/.exec(source)?.[1]?.toLowerCase() ?? null;
}
