/** What a worker can leave in its tree: nothing of it is followed, run or taken over; each defence has its control. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { settled } from '../support/traces.ts';
import { NOT_ROOT, untested } from '../support/untested.ts';
import {
  candidateOf,
  changed,
  commitAll,
  plain,
  problemsOf,
  put,
  trap,
  type World,
  whole,
  world,
} from './repository.ts';

let w: World;
let secret: string;
beforeEach(() => {
  w = world();
  secret = join(w.root, 'host-secret');
  writeFileSync(secret, 'canary-8b1f\n');
});
afterEach(() => w.end());

const shell = (tree: string, script: string, ...args: string[]) =>
  execFileSync('sh', ['-ec', script, ...args], { cwd: tree, stdio: 'pipe' });

/** A program that dies while it listens leaves its socket behind. */
function leaveSocket(tree: string): void {
  const program = "require('node:net').createServer().listen('s', () => process.kill(process.pid, 'SIGKILL'))";
  spawnSync(process.execPath, ['-e', program], { cwd: tree });
}

describe('WT-03: links', () => {
  test.each([
    ['absolute', (tree: string) => symlinkSync(secret, join(tree, 'l')), /^l: the link is absolute/],
    [
      'leading out',
      (tree: string) => symlinkSync('../../../../../host-secret', join(tree, 'l')),
      /^l: .* out of the tree/,
    ],
    [
      'leading out behind a link',
      (tree: string) => shell(tree, 'mkdir a; ln -s . a/k; ln -s k/../../../x a/l'),
      /a\/l: .*behind a name/,
    ],
    ['a loop of two', (tree: string) => shell(tree, 'ln -s m l; ln -s l m'), /back to itself/],
    [
      'a loop through its directory',
      (tree: string) => symlinkSync('..', join(tree, 'src/up')),
      /^src\/up: .*back to itself/,
    ],
    [
      'to the hooks of the repository',
      (tree: string) => symlinkSync('.git/hooks', join(tree, 'hooks')),
      /^hooks: .*`.git`/,
    ],
    ['to its config', (tree: string) => symlinkSync('../.git/config', join(tree, 'src/cfg')), /^src\/cfg: .*`.git`/],
    ['to the top of the tree', (tree: string) => symlinkSync('.', join(tree, 'here')), /^here: .*holds `.git`/],
    ['through another', (tree: string) => shell(tree, 'ln -s m l; ln -s .GIT m'), /l: .*`.git`/],
    ['through a directory', (tree: string) => shell(tree, 'ln -s src a; ln -s a/../.git b'), /^b: .*behind a name/],
    [
      'in place of a directory',
      (tree: string) => shell(tree, `rm -r src; ln -s ${w.root} src`),
      /^src: the link is absolute/,
    ],
    ['hard link to a file outside', (tree: string) => linkSync(secret, join(tree, 'h')), /^h: .*hard link/],
    ['hard link inside', (tree: string) => linkSync(join(tree, 'src/a.py'), join(tree, 'h')), /hard link/],
    ['FIFO', (tree: string) => shell(tree, 'mkfifo p'), /^p: a fifo/],
    ['FIFO as .gitignore', (tree: string) => shell(tree, 'rm .gitignore; mkfifo .gitignore'), /^.gitignore: a fifo/],
    ['socket', (tree: string) => leaveSocket(tree), /^s: a socket/],
  ])('%s is refused', async (_name, plant, expected) => {
    expect(problemsOf(await changed(w, plant)).join('\n')).toMatch(expected);
    expect(readFileSync(secret, 'utf8')).toBe('canary-8b1f\n');
  });

  test('a link inside of the tree, also one that dangles, is taken as it is (control)', async () => {
    const plant = (tree: string) => shell(tree, 'ln -s ../.gitignore src/l; ln -s build/out o; ln -s ./src d');
    expect(candidateOf(await changed(w, plant)).changed.map(({ path }) => path)).toEqual(['d', 'o', 'src/l']);
  });

  test('links that the base already has are its own business; a new one through them is not', async () => {
    shell(w.repo, 'ln -s /usr/share abs; ln -s abs through');
    rmSync(join(w.repo, 'through'));
    commitAll(w, 'links');
    expect((await changed(w, (tree) => put(tree, { x: '' }))).type).toBe('candidate');
    const through = await changed(w, (tree) => symlinkSync('abs/doc', join(tree, 'through')), 'two');
    expect(problemsOf(through)).toEqual([expect.stringContaining('through another link')]);
  });

  test('control: checked out, such a link leads to what git runs', () => {
    shell(w.repo, 'ln -s .git/hooks hooks; git add hooks');
    put(w.repo, { 'hooks/pre-commit': '#!/bin/sh\n' });
    expect(readFileSync(join(w.repo, '.git/hooks/pre-commit'), 'utf8')).toBe('#!/bin/sh\n');
  });

  test('a link into `.git` that the base has stays changeable around it; a new one through it is refused', async () => {
    shell(w.repo, 'ln -s .git/hooks hooks');
    commitAll(w, 'links');
    expect((await changed(w, (tree) => put(tree, { x: '' }))).type).toBe('candidate');
    const again = await changed(w, (tree) => symlinkSync('Hooks/pre-commit', join(tree, 'l')), 'two');
    expect(problemsOf(again)).toEqual([expect.stringMatching(/^l: .*`.git`/)]);
    const other = await changed(w, (tree) => shell(tree, 'rm hooks; ln -s .git/info hooks'), 'three');
    expect(problemsOf(other)).toEqual([expect.stringMatching(/^hooks: .*`.git`/)]);
  });

  test('ignored files are not captured, so hard links and sockets in a build directory do no harm', async () => {
    const plant = (tree: string) =>
      shell(tree, 'mkdir node_modules; echo > node_modules/a; ln node_modules/a node_modules/b; mkfifo node_modules/p');
    expect(await changed(w, plant)).toEqual({ type: 'unchanged', ignored: ['node_modules/'] });
  });
});

