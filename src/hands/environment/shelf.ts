/** The directory of a project's sealed environments, and the check that one is complete. */
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ProcessIdentity } from '../../engine/ports/store.ts';
import { sha256 } from '../../kernel/hash.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { removeTree } from '../../os/files/remove-tree.ts';
import { isAlive, thisProcess } from '../../os/machine/identity.ts';
import { listingOf } from './seal.ts';

/** One output: its configured path, or `/env` for everything outside the tree. */
export type SealedOutput = {
  readonly path: string;
  /** Its name below the environment's directory. */
  readonly name: string;
  /** A hash over all paths, kinds and sizes. */
  readonly listing: string;
};

type EnvironmentManifest = {
  readonly key: string;
  /** The commit it was prepared from; another commit with the same key gets the same environment. */
  readonly base: string;
  readonly outputs: readonly SealedOutput[];
  readonly env: Readonly<Record<string, string>>;
  /** Put in front of PATH. */
  readonly path: readonly string[];
  /** The boot it was made in: after a power loss, files may be truncated. */
  readonly boot: string;
};

export type SealedEnvironment = { readonly dir: string; readonly manifest: EnvironmentManifest };

const MANIFEST = 'manifest.json';

export class Shelf {
  readonly dir: string;

  constructor(stateDir: string, project: ProjectId) {
    this.dir = join(stateDir, 'environments', project);
  }

  /** As root, sandbox users must be able to pass through; they cannot list it. */
  open(): void {
    mkdirSync(this.dir, { recursive: true, mode: 0o711 });
  }

  lockOf(key: string): string {
    return join(this.dir, `${key}.lock`);
  }

  /** A directory to make an environment in; `sweepDead` finds it if this process dies. */
  makeDir(key: string, chance: string): string {
    const dir = join(this.dir, `making-${key}-${chance}`);
    mkdirSync(dir, { mode: 0o711 });
    writeFileSync(join(dir, OWNER), JSON.stringify(thisProcess()), { mode: 0o600 });
    return dir;
  }

  /** Moves a finished environment into place: before this it does not exist, afterwards it is complete. */
  put(dir: string, manifest: EnvironmentManifest): SealedEnvironment {
    writeManifest(dir, manifest);
    rmSync(join(dir, OWNER));
    const place = join(this.dir, manifest.key);
    try {
      renameSync(dir, place);
    } catch (error) {
      // Another process was first; its environment is as good.
      if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
    return { dir: place, manifest };
  }

  /** Returns the environment of that key if it exists and is complete; removes an incomplete one. */
  async find(key: string): Promise<SealedEnvironment | null> {
    const dir = join(this.dir, key);
    if (lstatSync(dir, { throwIfNoEntry: false }) === undefined) return null;
    const manifest = readManifest(dir, key);
    if (manifest !== null && (await isWhole(dir, manifest))) return { dir, manifest };
    await this.remove(key);
    return null;
  }

  /** Renames first and then deletes: a kill in between leaves nothing that looks complete. */
  async remove(name: string): Promise<void> {
    const dead = join(this.dir, `making-${name}-${randomBytes(6).toString('hex')}`);
    renameSync(join(this.dir, name), dead);
    await removeTree(dead);
  }

  /** Removes what a killed process left half-made. */
  async sweepDead(dryRun: boolean): Promise<string[]> {
    const dead = this.#names()
      .filter((name) => /^making-|\.lock(?:\.|$)/.test(name))
      .map((name) => join(this.dir, name))
      .filter((path) => isDead(path));
    if (!dryRun) for (const path of dead) await removeTree(path);
    return dead;
  }

  /** Keys of all environments. */
  keys(): string[] {
    return this.#names().filter((name) => /^[0-9a-f]{40}$/.test(name));
  }

  #names(): string[] {
    try {
      return readdirSync(this.dir).sort();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }
}

const OWNER = 'owner.json';
/** A directory without an owner may be about to get one. */
const FRESH_MS = 60_000;

function isDead(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  const owner = readOwner(stat.isDirectory() ? join(path, OWNER) : path);
  return owner === null ? Date.now() - stat.mtimeMs > FRESH_MS : !isAlive(owner);
}

export function readOwner(path: string): ProcessIdentity | null {
  try {
    const owner = JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity;
    return typeof owner.pid === 'number' && typeof owner.host === 'string' ? owner : null;
  } catch {
    return null;
  }
}

function writeManifest(dir: string, manifest: EnvironmentManifest): void {
  const text = canonicalJson(manifest);
  const temporary = join(dir, `${MANIFEST}.${process.pid}`);
  writeFileSync(temporary, JSON.stringify({ manifest, check: sha256(text) }), { mode: 0o600, flush: true });
  renameSync(temporary, join(dir, MANIFEST));
}

function readManifest(dir: string, key: string): EnvironmentManifest | null {
  try {
    const { manifest, check } = JSON.parse(readFileSync(join(dir, MANIFEST), 'utf8')) as {
      manifest: EnvironmentManifest;
      check: string;
    };
    const sound = manifest.key === key && sha256(canonicalJson(manifest)) === check;
    return sound && manifest.outputs.every(({ name }) => name === basename(name)) ? manifest : null;
  } catch {
    return null;
  }
}

/** Quick while the machine is up, because only we can write there. After a restart everything is checked once. */
async function isWhole(dir: string, manifest: EnvironmentManifest): Promise<boolean> {
  for (const { name } of manifest.outputs) {
    const stat = lstatSync(join(dir, name), { throwIfNoEntry: false });
    if (stat === undefined || stat.isSymbolicLink() || (stat.mode & 0o222) !== 0) return false;
  }
  const { boot } = thisProcess();
  if (manifest.boot === boot) return true;
  for (const { name, listing } of manifest.outputs) if ((await listingOf(join(dir, name))) !== listing) return false;
  writeManifest(dir, { ...manifest, boot });
  return true;
}
