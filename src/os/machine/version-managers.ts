/** Version managers whose programs are shims that find the real ones elsewhere: which of their files must exist. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

type VersionManager = {
  readonly parts: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files that name the version in use. */
  readonly version: readonly string[];
};

/** The manager that a PATH directory belongs to; null if it is an ordinary directory. */
export function managerOf(dir: string, home: string): VersionManager | null {
  return ofVersions(dir) ?? ofRust(dir, home) ?? ofAsdf(dir) ?? ofVolta(dir) ?? ofMise(dir);
}

/** pyenv, rbenv, nodenv: `shims` are scripts that ask `libexec` which of `versions` is meant. */
function ofVersions(dir: string): VersionManager | null {
  const [, root, name] = /^(.*\/\.?(pyenv|rbenv|nodenv))\/(?:shims|bin|plugins\/[^/]+\/(?:shims|bin))$/.exec(dir) ?? [];
  if (root === undefined || name === undefined || !existsSync(join(root, 'versions'))) return null;
  const parts = ['shims', 'bin', 'libexec', 'versions', 'plugins', `${name}.d`, 'version'];
  return {
    parts: present(root, parts),
    env: { [`${name.toUpperCase()}_ROOT`]: root },
    version: [join(root, 'version')],
  };
}

/** Only `bin`: beside it lies `credentials.toml`. */
function ofRust(dir: string, home: string): VersionManager | null {
  if (!dir.endsWith('/.cargo/bin')) return null;
  const rustup = join(dirname(dirname(dir)), '.rustup');
  const root = existsSync(rustup) ? rustup : join(home, '.rustup');
  const hashes = join(root, 'update-hashes');
  return {
    // rustup creates the last one if it is missing.
    parts: [dir, ...present(root, ['toolchains', 'settings.toml', 'update-hashes'])],
    env: existsSync(root) ? { RUSTUP_HOME: root } : {},
    version: [
      join(root, 'settings.toml'),
      ...(existsSync(hashes) ? readdirSync(hashes).map((name) => join(hashes, name)) : []),
    ],
  };
}

function ofAsdf(dir: string): VersionManager | null {
  const root = dirname(dir);
  if (basename(root) !== '.asdf') return null;
  return {
    parts: present(root, ['bin', 'shims', 'installs', 'plugins', 'lib', 'libexec', 'asdf.sh', 'defaults']),
    env: { ASDF_DIR: root, ASDF_DATA_DIR: root },
    version: [],
  };
}

function ofVolta(dir: string): VersionManager | null {
  const root = dirname(dir);
  if (basename(root) !== '.volta') return null;
  return { parts: present(root, ['bin', 'tools', 'layout.v4']), env: { VOLTA_HOME: root }, version: [] };
}

function ofMise(dir: string): VersionManager | null {
  const root = dirname(dir);
  if (!dir.endsWith('/mise/shims')) return null;
  return { parts: present(root, ['shims', 'installs', 'plugins']), env: { MISE_DATA_DIR: root }, version: [] };
}

const present = (root: string, names: readonly string[]): string[] =>
  names.map((name) => join(root, name)).filter((path) => existsSync(path));
