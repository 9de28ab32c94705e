/** What a capture sees: every change, exactly, and nothing that the rules leave out. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NOT_ROOT, untested } from '../support/untested.ts';
import { candidateOf, changed, commitAll, digest, FILES, put, type World, world } from './repository.ts';

let w: World;
beforeEach(() => {
  w = world();
});
afterEach(() => w.end());

const show = (tree: string, path: string) => w.git('show', `${tree}:${path}`);

test('a workspace holds the files of its base and no .git; other users cannot enter it', async () => {
  const workspace = await w.open().make('one', { base: 'HEAD', tree: null });
  for (const [path, text] of Object.entries(FILES)) {
    expect(readFileSync(join(workspace.tree, path), 'utf8')).toBe(text);
  }
  expect(existsSync(join(workspace.tree, '.git'))).toBe(false);
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  expect([mode(workspace.tree), mode(join(workspace.tree, '..')), mode(join(w.state, 'git/demo'))]).toEqual([
    '700',
    '711',
    '700',
  ]);
});

test('nothing changed is unchanged; the input candidate again is unchanged too', async () => {
  expect(await changed(w, () => {})).toEqual({ type: 'unchanged', ignored: [] });
  const first = candidateOf(await changed(w, (tree) => put(tree, { 'new.txt': 'n\n' }), 'two'));
  const again = await w.open().make('three', { base: 'HEAD', tree: first.candidate.tree });
  expect(readFileSync(join(again.tree, 'new.txt'), 'utf8')).toBe('n\n');
  expect((await again.capture()).type).toBe('unchanged');
});

test('added, changed, deleted, made executable, file to directory and back, link: all of it is captured', async () => {
  put(w.repo, { 'dir/x': 'x\n', file: 'f\n', gone: 'g\n', run: 'r\n' });
  commitAll(w, 'more');
  const captured = candidateOf(
    await changed(w, (tree) => {
      put(tree, { 'src/b.txt': 'B\n', 'deep/er/new': 'n\n' });
      rmSync(join(tree, 'gone'));
      chmodSync(join(tree, 'run'), 0o755);
      rmSync(join(tree, 'dir'), { recursive: true });
      rmSync(join(tree, 'file'));
      put(tree, { dir: 'now a file\n', 'file/x': 'now a directory\n' });
      symlinkSync('src/b.txt', join(tree, 'link'));
    }),
  );
  expect(captured.changed.map(({ path, before, after }) => [path, before?.slice(0, 6), after?.slice(0, 6)])).toEqual([
    ['deep/er/new', undefined, '100644'],
    ['dir', undefined, '100644'],
    ['dir/x', '100644', undefined],
    ['file', '100644', undefined],
    ['file/x', undefined, '100644'],
    ['gone', '100644', undefined],
    ['link', undefined, '120000'],
    ['run', '100644', '100755'],
    ['src/b.txt', '100644', '100644'],
  ]);
  expect(captured.candidate.base).toBe(w.git('rev-parse', 'HEAD'));
  expect(w.git('cat-file', '-t', captured.candidate.tree)).toBe('tree');
});

test('the candidate is pinned with its base and survives the user\u2019s gc', async () => {
  const { candidate } = candidateOf(await changed(w, (tree) => put(tree, { 'new.txt': 'n\n' })));
  w.git('reflog', 'expire', '--expire=now', '--all');
  w.git('gc', '-q', '--prune=now');
  expect(show(candidate.tree, 'new.txt')).toBe('n');
  expect(w.git('fsck', '--strict', '--no-dangling')).toBe('');
  expect(w.git('for-each-ref', '--format=%(objectname)', 'refs/supervisor').split('\n').sort()).toEqual(
    [candidate.base, candidate.tree].sort(),
  );
});

test('WT-02: the main tree, its index and its refs are byte for byte what they were', async () => {
  put(w.repo, { 'src/a.py': 'staged\n', 'src/b.txt': 'unstaged\n', untracked: 'u\n' });
  w.git('add', 'src/a.py');
  const skip = /^\.git\/(objects|refs\/supervisor|packed-refs)/;
  const before = digest(w.repo, skip);
  const captured = await changed(w, (tree) => put(tree, { 'src/b.txt': 'worker\n' }));
  expect(candidateOf(captured).changed.map(({ path }) => path)).toEqual(['src/b.txt']);
  expect(digest(w.repo, skip)).toBe(before);
  put(w.repo, { 'src/b.txt': 'unstagef\n' });
  expect(digest(w.repo, skip)).not.toBe(before);
});

test('a change of white space alone is another change (git patch-id says it is the same)', async () => {
  const inside = candidateOf(await changed(w, (tree) => put(tree, { 'src/a.py': 'if x:\n    log()\n    go()\n' })));
  const outside = candidateOf(await changed(w, (tree) => put(tree, { 'src/a.py': 'if x:\n    log()\ngo()\n' }), 'two'));
  const patchId = (tree: string) => {
    const diff = execFileSync('git', ['-C', w.repo, 'diff', 'HEAD', tree]);
    return execFileSync('git', ['patch-id', '--stable'], { input: diff, encoding: 'utf8' });
  };
  expect(patchId(inside.candidate.tree)).toBe(patchId(outside.candidate.tree));
  expect(inside.candidate.change_id).not.toBe(outside.candidate.change_id);
  expect(inside.candidate.change_id).toMatch(/^[0-9a-f]{64}$/);
});

test('ignore rules cannot hide a change: tracked files are captured, new ones are listed, base rules stay', async () => {
  put(w.repo, { 'kept.log': 'tracked though ignored\n' });
  w.git('add', '-f', 'kept.log');
  commitAll(w, 'log');
  const change = (tree: string) =>
    put(tree, {
      '.gitignore': 'src/\nhidden/\nbackdoor.js\n',
      'src/a.py': 'evil\n',
      'src/new.py': 'new\n',
      'kept.log': 'changed\n',
      'backdoor.js': 'evil\n',
      'hidden/x': 'x\n',
      'node_modules/p/index.js': 'left out by the base\n',
      'a.log': 'left out by the base\n',
      'seen.txt': 's\n',
    });
  const captured = candidateOf(await changed(w, change));
  expect(captured.changed.map(({ path }) => path)).toEqual(['.gitignore', 'kept.log', 'seen.txt', 'src/a.py']);
  expect(captured.ignored).toEqual(['a.log', 'backdoor.js', 'hidden/', 'node_modules/', 'src/new.py']);

  // Control: plain git takes what the base ignores and does not tell what it left out.
  w.git('worktree', 'add', '-q', '--detach', join(w.root, 'plain'));
  change(join(w.root, 'plain'));
  w.git('-C', join(w.root, 'plain'), 'add', '-A');
  expect(w.git('-C', join(w.root, 'plain'), 'diff', '--cached', '--name-only')).toContain('node_modules/p/index.js');
});

test('a nested .gitignore, a negated rule and a name that looks like a pattern are understood', async () => {
  // New files may not have such names; those of the base keep them.
  put(w.repo, { ':(top)z': 'old', 'tab*?[a].txt': 'old', 'quote"d': 'old' });
  commitAll(w, 'odd names');
  const captured = candidateOf(
    await changed(w, (tree) =>
      put(tree, {
        'sub/.gitignore': '*.tmp\n!keep.tmp\ncache/\n',
        'sub/x.tmp': '',
        'sub/keep.tmp': '',
        'sub/cache/y': '',
        ':(top)z': '',
        'tab*?[a].txt': '',
        'quote"d': '',
        'sub/\u00e9.txt': '',
      }),
    ),
  );
  expect(captured.ignored).toEqual(['sub/cache/', 'sub/x.tmp']);
  expect(captured.changed.map(({ path }) => path).sort()).toEqual(
    [':(top)z', 'quote"d', 'sub/.gitignore', 'sub/keep.tmp', 'sub/\u00e9.txt', 'tab*?[a].txt'].sort(),
  );
});

test.each([
  ['left as they are', () => {}, []],
  ['changed', (tree: string) => put(tree, { 'sub/.gitignore': '*.new\n' }), ['sub/x.new']],
  ['taken away', (tree: string) => rmSync(join(tree, 'sub/.gitignore')), []],
  ['replaced by a link', (tree: string) => linkRules(tree), []],
  ['added', (tree: string) => put(tree, { 'other/.gitignore': 'y\n' }), ['other/y']],
])('rules of the base in a directory hold when they are %s', async (_how, plant, more) => {
  put(w.repo, { 'sub/.gitignore': '*.tmp\n', 'sub/tracked': 't\n', 'other/tracked': 't\n' });
  commitAll(w, 'rules');
  const captured = candidateOf(
    await changed(w, (tree) => {
      put(tree, { 'sub/x.tmp': '', 'sub/x.new': '', 'other/x.tmp': '', 'other/y': '', 'a.log': '' });
      plant(tree);
    }),
  );
  expect(captured.ignored).toEqual(['a.log', 'sub/x.tmp', ...more].sort());
  const paths = captured.changed.map(({ path }) => path);
  expect(paths).toContain('other/x.tmp');
  expect(paths.includes('sub/x.new')).toBe(!more.includes('sub/x.new'));
  expect(paths.includes('other/y')).toBe(!more.includes('other/y'));
});

function linkRules(tree: string): void {
  rmSync(join(tree, 'sub/.gitignore'));
  symlinkSync('tracked', join(tree, 'sub/.gitignore'));
}

test('without any rules nothing is left out', async () => {
  w.git('rm', '-q', '.gitignore');
  commitAll(w, 'no rules');
  const captured = candidateOf(await changed(w, (tree) => put(tree, { 'a.log': '', 'node_modules/p/x.js': '' })));
  expect(captured.ignored).toEqual([]);
  expect(captured.changed.map(({ path }) => path)).toEqual(['a.log', 'node_modules/p/x.js']);
});

test('attributes of the candidate are inert: bytes are stored as they are, and `-diff` hides nothing', async () => {
  const crlf = 'one\r\ntwo\r\n$Id$\r\n';
  const captured = candidateOf(
    await changed(w, (tree) =>
      put(tree, { '.gitattributes': '* text eol=lf ident\n*.bin -diff\n', 'q.txt': crlf, 'x.bin': 'x\n' }),
    ),
  );
  const blob = captured.changed.find(({ path }) => path === 'q.txt')?.after?.slice(7) ?? '';
  const bytes = execFileSync('git', ['-C', w.repo, 'cat-file', 'blob', blob], { encoding: 'latin1' });
  expect(bytes).toBe(crlf);
  expect(captured.changed.map(({ path }) => path)).toEqual(['.gitattributes', 'q.txt', 'x.bin']);
});

test('a change with the size and the times of the old file is seen: the index remembers nothing', async () => {
  const workspace = await w.open().make('one', { base: 'HEAD', tree: null });
  const path = join(workspace.tree, 'src/b.txt');
  execFileSync('touch', ['-r', path, join(w.root, 'stamp')]);
  writeFileSync(path, 'c\n');
  execFileSync('touch', ['-r', join(w.root, 'stamp'), path]);
  expect(candidateOf(await workspace.capture()).changed.map((one) => one.path)).toEqual(['src/b.txt']);
});

test('a tree that is a part of the base leaves nothing to transfer, and is a candidate all the same', async () => {
  const captured = candidateOf(
    await changed(w, (tree) => {
      execFileSync('sh', ['-c', 'mv src/* . && rmdir src && rm .gitignore'], { cwd: tree });
    }),
  );
  expect(captured.candidate.tree).toBe(w.git('rev-parse', 'HEAD:src'));
});

test('an object that the user\u2019s gc took between hashing and transfer is written by a second capture', async () => {
  put(w.repo, { loose: 'only an unreachable object\n' });
  w.git('hash-object', '-w', 'loose');
  rmSync(join(w.repo, 'loose'));
  let struck = 0;
  const workspaces = w.open({
    failpoint: (name) => {
      if (name !== 'capture.hashed') return;
      struck += 1;
      if (struck === 1) w.git('gc', '-q', '--prune=now');
    },
  });
  const workspace = await workspaces.make('one', { base: 'HEAD', tree: null });
  put(workspace.tree, { 'new.txt': 'only an unreachable object\n' });
  const { candidate } = candidateOf(await workspace.capture());
  expect(struck).toBe(2);
  expect(show(candidate.tree, 'new.txt')).toBe('only an unreachable object');
});

const otherUsers = untested('workspaces for other users', NOT_ROOT);
test.skipIf(otherUsers)('as root, a tree that was given to the user of an attempt is captured', async () => {
  symlinkSync('src/b.txt', join(w.repo, 'link'));
  commitAll(w, 'link');
  const workspace = await w.open().make('one', { base: 'HEAD', tree: null });
  execFileSync('chown', ['-hR', '61234:61234', workspace.tree]);
  mkdirSync(join(workspace.tree, 'd'));
  put(workspace.tree, { 'd/x': '' });
  expect((await workspace.capture()).type).toBe('candidate');
});

test('a file that goes after the survey counts as deleted', async () => {
  let tree = '';
  const failpoint = (name: string) => {
    if (name === 'capture.surveyed') rmSync(join(tree, 'src/b.txt'));
  };
  const workspace = await w.open({ failpoint }).make('one', { base: 'HEAD', tree: null });
  tree = workspace.tree;
  put(tree, { 'new.txt': 'n\n' });
  const { changed } = candidateOf(await workspace.capture());
  expect(changed.map(({ path, after }) => `${path} ${after === null ? 'is gone' : 'is there'}`).sort()).toEqual([
    'new.txt is there',
    'src/b.txt is gone',
  ]);
});
