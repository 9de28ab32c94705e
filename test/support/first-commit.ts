/** A repository with one empty commit. Git makes it once; after that its few files are written: that takes a sixth of the time. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

type Entry = { readonly path: string; readonly mode: number; readonly content: Uint8Array | null };

let entries: readonly Entry[] | null = null;

export function firstCommit(dir: string): void {
  entries ??= made();
  for (const { path, mode, content } of entries) {
    if (content === null) mkdirSync(join(dir, path), { recursive: true });
    else writeFileSync(join(dir, path), content, { mode });
  }
}

function made(): Entry[] {
  const dir = mkdtempSync(join(tmpdir(), 'supervisor-test-first-'));
  try {
    const env = { PATH: process.env['PATH'] ?? '', HOME: dir, GIT_CONFIG_NOSYSTEM: '1' };
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], { cwd: dir, env });
    git('init', '-q', '-b', 'main');
    git('commit', '-q', '--allow-empty', '-m', 'first');
    const found = readdirSync(dir, { recursive: true, withFileTypes: true });
    return found
      .filter(({ name }) => !name.endsWith('.sample'))
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        const content = entry.isDirectory() ? null : readFileSync(path);
        return { path: relative(dir, path), mode: statSync(path).mode, content };
      })
      .sort((one, other) => (one.path < other.path ? -1 : 1));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
