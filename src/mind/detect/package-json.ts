/** Parses a `package.json` as far as detection needs it; never throws, whatever its content. */

export type PackageManifest = {
  readonly name: string | null;
  readonly scripts: Readonly<Record<string, string>>;
  /** Names from all its lists. */
  readonly dependencies: readonly string[];
  /** What the product needs, without what only development needs. */
  readonly product: readonly string[];
  /** Whether something has to be installed for it. */
  readonly installs: boolean;
  readonly packageManager: string;
  /** Patterns of its workspace folders; null if it has none. */
  readonly workspaces: readonly string[] | null;
  readonly hasBin: boolean;
};

/** Frameworks that a bundler puts into the product, so that many list them in `devDependencies`. */
export const UI_FRAMEWORKS: readonly string[] = [
  ...['react', 'vue', 'next', 'nuxt', 'svelte', '@sveltejs/kit', '@angular/core', 'solid-js', 'preact', 'astro'],
];

const INSTALLED = ['dependencies', 'devDependencies', 'optionalDependencies'];

/** Returns null if the text is no object. */
export function packageOf(text: string): PackageManifest | null {
  const manifest = parsed(text);
  if (manifest === null) return null;
  const names = (kind: string): string[] => Object.keys(record(manifest[kind]));
  const spaces = Array.isArray(manifest['workspaces'])
    ? manifest['workspaces']
    : record(manifest['workspaces'])['packages'];
  const runtime = ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap(names);
  // An unpublished application may list what it bundles in `devDependencies`; a library lists its tests and tools
  // there.
  const bundles = manifest['private'] === true && spaces === undefined;
  const bundled = !bundles
    ? []
    : names('devDependencies').filter((name) => runtime.length === 0 || UI_FRAMEWORKS.includes(name));
  return {
    name: typeof manifest['name'] === 'string' ? manifest['name'] : null,
    scripts: texts(record(manifest['scripts'])),
    dependencies: [...new Set([...INSTALLED, 'peerDependencies'].flatMap(names))],
    product: [...new Set([...runtime, ...bundled])],
    installs: INSTALLED.some((kind) => names(kind).length > 0),
    packageManager: String(manifest['packageManager'] ?? ''),
    workspaces: Array.isArray(spaces) ? spaces.filter((one) => typeof one === 'string') : null,
    hasBin: manifest['bin'] !== undefined,
  };
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text) as unknown;
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? record(value) : null;
  } catch {
    return null;
  }
}

const texts = (values: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((pair): pair is [string, string] => typeof pair[1] === 'string'));

const record = (value: unknown): Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
