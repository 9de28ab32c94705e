/** Runs the real command line in a fresh home, on a fresh repository; everything it made is removed again. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readEnvironment } from '../../src/app/config/environment.ts';
import { locateProject, openToRead } from '../../src/app/open-store.ts';
import { contentOf } from '../../src/engine/hand-lookups.ts';
import { type StoredEvent, type StoreFile, THIS_HOST } from '../../src/engine/ports/store.ts';
import { verifyLog } from '../../src/engine/verify.ts';
import type { BlobHash, ProjectId } from '../../src/kernel/ids.ts';
import { namesIn } from '../../src/os/files/names-in.ts';
import { firstCommit } from './first-commit.ts';
import { remove } from './remove.ts';
import { allRows } from './stores.ts';
import { endProcesses } from './traces.ts';

/** What the suite has built; outside of one, the sources. */
export const ENTRY =
  process.env['SUPERVISOR_TEST_ENTRY'] ?? fileURLToPath(new URL('../../src/faces/cli/entry.ts', import.meta.url));

/** The same, with failpoints: what is published has none. */
const CRASH_ENTRY =
  process.env['SUPERVISOR_TEST_CRASH_ENTRY'] ?? fileURLToPath(new URL('./crash-entry.ts', import.meta.url));

/** Compiled code is kept between worlds: without, each would spend half a second on compiling alone. */
const CACHE = fileURLToPath(new URL('../../.tools/test-cache', import.meta.url));

/**
 * The Node of these tests and what belongs to the system. Tool chains of a person, in the home directory, are left out: each
 * sandbox would be shown all of them, and a search of all that is inside would read gigabytes.
 */
export const PATH = [
  dirname(process.execPath),
  ...(process.env['PATH'] ?? '').split(':').filter((dir) => !dir.startsWith(`${homedir()}/`)),
].join(':');
const ENVIRONMENT = { PATH, XDG_CACHE_HOME: CACHE, NO_COLOR: '1' };

export type Result = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
};

export class World implements Disposable {
  readonly dir = mkdtempSync(join(tmpdir(), 'supervisor-test-'));
  readonly repository = join(this.dir, 'repository');
  readonly home = join(this.dir, 'home');
  readonly state = join(this.dir, 'state');
  readonly ledger = join(this.dir, 'ledger');
  readonly #children = new Set<ChildProcess>();

  constructor() {
    // Users of sandboxes have to pass through.
    chmodSync(this.dir, 0o711);
    mkdirSync(this.home);
    mkdirSync(this.repository);
    firstCommit(this.repository);
  }

  file(name: string, content: string | Uint8Array): string {
    const path = join(this.dir, name);
    writeFileSync(path, content);
    return path;
  }

