/** OF-17, OF-18: each shape of repository works with an empty change for an idle worker, or is refused with what to do. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { candidateOf, commitAll, FILES, plain, publicationOf, put, type World, world } from './repository.ts';

let w: World;
afterEach(() => w.end());

type Shape = { readonly dir: string; readonly base?: string };
const SHAPES: Record<string, () => Shape> = {
  plain: () => here(world()),
  'detached HEAD': () => {
    const made = world();
    made.git('checkout', '-q', '--detach');
    return here(made);
  },
  'bare repository': () => {
    const made = world();
    return here(made, clone(made, '--bare'));
  },
  'shallow clone': () => {
    const made = world();
    put(made.repo, { more: 'm\n' });
    commitAll(made, 'second');
    return here(made, clone(made, '--depth=1', '--no-local'));
  },
  'clone that borrows objects': () => {
    const made = world();
    return here(made, clone(made, '--shared'));
  },
  'linked worktree': () => {
    const made = world();
    made.git('worktree', 'add', '-q', '-b', 'side', join(made.root, 'side'));
    return here(made, join(made.root, 'side'));
  },
  subdirectory: () => {
    const made = world();
    return here(made, join(made.repo, 'src'));
  },
  'submodule as the project': () => {
    const made = world();
    const outer = join(made.root, 'outer');
    mkdirSync(outer);
    plain(outer, 'init', '-q', '.');
    plain(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', made.repo, 'inner');
    return here(made, join(outer, 'inner'));
  },
  'SHA-256 objects': () => here(world(FILES, ['--object-format=sha256'])),
  'sparse checkout': () => {
    const made = world({ ...FILES, 'other/x': 'x\n' });
    made.git('sparse-checkout', 'set', 'src');
    return here(made);
  },
  'autocrlf and LF blobs': () => {
    const made = world();
    made.git('config', 'core.autocrlf', 'true');
    return here(made);
  },
  'CRLF blobs under text=auto': () => {
    const made = world({ ...FILES, 'dos.txt': 'a\r\nb\r\n' });
    put(made.repo, { '.gitattributes': '* text=auto eol=crlf\n*.utf16 working-tree-encoding=UTF-16\n' });
    made.git('add', '.gitattributes');
    made.git('commit', '-q', '-m', 'attributes');
    return here(made);
  },
  'file modes off': () => {
    const made = world();
    chmodSync(join(made.repo, 'src/a.py'), 0o755);
    commitAll(made, 'executable');
    made.git('config', 'core.fileMode', 'false');
    return here(made);
  },
  'replace refs': () => {
    const made = world();
    const other = made.git('commit-tree', '-m', 'other', `${made.git('mktree', '--missing')}`);
    made.git('replace', 'HEAD', other);
    return { ...here(made), base: made.git('rev-parse', 'HEAD') };
  },
  'names with spaces, quotes and accents': () =>
    here(world({ 'a b/"c" d': 'x\n', '\u00e9\u4e2d': 'y\n', "-n'": 'z\n' })),
  'long paths': () => here(world({ [`${'d'.repeat(200)}/${'e'.repeat(200)}/${'f'.repeat(200)}`]: 'x\n' })),
  'empty tree': () => {
    const made = world({});
    made.git('commit', '-q', '--allow-empty', '-m', 'empty');
    return here(made);
  },
};

test.each(Object.keys(SHAPES))(
  '%s: an idle worker changes nothing, a change is captured and published',
  async (name) => {
    const shape = SHAPES[name]!();
    const workspaces = w.open({ commonDir: shape.dir });
    const base = shape.base ?? plain(shape.dir, 'rev-parse', 'HEAD');
    const idle = await workspaces.make('idle', { base, tree: null });
    expect(await idle.capture()).toEqual({ type: 'unchanged', ignored: [] });
    const busy = await workspaces.make('busy', { base, tree: null });
    put(busy.tree, { 'zz/new.txt': 'new\r\n' });
    const captured = candidateOf(await busy.capture());
    expect(captured.changed.map(({ path }) => path)).toEqual(['zz/new.txt']);
    const done = await workspaces.publish(publicationOf(captured));
    expect(done).toEqual({ type: 'published', commit: plain(shape.dir, 'rev-parse', 'refs/heads/ai/task-1') });
    expect(plain(shape.dir, '--no-replace-objects', 'diff', '--name-only', base, 'ai/task-1', '--')).toBe('zz/new.txt');
    plain(shape.dir, '-c', 'gc.worktreePruneExpire=never', 'gc', '-q', '--prune=now');
    expect(plain(shape.dir, 'show', 'ai/task-1:zz/new.txt')).toBe('new');
    plain(shape.dir, 'fsck', '--no-dangling');
  },
);

const REFUSED: Record<string, readonly [() => Shape, RegExp]> = {
  'no commit yet': [() => here(world({})), /no commit yet: .*git commit --allow-empty/],
  'a commit that is not there': [() => ({ ...here(world()), base: 'f'.repeat(40) }), /there is no commit/],
  'the id of a tag': [
    () => {
      const made = world();
      made.git('tag', '-a', '-m', 'one', 'v1');
      return { ...here(made), base: made.git('rev-parse', 'v1').trim() };
    },
    /is no commit: name [0-9a-f]{40} instead/,
  ],
  submodules: [
    () => {
      const made = world();
      made.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', made.repo, 'inner');
      commitAll(made, 'submodule');
      return here(made);
    },
    /inner is a submodule/,
  ],
  'Git LFS': [
    () => here(world({ 'assets/.gitattributes': '# x\n*.psd filter=lfs diff=lfs merge=lfs -text\n' })),
    /assets\/.gitattributes keeps files in Git LFS/,
  ],
  'a partial clone without its files': [
    () => {
      const made = world();
      made.git('config', 'uploadpack.allowFilter', 'true');
      return here(made, clone(made, '--no-local', '--filter=blob:none', '--no-checkout'));
    },
    /partial clone/,
  ],
};

test.each(Object.keys(REFUSED))('%s: refused with a sentence that says what to do', async (name) => {
  const [make, expected] = REFUSED[name]!;
  const shape = make();
  const asked = w.open({ commonDir: shape.dir }).make('one', { base: shape.base ?? 'HEAD', tree: null });
  await expect(asked).rejects.toThrow(expected);
  await expect(asked).rejects.toMatchObject({ name: 'WorkspaceError', retryable: false });
});

test('a base whose objects are gone is an error that names git\u2019s reason, not an empty workspace', async () => {
  const shape = here(world());
  const blob = plain(shape.dir, 'rev-parse', 'HEAD:src/b.txt');
  rmSync(join(w.repo, '.git/objects', blob.slice(0, 2)), { recursive: true });
  await expect(w.open().make('one', { base: 'HEAD', tree: null })).rejects.toThrow(/failed: .*/);
});

function here(made: World, dir = made.repo): Shape {
  w = made;
  return { dir };
}

function clone(made: World, ...args: string[]): string {
  const to = join(made.root, 'clone');
  execFileSync('git', ['clone', '-q', ...args, made.repo, to], { stdio: 'pipe' });
  return to;
}