describe('names', () => {
  test.each([
    ['control character', 'a\u001bb', /control character/],
    ['line break', 'a\nb', /control character/],
    ['text that runs backwards', 'a\u202eb', /control character/],
    ['text in tags that nobody sees', 'a\u{e0041}b', /does not show \(U\+E0041\)/],
    ['a device of Windows', 'src/aux.py', /device/],
    ['a stream of Windows', 'src/a.py:b', /no `:`/],
    ['other case', 'SRC/A.py', /letter case/],
    ['.git for NTFS', 'git~1', /repository/],
    ['.git with a long tail', `.git${' '.repeat(200)}`, /repository/],
    ['.git for HFS+', '.g\u200cit', /repository/],
  ])('%s is refused', async (_name, name, expected) => {
    expect(problemsOf(await changed(w, (tree) => put(tree, { [name]: 'x' }))).join('\n')).toMatch(expected);
  });

  test('names of the base stay changeable, and its directories take new files', async () => {
    put(w.repo, { 'aux/a:b': 'x', 'a\u{e0041}': 'x' });
    commitAll(w, 'names');
    const plant = (tree: string) => put(tree, { 'aux/a:b': 'y', 'a\u{e0041}': 'y', 'aux/new': 'y' });
    expect(candidateOf(await changed(w, plant)).changed).toHaveLength(3);
    expect(problemsOf(await changed(w, (tree) => put(tree, { 'aux/nul': '' }), 'two'))).toHaveLength(1);
  });

  test('control: git takes all of these', () => {
    put(w.repo, { 'a\u{e0041}b': '', 'src/aux.py': '', 'src/a.py:b': '' });
    w.git('-c', 'core.quotePath=false', 'add', '-A');
    expect(w.git('-c', 'core.quotePath=false', 'ls-files')).toContain('a\u{e0041}b\nsrc/a.py\nsrc/a.py:b\nsrc/aux.py');
  });

  test('bytes that are not UTF-8 are refused when new and left alone when the base has them', async () => {
    const name = (dir: string) => Buffer.concat([Buffer.from(`${dir}/caf`), Buffer.from([0xe9])]);
    expect(problemsOf(await changed(w, (tree) => writeFileSync(name(tree), 'x')))).toEqual([
      expect.stringMatching(/^caf\\xe9: the name is not UTF-8/),
    ]);
    writeFileSync(name(w.repo), 'x');
    commitAll(w, 'latin');
    expect((await changed(w, () => {}, 'two')).type).toBe('unchanged');
    expect((await changed(w, (tree) => writeFileSync(name(tree), 'y'), 'three')).type).toBe('candidate');
  });
});

