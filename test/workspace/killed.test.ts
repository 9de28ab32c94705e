/** SIGKILL anywhere, also inside of git: the next process completes the change and nothing of the killed one is left. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { plain, type World, world } from './repository.ts';

let w: World;
beforeEach(() => {
  w = world();
});
afterEach(() => w.end());

const PROGRAM = join(import.meta.dirname, 'killed-child.ts');

/** A process group of its own: git belongs to it. */
function start(repo: string, state: string, name: string): ChildProcess {
  return spawn(process.execPath, [PROGRAM, repo, state, name], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function outputOf(child: ChildProcess): Promise<string[]> {
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((done) => child.on('close', done));
  return Buffer.concat(chunks).toString().trim().split('\n');
}

const begun = (child: ChildProcess) => new Promise((done) => child.stdout?.once('data', done));

const names = (dir: string): string[] => (existsSync(dir) ? readdirSync(dir) : []);

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It was quicker.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** What git leaves only when it is killed. */
const traces = () =>
  (readdirSync(join(w.repo, '.git'), { recursive: true }) as string[]).filter((name) =>
    /\.lock$|packed-refs\.new$|tmp_|\.keep$/.test(name),
  );

const RUNS = 30;

test(`${RUNS} kills at any time: the same commit, one branch, a sound repository, nothing left`, {
  timeout: 240_000,
}, async () => {
  // The same work on a copy, undisturbed, says how long it takes and what must come out.
  const copy = join(w.root, 'copy');
  plain(w.root, 'clone', '-q', w.repo, copy);
  const copied = join(w.root, 'copy-state');
  const undisturbed = async (name: string): Promise<[ms: number, commit: string]> => {
    const child = start(copy, copied, name);
    const output = outputOf(child);
    await begun(child);
    const from = performance.now();
    const [, commit = ''] = await output;
    return [performance.now() - from, commit];
  };
  let [killedAtWork, left] = [0, 0];
  let [longest] = await undisturbed('warm-up');
  for (let n = 0; n < RUNS; n += 1) {
    const name = `run-${n}`;
    const [ms, expected] = await undisturbed(name);
    longest = Math.max(longest, ms);

    const victim = start(w.repo, w.state, name);
    const output = outputOf(victim);
    await begun(victim);
    await setTimeout((longest * (n + 0.5)) / RUNS);
    // Every other time git goes on without its parent.
    kill(n % 2 === 0 ? -victim.pid! : victim.pid!);
    if ((await output).length === 1) killedAtWork += 1;
    left += traces().length + names(join(w.state, 'git/demo/scratch')).length;

    expect(await outputOf(start(w.repo, w.state, name))).toEqual(['begin', expected]);
    expect(w.git('rev-parse', `ai/${name}`)).toBe(expected);
    const workspaces = w.open();
    await workspaces.sweep(() => false, false);
    await workspaces.close();
    expect(traces()).toEqual([]);
    expect(readdirSync(join(w.state, 'git/demo/notes'))).toEqual([]);
    expect(readdirSync(join(w.state, 'git/demo/scratch'))).toEqual([]);
  }
  expect(w.git('for-each-ref', '--format=%(refname)', 'refs/heads').split('\n')).toHaveLength(RUNS + 1);
  w.git('fsck', '--strict');
  // The kills did hit (control).
  expect(killedAtWork).toBeGreaterThan(RUNS / 2);
  expect(left).toBeGreaterThan(0);
});

describe('a lock that a killed process left', () => {
  const ID = 'a'.repeat(40);
  const lock = () => join(w.repo, '.git/refs/heads/ai/x.lock');

  /** Dies by SIGKILL inside of a noted piece of work that had just made the file. */
  function die(path: string, content: string, locks: object): void {
    mkdirSync(dirname(path), { recursive: true });
    const notes = resolve(import.meta.dirname, '../../src/hands/workspace/notes.ts');
    const context = { privateDir: join(w.state, 'git/demo'), commonDir: join(w.repo, '.git') };
    const program = `import { writeFileSync } from 'node:fs';
      import { noted } from ${JSON.stringify(notes)};
      await noted(${JSON.stringify(context)}, ${JSON.stringify(locks)}, async () => {
        writeFileSync(${JSON.stringify(path)}, ${JSON.stringify(content)});
        process.kill(process.pid, 'SIGKILL');
      });`;
    const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
    expect(signal).toBe('SIGKILL');
  }
  const ours = { files: [{ path: 'refs/heads/ai/x.lock', id: ID }], pack: false };

  /** Gits of others on this machine may be as old as the lock; they come to an end. */
  async function settled(path: string): Promise<boolean> {
    for (let n = 0; n < 100 && existsSync(path); n += 1) {
      await w.open().sweep(() => true, false);
      await setTimeout(100);
    }
    return !existsSync(path);
  }

  test.each([
    ['with our commit in it', `${ID}\n`],
    ['still empty', ''],
  ])('%s: removed', async (_, content) => {
    die(lock(), content, ours);
    expect(existsSync(lock())).toBe(true);
    expect(await settled(lock())).toBe(true);
  });

  test('of the packed refs: removed', async () => {
    const path = join(w.repo, '.git/packed-refs.lock');
    die(path, 'anything', { files: [{ path: 'packed-refs.lock', id: null }], pack: false });
    expect(await settled(path)).toBe(true);
  });

  test.each(['tmp_pack_x', 'tmp_idx_x', `pack-${ID}.pack`, `pack-${ID}.keep`])(
    'half a pack, %s: removed',
    async (name) => {
      const path = join(w.repo, '.git/objects/pack', name);
      die(path, '', { files: [], pack: true });
      expect(await settled(path)).toBe(true);
    },
  );

  test('with something else in it, or older than the note: it is another\u2019s and stays', async () => {
    die(lock(), `${'b'.repeat(40)}\n`, ours);
    await w.open().sweep(() => true, false);
    expect(readFileSync(lock(), 'utf8')).toContain('bbbb');
    const old = join(w.repo, '.git/refs/heads/ai/old.lock');
    writeFileSync(old, '');
    await setTimeout(100);
    die(join(w.root, 'elsewhere'), '', { files: [{ path: 'refs/heads/ai/old.lock', id: ID }], pack: false });
    await w.open().sweep(() => true, false);
    expect(existsSync(old)).toBe(true);
  });

  test('while a git process lives that is older than it: it stays until that ends', async () => {
    const holder = spawn('git', ['-C', w.repo, 'cat-file', '--batch'], { stdio: ['pipe', 'ignore', 'inherit'] });
    await setTimeout(300);
    die(lock(), `${ID}\n`, ours);
    await w.open().sweep(() => true, false);
    expect(existsSync(lock())).toBe(true);
    holder.stdin.end();
    await new Promise((done) => holder.on('close', done));
    expect(await settled(lock())).toBe(true);
  });
});
