/** Throw-away repositories for the tests of trees, and git as a person would call it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ProjectTree } from '../../src/engine/ports/project-tree.ts';
import { GitTrees } from '../../src/hands/context/tree.ts';

export type Repository = {
  readonly root: string;
  readonly dir: string;
  git(...args: string[]): string;
  /** Git with bytes as its input. */
  feed(input: Uint8Array | string, ...args: string[]): string;
  put(files: Readonly<Record<string, string | Uint8Array>>): void;
  /** Everything that is there, as a commit; returns its id. */
  commit(message?: string): string;
  trees(worktree?: string | null): GitTrees;
  /** Tree of the newest commit. */
  tree(worktree?: string | null): Promise<ProjectTree>;
  end(): void;
};

export function repository(files: Readonly<Record<string, string | Uint8Array>> = {}, ...init: string[]): Repository {
  const root = mkdtempSync(join(tmpdir(), 'tree-'));
  const dir = join(root, 'repo');
  mkdirSync(dir);
  const env = {
    ...{ PATH: process.env['PATH'] ?? '', HOME: root, GIT_CONFIG_NOSYSTEM: '1' },
    ...{ GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' },
  };
  const feed = (input: Uint8Array | string, ...args: string[]) =>
    execFileSync('git', ['-C', dir, ...args], { env, input, stdio: 'pipe', maxBuffer: 1 << 28 })
      .toString()
      .trimEnd();
  const own: Repository = {
    root,
    dir,
    feed,
    git: (...args) => feed('', ...args),
    put(more) {
      for (const [path, content] of Object.entries(more)) {
        mkdirSync(dirname(join(dir, path)), { recursive: true });
        writeFileSync(join(dir, path), content);
      }
    },
    commit(message = 'change') {
      feed('', 'add', '-A', '.');
      feed('', 'commit', '-q', '--allow-empty', '-m', message);
      return feed('', 'rev-parse', 'HEAD');
    },
    trees: (worktree = null) => new GitTrees({ commonDir: join(dir, '.git'), worktree }),
    tree: (worktree = null) => own.trees(worktree).open(feed('', 'rev-parse', 'HEAD')),
    end: () => rmSync(root, { recursive: true, force: true }),
  };
  own.git('init', '-q', '-b', 'main', ...init, '.');
  own.put(files);
  if (Object.keys(files).length > 0) own.commit('first');
  return own;
}

/** What a scan shows, by path. */
export async function scanned(tree: ProjectTree): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  await tree.scan((await tree.listing()).files, (file, bytes) => {
    if (seen.has(file.path)) throw new Error(`${file.path} came twice`);
    seen.set(file.path, Buffer.from(bytes).toString('latin1'));
  });
  return seen;
}

export const pathsOf = async (tree: ProjectTree): Promise<string[]> =>
  (await tree.listing()).files.map(({ path }) => path);

export const textsOf = (contents: readonly (Uint8Array | null)[]): (string | null)[] =>
  contents.map((bytes) => (bytes === null ? null : Buffer.from(bytes).toString()));