describe('WT-05, WT-06, WT-08: a repository planted in the tree', () => {
  const evil = (tree: string, program: string) => {
    plain(tree, 'init', '-q', '-b', 'main', '.');
    plain(tree, 'config', 'core.fsmonitor', program);
    plain(tree, 'config', 'filter.rt.clean', program);
    put(tree, { '.gitattributes': '* filter=rt diff=rt merge=rt\n', 'src/b.txt': 'c\n' });
    writeFileSync(join(tree, '.git/hooks/post-index-change'), `#!/bin/sh\nexec ${program} </dev/null\n`, {
      mode: 0o755,
    });
  };

  test.each([
    ['at the top', (tree: string, program: string) => evil(tree, program), '.git'],
    [
      'as a file that points elsewhere',
      (tree: string, program: string) => {
        evil(tree, program);
        renameSync(join(tree, '.git'), join(tree, '.cache'));
        put(tree, { '.git': `gitdir: ${join(tree, '.cache')}\n` });
      },
      '.git',
    ],
    [
      'below',
      (tree: string, program: string) => {
        mkdirSync(join(tree, 'sub'));
        evil(join(tree, 'sub'), program);
      },
      'sub/.git',
    ],
    ['in capital letters', (tree: string) => put(tree, { 'src/.GIT/config': '[core]\n' }), 'src/.GIT'],
  ])('%s: refused, and no program is run', async (_name, plant, path) => {
    const { program, trace } = trap(w);
    const refs = w.git('for-each-ref', 'refs/heads', 'refs/tags');
    const captured = await changed(w, (tree) => plant(tree, program));
    rmSync(trace, { force: true });
    expect(problemsOf(captured)).toContainEqual(expect.stringMatching(new RegExp(`^${path}: a repository was made`)));
    const workspace = await w.open().make('two', { base: 'HEAD', tree: null });
    plant(workspace.tree, program);
    rmSync(trace, { force: true });
    await workspace.capture();
    expect(existsSync(trace)).toBe(false);
    expect(w.git('for-each-ref', 'refs/heads', 'refs/tags')).toBe(refs);
  });

  test('the same tree under plain git runs the program (control)', () => {
    const { program, trace } = trap(w);
    const tree = join(w.root, 'planted');
    mkdirSync(tree);
    evil(tree, program);
    rmSync(trace, { force: true });
    plain(tree, 'add', '-A');
    expect(existsSync(trace)).toBe(true);
  });

  test('commits of the worker have no effect: without its .git, the tree is one change against the base', async () => {
    const head = w.git('rev-parse', 'HEAD');
    const captured = await changed(w, (tree) => {
      plain(tree, 'init', '-q', '.');
      put(tree, { 'w.txt': 'w\n' });
      plain(tree, 'add', '-A');
      plain(tree, 'commit', '-q', '-m', 'by the worker');
      rmSync(join(tree, '.git'), { recursive: true });
    });
    expect(candidateOf(captured)).toMatchObject({ candidate: { base: head }, changed: [{ path: 'w.txt' }] });
    expect(w.git('log', '--all', '--format=%s')).toBe('first');
  });

  test('programs that the user\u2019s own repository names are not run either; plain git runs them (control)', async () => {
    const { program, trace } = trap(w);
    put(w.repo, { '.gitattributes': '* filter=rt\n' });
    commitAll(w, 'attributes');
    for (const name of ['core.fsmonitor', 'filter.rt.clean', 'filter.rt.smudge']) w.git('config', name, program);
    for (const hook of ['reference-transaction', 'post-checkout', 'post-index-change', 'pre-commit']) {
      writeFileSync(join(w.repo, '.git/hooks', hook), `#!/bin/sh\nexec ${program} </dev/null\n`, { mode: 0o755 });
    }
    const captured = await changed(w, (tree) => put(tree, { 'src/b.txt': 'other\n' }));
    const { candidate } = candidateOf(captured);
    await w.open().publish({ branch: 'ai/x', candidate, message: 'x', time: 0 });
    await w.open().land('main', w.git('rev-parse', 'ai/x'), whole(captured));
    await w.open().sweep(() => false, false);
    const again = w.open();
    const workspace = await again.make('two', { base: candidate.base, tree: candidate.tree });
    put(workspace.tree, { 'src/b.txt': 'third\n' });
    candidateOf(await workspace.capture());
    const tip = execFileSync('git', ['-C', w.repo, 'rev-parse', 'ai/x'], { encoding: 'utf8' }).trim();
    await again.land('main', tip, whole(captured));
    expect(existsSync(trace)).toBe(false);
    w.git('status');
    expect(existsSync(trace)).toBe(true);
  });

  test('a .gitmodules that would run something at its readers is refused by git\u2019s own check', async () => {
    const evilModules = '[submodule "x"]\n\tpath = x\n\turl = -u./payload\n';
    expect(problemsOf(await changed(w, (tree) => put(tree, { '.gitmodules': evilModules })))).toEqual([
      expect.stringContaining('gitmodulesUrl'),
    ]);
  });
});