  /** Commits files to the repository. */
  commit(files: Readonly<Record<string, string>>, message = 'more'): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.repository, path)), { recursive: true });
      writeFileSync(join(this.repository, path), text);
    }
    this.git('add', '-A');
    this.git('commit', '-q', '-m', message);
  }

  /** Git as the user runs it. */
  git(...args: string[]): string {
    return execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
      cwd: this.repository,
      env: { PATH: process.env['PATH'] ?? '', HOME: this.home, GIT_CONFIG_NOSYSTEM: '1' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  }

  userConfig(content: string | Uint8Array): void {
    mkdirSync(join(this.home, '.supervisor'), { recursive: true });
    writeFileSync(join(this.home, '.supervisor', 'config.yaml'), content);
  }

  start(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    input: string | null = null,
  ): { child: ChildProcess; done: Promise<Result>; output(): string } {
    const entry = env['SUPERVISOR_FAILPOINT'] === undefined ? ENTRY : CRASH_ENTRY;
    const child = spawn(process.execPath, [entry, ...args], {
      cwd: this.repository,
      env: { ...ENVIRONMENT, HOME: this.home, SUPERVISOR_HOME: this.state, ...env },
      stdio: [input === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    this.#children.add(child);
    child.stdin?.end(input ?? '');
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (chunk) => (stdout += chunk));
    child.stderr?.on('data', (chunk) => (stderr += chunk));
    const done = new Promise<Result>((resolve) => {
      child.on('close', (code, signal) => {
        this.#children.delete(child);
        resolve({ code, signal, stdout, stderr });
      });
    });
    return { child, done, output: () => stdout };
  }

  run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Result> {
    return this.start(args, env).done;
  }

  async json<T = Record<string, unknown>>(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    const { stdout, stderr, code } = await this.run([...args, '--json'], env);
    try {
      return JSON.parse(stdout) as T;
    } catch {
      throw new Error(`${args.join(' ')} printed no JSON (exit ${code}): ${stdout}${stderr}`);
    }
  }

  /** The log as it is in the file, read without another process. */
  async events(of: 'project' | 'host' = 'project'): Promise<readonly StoredEvent[]> {
    const read = (store: StoreFile, project: ProjectId) =>
      store.readLog(of === 'host' ? THIS_HOST : project, 0, 100_000);
    return (await this.#reading(read)) ?? [];
  }

  /** The packets that workers of a step were given, oldest first. */
  async packets(step: string): Promise<readonly string[]> {
    type Settled = { readonly step: string; readonly record: BlobHash | null };
    const settled = (await this.events()).flatMap(({ type, data }) =>
      type === 'attempt.settled.2' ? [data as Settled] : [],
    );
    const produced = (await this.events()).flatMap(({ type, data }) =>
      type === 'attempt.produced.2' ? [data as Settled] : [],
    );
    const records = [...produced, ...settled].flatMap(({ step: of, record }) =>
      of === step && record !== null ? [record] : [],
    );
    const read = async (store: StoreFile) => {
      const texts = await Promise.all(records.map((hash) => contentOf(store, hash)));
      // An attempt without a worker has no packet.
      const hashes = texts.flatMap((text) => (JSON.parse(text ?? '{}') as { packet?: BlobHash }).packet ?? []);
      return Promise.all(hashes.map(async (hash) => (await contentOf(store, hash)) ?? ''));
    };
    return (await this.#reading(read)) ?? [];
  }

  async tasks(): Promise<readonly { task_id: string; status: string }[]> {
    const rows = await this.#reading((store, project) => allRows(store, project, 'task/'));
    return (rows ?? []).map((row) => row.summary as { task_id: string; status: string });
  }

  /** How many tasks wait in the landing queue of each line. */
  async queues(): Promise<readonly number[]> {
    const rows = await this.#reading((store, project) => allRows(store, project, 'line/'));
    return (rows ?? []).map((row) => (row.summary as { queued: number }).queued);
  }

  /** What `verify` finds, and whether the lease is free. */
  async health(): Promise<{ findings: unknown[]; leased: boolean }> {
    const health = await this.#reading(async (store, project) => ({
      findings: [...(await store.integrity()), ...(await verifyLog(store, project, [])).findings],
      leased: (await store.lease(project)).owner !== null,
    }));
    return health ?? { findings: ['no log'], leased: false };
  }

  async #reading<T>(look: (store: StoreFile, project: ProjectId) => Promise<T>): Promise<T | null> {
    const project = locateProject(this.repository);
    const store = await openToRead(readEnvironment({ SUPERVISOR_HOME: this.state }), project);
    if (store === null) return null;
    try {
      return await look(store, project.id);
    } finally {
      await store.close();
    }
  }

  /** What a killed Supervisor leaves is for the next one to sweep, by its notes. Here none comes any more. */
  #sweep(): void {
    for (const name of namesIn(join(this.state, 'run', 'runs'))) {
      try {
        for (const group of JSON.parse(readFileSync(join(this.state, 'run', 'runs', name), 'utf8')).groups)
          removeGroup(group);
      } catch {
        // Torn: then it was not acted upon yet.
      }
    }
  }

  [Symbol.dispose](): void {
    const started = [...this.#children].flatMap(({ pid }) => pid ?? []);
    endProcesses(this.dir, started);
    this.#sweep();
    remove(this.dir);
  }
}

/** Waits for something another process does; gives up loudly. */
export async function eventually<T>(
  look: () => Promise<T | null | false> | T | null | false,
  what: string,
  patienceMs = 120_000,
): Promise<T> {
  const patience = Date.now() + patienceMs;
  // Less and less often: many a look starts a process, which takes time from whom it waits for.
  for (let pauseMs = 20; ; pauseMs = Math.min(1.3 * pauseMs, 100)) {
    const found = await look();
    if (found !== null && found !== false) return found;
    if (Date.now() > patience) throw new Error(`it never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Its members have just been killed, and are gone a moment later. */
function removeGroup(path: string): void {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let patience = 1000; existsSync(path) && patience > 0; patience -= 1) {
    try {
      rmdirSync(path);
    } catch {
      Atomics.wait(clock, 0, 0, 1);
    }
  }
}
