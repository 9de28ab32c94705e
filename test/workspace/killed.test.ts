/** SIGKILL anywhere, also inside of git: the next process completes the change and nothing of the killed one is left. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { killAtAnyTime } from './kills.ts';
import { type World, world } from './repository.ts';

let w: World;
beforeEach(() => {
  w = world();
});
afterEach(() => w.end());

test('kills at any time: the same commit, one branch, a sound repository, nothing left', { timeout: 240_000 }, () =>
  killAtAnyTime(w, 7),
);

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
    const workspaces = w.open();
    for (const patience = Date.now() + 120_000; existsSync(path) && Date.now() < patience; await setTimeout(100))
      await workspaces.sweep(() => true, false);
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
    const holder = spawn('git', ['-C', w.repo, 'update-ref', '--stdin'], { stdio: ['pipe', 'pipe', 'inherit'] });
    holder.stdin.write('start\n');
    await once(holder.stdout, 'data');
    await setTimeout(300);
    die(lock(), `${ID}\n`, ours);
    await w.open().sweep(() => true, false);
    expect(existsSync(lock())).toBe(true);
    holder.stdin.end();
    await new Promise((done) => holder.on('close', done));
    expect(await settled(lock())).toBe(true);
  });
});