describe('WT-19: too large', () => {
  const limits = { changedFiles: 20, changedBytes: 1000, entries: 200 };
  test.each([
    [
      'files',
      (tree: string) => put(tree, Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`n/${i}`, '']))),
      /21 files/,
    ],
    ['bytes', (tree: string) => put(tree, { big: 'x'.repeat(1001) }), /1001 bytes/],
    [
      'a tracked file that grew, without reading it',
      (tree: string) => truncateSync(join(tree, 'src/b.txt'), 1e12),
      /1000000000000 bytes/,
    ],
    [
      'entries',
      (tree: string) => put(tree, Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`n/${i}/d`, '']))),
      /200 entries/,
    ],
  ])('%s: refused with the numbers', async (_name, plant, expected) => {
    const workspace = await w.open({ limits }).make('one', { base: 'HEAD', tree: null });
    plant(workspace.tree);
    expect(problemsOf(await workspace.capture())).toEqual([expect.stringMatching(expected)]);
  });
  test('just within the limits it is taken (control)', async () => {
    const workspace = await w.open({ limits }).make('one', { base: 'HEAD', tree: null });
    put(workspace.tree, {
      ...Object.fromEntries(Array.from({ length: 19 }, (_, i) => [`n/${i}`, ''])),
      big: 'x'.repeat(1000),
    });
    expect(candidateOf(await workspace.capture()).changed).toHaveLength(20);
  });
});

describe('WT-20: the tree itself', () => {
  test.each([
    ['is removed', (tree: string) => rmSync(tree, { recursive: true })],
    ['is emptied', (tree: string) => shell(tree, 'find . -mindepth 1 -delete')],
    ['is a link', (tree: string) => shell(join(tree, '..'), `mv tree t; ln -s ${w.repo} tree`)],
    ['is another directory', (tree: string) => shell(join(tree, '..'), 'mv tree t; cp -r t tree')],
    [
      'has a parent that is a link',
      (tree: string) => shell(join(tree, '../..'), 'mv one.* two; ln -s two "$0"', basename(dirname(tree))),
    ],
  ])('%s: workspace lost', async (_name, plant) => {
    expect(problemsOf(await changed(w, plant))).toEqual([expect.stringContaining('workspace lost')]);
  });

  const otherUsers = untested('workspaces for other users', NOT_ROOT);
  test.skipIf(otherUsers).each([0, 61_235])(
    'mode 000 on everything, as uid %i: captured and removed all the same',
    async (uid) => {
      for (const dir of [w.root, w.repo]) chmodSync(dir, 0o777);
      execFileSync('chown', ['-R', String(uid), w.root]);
      process.seteuid?.(uid);
      try {
        const workspaces = w.open();
        const workspace = await workspaces.make('one', { base: 'HEAD', tree: null });
        put(workspace.tree, { 'src/deep/new': 'n\n' });
        shell(workspace.tree, 'chmod -R 000 src; chmod 000 .');
        expect(candidateOf(await workspace.capture()).changed.map(({ path }) => path)).toEqual(['src/deep/new']);
        shell(w.state, `chmod -R 000 ${workspace.tree}`);
        await workspace.remove();
        expect(existsSync(join(workspace.tree, '..'))).toBe(false);
        await workspaces.close();
        expect(await settled(() => readdirSync(join(w.state, 'trash/demo')))).toEqual([]);
      } finally {
        process.seteuid?.(0);
      }
    },
  );
});
