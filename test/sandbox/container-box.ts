/**
 * A real Podman with a store of its own, and an image made of a few programs of this machine and their libraries: no
 * registry is needed. Afterwards nothing of it may be left.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { SandboxLimits, SandboxPolicy, SandboxResult } from '../../src/engine/ports/sandbox.ts';
import { type ContainerOptions, ContainerSandbox } from '../../src/hands/sandbox/container/backend.ts';
import { findEngine } from '../../src/hands/sandbox/container/engine.ts';
import { processes } from '../../src/os/process/table.ts';
import { remove } from '../support/remove.ts';
import { HOSTILE, MIB } from './setup.ts';

const IMAGE = 'supervisor-test:1';
const PROGRAMS = ['sh', 'env', 'mkdir', 'chmod', 'cat', 'sleep', 'head', 'tr', 'id', 'touch', 'ls', 'grep', 'perl'];
/** The machine's own folders, where its own engine is; ours stands in front of it. */
const SYSTEM = '/usr/sbin:/usr/bin:/sbin:/bin';

export type PodmanAt = { readonly dir: string; readonly path: string; readonly image: string };

/** Where the engine is that `makePodman` made in this directory. */
export const podmanAt = (dir: string): PodmanAt => ({ dir, path: `${join(dir, 'bin')}:${SYSTEM}`, image: IMAGE });

/** Why there can be no containers here; root always tests them. Called at the top of a file, before anything is made. */
export async function podmanProblem(): Promise<string | null> {
  if (process.getuid?.() === 0) return null;
  // Asked without a place of its own, it leaves directories in /tmp.
  const dir = mkdtempSync(join(tmpdir(), 'podman-'));
  try {
    const found = await findEngine('podman', { PATH: SYSTEM, HOME: dir, XDG_RUNTIME_DIR: dir });
    return 'command' in found ? null : `${found.problem} (${found.fix})`;
  } finally {
    remove(dir);
  }
}

export function makePodman(): PodmanAt & Disposable & { run(...args: string[]): string } {
  const dir = mkdtempSync(join(tmpdir(), 'supervisor-podman-'));
  chmodSync(dir, 0o711);
  const at = podmanAt(dir);
  mkdirSync(join(dir, 'bin'));
  const command = join(dir, 'bin/podman');
  // Podman takes no path longer than 50 characters for this one.
  const runRoot = mkdtempSync('/tmp/supervisor-podman-');
  const store = `--root ${join(dir, 'store')} --runroot ${runRoot}`;
  writeFileSync(command, `#!/bin/sh\nexec /usr/bin/podman ${store} "$@"\n`, { mode: 0o755 });
  const run = (...args: string[]) =>
    execFileSync(command, args, {
      encoding: 'utf8',
      timeout: 60_000,
      env: { PATH: SYSTEM },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const dispose = () => {
    // Podman keeps its store mounted on itself for ever.
    spawnSync('umount', [join(dir, 'store/overlay')]);
    for (const path of [dir, runRoot]) rmSync(path, { recursive: true, force: true });
  };
  try {
    fillImage(join(dir, 'image'));
    execFileSync('tar', ['-C', join(dir, 'image'), '-cf', join(dir, 'image.tar'), '.']);
    run('import', '--quiet', join(dir, 'image.tar'), IMAGE);
  } catch (error) {
    dispose();
    throw error;
  }
  return { ...at, run, [Symbol.dispose]: dispose };
}

function fillImage(root: string): void {
  for (const name of ['usr/bin', 'usr/lib', 'usr/lib64', 'etc', 'tmp', 'proc', 'dev', 'sys', 'run'])
    mkdirSync(join(root, name), { recursive: true });
  for (const name of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name));
  const programs = PROGRAMS.map((name) =>
    execFileSync('sh', ['-c', 'command -v "$1"', 'sh', name], { encoding: 'utf8' }).trim(),
  );
  for (const [index, path] of programs.entries())
    copyFileSync(realpathSync(path), join(root, 'usr/bin', `${PROGRAMS[index]}`));
  // Node itself is mounted, it is large; what it needs is here.
  for (const path of [...programs, process.execPath]) {
    const { stdout } = spawnSync('ldd', [realpathSync(path)], { encoding: 'utf8' });
    for (const [library] of stdout.matchAll(/\/\S+/g)) {
      const place = join(root, realpathSync(dirname(library)));
      mkdirSync(place, { recursive: true });
      copyFileSync(library, join(place, library.split('/').at(-1) ?? ''));
    }
  }
}

export function containerSetup(podman: PodmanAt, dir: string, options: Partial<ContainerOptions> = {}) {
  const tree = join(dir, 'tree');
  const state = join(dir, 'state');
  for (const path of [tree, state]) mkdirSync(path, { recursive: true });
  const sandbox = new ContainerSandbox({
    ...{ engine: 'podman', image: podman.image, runDir: join(dir, 'run'), hidden: [state], env: { PATH: podman.path } },
    ...options,
  });
  const policy: SandboxPolicy = {
    kind: 'gate',
    readable: [
      { from: HOSTILE, to: '/programs' },
      { from: process.execPath, to: '/opt/node/bin/node' },
    ],
    writable: [{ from: tree, to: '/workspace' }],
    cwd: '/workspace',
    env: { PATH: '/opt/node/bin:/usr/bin:/bin', HOME: '/tmp/home' },
    limits: {
      memoryBytes: 512 * MIB,
      processes: 100,
      cpus: 1.5,
      wallMs: 120_000,
      idleMs: null,
      outputBytes: 4 * MIB,
      diskBytes: 64 * MIB,
    },
  };
  return { sandbox, policy, tree, state };
}

export type Contained = SandboxResult & { readonly stdout: string; readonly stderr: string };

export class ContainerBox implements Disposable {
  readonly dir = mkdtempSync(join(tmpdir(), 'supervisor-box-'));
  readonly sandbox;
  readonly policy;
  readonly tree;
  readonly state;

  constructor(podman: PodmanAt, options: Partial<ContainerOptions> = {}) {
    chmodSync(this.dir, 0o711);
    const made = containerSetup(podman, this.dir, options);
    ({ sandbox: this.sandbox, policy: this.policy, tree: this.tree, state: this.state } = made);
  }

  async play(
    argv: readonly [string, ...string[]],
    play: {
      readonly limits?: Partial<SandboxLimits>;
      readonly policy?: Partial<SandboxPolicy>;
      readonly input?: string;
      readonly signal?: AbortSignal;
      readonly onOutput?: (text: string) => void;
    } = {},
  ): Promise<Contained> {
    const texts = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
    const result = await this.sandbox.run({
      argv,
      policy: { ...this.policy, ...play.policy, limits: { ...this.policy.limits, ...play.limits } },
      input: play.input ?? '',
      onOutput: (stream, bytes) => {
        texts[stream].push(bytes);
        play.onOutput?.(Buffer.from(bytes).toString());
      },
      signal: play.signal ?? new AbortController().signal,
    });
    const text = (of: Uint8Array[]) => Buffer.concat(of).toString();
    return { ...result, stdout: text(texts.stdout), stderr: text(texts.stderr) };
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Processes of this machine that have a word in their command line, or a root that is made of it. */
export function processesWith(word: string): string[] {
  return processes().flatMap((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
      const [root = ''] = /^overlay \/ .*$/m.exec(readFileSync(`/proc/${pid}/mounts`, 'utf8')) ?? [];
      return pid !== process.pid && (line.includes(word) || root.includes(word)) ? [`${pid} ${line}`] : [];
    } catch {
      return [];
    }
  });
}
