/** What can be read of candidates and trees long after the workspace is gone, and trees with files of the base put back. */
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { candidateOf, changed, commitAll, FILES, put, type World, world } from './repository.ts';

let w: World;
beforeEach(() => {
  w = world();
});
afterEach(() => w.end());

test('the changes of a candidate are those of its capture; a tree that was not checked is refused', async () => {
  const { candidate, changed: said } = candidateOf(
    await changed(w, (tree) => {
      put(tree, { 'n\u00e9w.txt': 'n\n', 'src/b.txt': 'c\n' });
      rmSync(join(tree, 'src/a.py'));
    }),
  );
  w.git('gc', '-q', '--prune=now');
  expect(await w.open().changes(candidate)).toEqual(said);
  expect(said.map(({ path }) => path)).toEqual(['n\u00e9w.txt', 'src/a.py', 'src/b.txt']);
  const other = candidateOf(await changed(w, (tree) => put(tree, { evil: 'e\n' }), 'two')).candidate;
  await expect(w.open().changes({ ...candidate, tree: other.tree })).rejects.toMatchObject({
    code: 'not_the_candidate',
  });
  await expect(w.open().changes({ ...candidate, tree: '--help' })).rejects.toMatchObject({ code: 'no_commit' });
});

test('paths and texts of a commit or a tree; null for what is no text of a regular file', async () => {
  put(w.repo, { 'n\u00e9w \n.txt': 'two\nlines', empty: '', bom: '\ufeffb\n', limit: 'x'.repeat(1 << 20) });
  put(w.repo, { large: 'x'.repeat((1 << 20) + 1) });
  writeFileSync(join(w.repo, 'latin'), Buffer.from([0x61, 0xe9]));
  symlinkSync('src/b.txt', join(w.repo, 'link'));
  commitAll(w, 'more');
  w.git('update-index', '--add', '--cacheinfo', `160000,${w.git('rev-parse', 'HEAD')},module`);
  w.git('commit', '-q', '-m', 'module');
  const workspaces = w.open();
  for (const id of [w.git('rev-parse', 'HEAD'), w.git('rev-parse', 'HEAD^{tree}')]) {
    expect(await workspaces.paths(id)).toEqual(w.git('ls-files', '-z').split('\0').filter(Boolean));
    expect(await workspaces.read(id, ['src/b.txt', 'n\u00e9w \n.txt', 'empty', 'bom', 'src/b.txt'])).toEqual([
      ...['b\n', 'two\nlines', '', '\ufeffb\n', 'b\n'],
    ]);
    expect(await workspaces.read(id, ['latin', 'link', 'module', 'large', 'src', 'nowhere', '../x'])).toEqual(
      Array(7).fill(null),
    );
    expect((await workspaces.read(id, ['limit']))[0]?.length).toBe(1 << 20);
    expect(await workspaces.read(id, [])).toEqual([]);
  }
  await expect(workspaces.read('HEAD', ['empty'])).rejects.toMatchObject({ code: 'no_commit' });
});

test('many files are read at once, each as it is', async () => {
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`many/${n}`, `${n}\n`]));
  put(w.repo, files);
  commitAll(w, 'many');
  const [head, workspaces] = [w.git('rev-parse', 'HEAD'), w.open()];
  expect(await workspaces.read(head, Object.keys(files))).toEqual(Object.values(files));
});

test('asInBase: changed files are replaced, deleted ones restored, new ones removed; all else is the candidate\u2019s', async () => {
  put(w.repo, { 'test/kept.py': 'kept\n', 'test/gone.py': 'gone\n', 'test/dir/deep.py': 'deep\n', plain: 'p\n' });
  commitAll(w, 'tests');
  const { candidate } = candidateOf(
    await changed(w, (tree) => {
      put(tree, { 'test/kept.py': 'weaker\n', 'test/new.py': 'new\n', 'src/b.txt': 'work\n' });
      rmSync(join(tree, 'test/gone.py'));
      // A file in place of a directory, and a directory in place of a file.
      rmSync(join(tree, 'test/dir'), { recursive: true });
      rmSync(join(tree, 'plain'));
      put(tree, { 'test/dir': 'a file\n', 'plain/x': 'x\n' });
    }),
  );
  const asInBase = ['test/kept.py', 'test/gone.py', 'test/dir/deep.py', 'test/new.py', 'plain', 'not/there'];
  const workspaces = w.open();
  const workspace = await workspaces.make('gate', { ...candidate, asInBase });
  const at = (path: string) => {
    const file = join(workspace.tree, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  };
  expect(['test/kept.py', 'test/gone.py', 'test/dir/deep.py', 'plain'].map(at)).toEqual([
    ...['kept\n', 'gone\n', 'deep\n', 'p\n'],
  ]);
  expect([at('test/new.py'), at('src/b.txt'), at('src/a.py')]).toEqual([null, 'work\n', FILES['src/a.py']]);
  // A gate that changes nothing leaves nothing to capture, and what it changes is told against the base.
  expect((await workspace.capture()).type).toBe('unchanged');
  put(workspace.tree, { report: 'r\n' });
  expect(candidateOf(await workspace.capture()).changed.map(({ path }) => path)).toEqual(['report', 'src/b.txt']);
  // Without it, the tree is as the worker left it (control).
  const free = await workspaces.make('free', candidate);
  expect(readFileSync(join(free.tree, 'test/kept.py'), 'utf8')).toBe('weaker\n');
});
