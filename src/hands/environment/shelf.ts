/** Where sealed environments of a project lie, and how one is known to be whole. */
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Owner } from '../../engine/ports/store.ts';
import { sha256 } from '../../kernel/hash.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { removeTree } from '../../os/files/remove-tree.ts';
import { isAlive, thisProcess } from '../../os/machine/identity.ts';
import { listingOf } from './seal.ts';

/** One output: its path as configured, or `/env` for all that lies outside the tree. */
export type SealedOutput = {
  readonly path: string;
  /** Its name below the directory of the environment. */
  readonly name: string;
  /** Over all paths, kinds and sizes. */
  readonly listing: string;
};

type Manifest = {
  readonly key: string;
  /** From which commit it was prepared; another one with the same key gets the same environment. */
  readonly base: string;
  readonly outputs: readonly SealedOutput[];
  readonly env: Readonly<Record<string, string>>;
  /** In front of PATH. */
  readonly path: readonly string[];
  /** What the machine was started as: after a power loss, files may be shorter than they were. */
  readonly boot: string;
};

export type Sealed = { readonly dir: string; readonly manifest: Manifest };

const MANIFEST = 'manifest.json';

export class Shelf {
  readonly dir: string;

  constructor(stateDir: string, project: ProjectId) {
    this.dir = join(stateDir, 'environments', project);
  }

  /** As root, users of sandboxes must be able to pass through; they can list nothing. */
  open(): void {
    mkdirSync(this.dir, { recursive: true, mode: 0o711 });
  }

  lockOf(key: string): string {
    return join(this.dir, `${key}.lock`);
  }

  /** A directory to make an environment in; `sweepDead` finds it when this process dies. */
  makeDir(key: string, chance: string): string {
    const dir = join(this.dir, `making-${key}-${chance}`);
    mkdirSync(dir, { mode: 0o711 });
    writeFileSync(join(dir, OWNER), JSON.stringify(thisProcess()), { mode: 0o600 });
    return dir;
  }

  /** Puts a finished one into its place: from here on it is whole, before it was not there. */
  put(dir: string, manifest: Manifest): Sealed {
    writeManifest(dir, manifest);
    rmSync(join(dir, OWNER));
    const place = join(this.dir, manifest.key);
    try {
      renameSync(dir, place);
    } catch (error) {
      // Another process was first: what it made is as good.
      if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
    return { dir: place, manifest };
  }

  /** The environment of that key if it is there and whole; what is there and not whole is taken away. */
  async find(key: string): Promise<Sealed | null> {
    const dir = join(this.dir, key);
    if (lstatSync(dir, { throwIfNoEntry: false }) === undefined) return null;
    const manifest = readManifest(dir, key);
    if (manifest !== null && (await isWhole(dir, manifest))) return { dir, manifest };
    await this.remove(key);
    return null;
  }

  /** Out of its place at once, then deleted: a kill in the middle leaves nothing that looks whole. */
  async remove(name: string): Promise<void> {
    const dead = join(this.dir, `making-${name}-${randomBytes(6).toString('hex')}`);
    renameSync(join(this.dir, name), dead);
    await removeTree(dead);
  }

  /** What a killed process left half-made. */
  async sweepDead(dryRun: boolean): Promise<string[]> {
    const dead = this.#names()
      .filter((name) => /^making-|\.lock(?:\.|$)/.test(name))
      .map((name) => join(this.dir, name))
      .filter((path) => isDead(path));
    if (!dryRun) for (const path of dead) await removeTree(path);
    return dead;
  }

  /** Keys of all that is there. */
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
/** One without an owner may be about to get it. */
const FRESH_MS = 60_000;

function isDead(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  const owner = readOwner(stat.isDirectory() ? join(path, OWNER) : path);
  return owner === null ? Date.now() - stat.mtimeMs > FRESH_MS : !isAlive(owner);
}

export function readOwner(path: string): Owner | null {
  try {
    const owner = JSON.parse(readFileSync(path, 'utf8')) as Owner;
    return typeof owner.pid === 'number' && typeof owner.host === 'string' ? owner : null;
  } catch {
    return null;
  }
}

function writeManifest(dir: string, manifest: Manifest): void {
  const text = canonicalJson(manifest);
  const temporary = join(dir, `${MANIFEST}.${process.pid}`);
  writeFileSync(temporary, JSON.stringify({ manifest, check: sha256(text) }), { mode: 0o600, flush: true });
  renameSync(temporary, join(dir, MANIFEST));
}

function readManifest(dir: string, key: string): Manifest | null {
  try {
    const { manifest, check } = JSON.parse(readFileSync(join(dir, MANIFEST), 'utf8')) as {
      manifest: Manifest;
      check: string;
    };
    const sound = manifest.key === key && sha256(canonicalJson(manifest)) === check;
    return sound && manifest.outputs.every(({ name }) => name === basename(name)) ? manifest : null;
  } catch {
    return null;
  }
}

/** Quick while the machine is up: nobody but us can write there. After a restart everything is looked at once. */
async function isWhole(dir: string, manifest: Manifest): Promise<boolean> {
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
