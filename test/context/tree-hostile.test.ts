/** Nothing outside of the repository gets into what is read of it; each defence beside the attack that works without it. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProjectTree, TreeFile } from '../../src/engine/ports/project-tree.ts';
import { Checkout } from '../../src/hands/context/tree-checkout.ts';
import { inRepository } from '../../src/hands/context/tree-git.ts';
import { eventually } from '../support/cli.ts';
import { pathsOf, type Repository, repository, scanned, textsOf } from './tree-repository.ts';

const SECRET = 'not yours\n';
let repo: Repository;
let outside: string;
beforeEach(() => {
  repo = repository({ 'a.txt': 'one\n', 'dir/b.txt': 'inside it\n' });
  outside = join(repo.root, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'b.txt'), SECRET);
});
afterEach(() => repo.end());

const read = async (tree: ProjectTree, ...paths: string[]) => textsOf(await tree.read(paths, 1 << 20));

describe('in a tree', () => {
  test('a link is a name: neither its target nor where it leads to is read', async () => {
    symlinkSync(join(outside, 'b.txt'), join(repo.dir, 'link'));
    symlinkSync(outside, join(repo.dir, 'linked'));
    repo.commit();
    expect(readFileSync(join(repo.dir, 'link'), 'utf8')).toBe(SECRET);
    const tree = await repo.tree(repo.dir);
    expect((await tree.listing()).files.filter(({ link }) => link).map(({ path }) => path)).toEqual(['link', 'linked']);
    expect(await read(tree, 'link', 'linked', 'linked/b.txt')).toEqual([null, null, null]);
    expect([...(await scanned(tree)).keys()]).toEqual(['a.txt', 'dir/b.txt']);
    const forged = (await tree.listing()).files.map((file) => ({ ...file, link: false }));
    const seen: string[] = [];
    await tree.scan(forged, ({ path }) => seen.push(path));
    expect(seen).toEqual(['a.txt', 'dir/b.txt']);
  });

  test('paths that lead out are no files', async () => {
    const tree = await repo.tree(repo.dir);
    const paths = [
      '../outside/b.txt',
      join(outside, 'b.txt'),
      'dir/../a.txt',
      './a.txt',
      'dir//b.txt',
      '',
      '/a.txt',
      '.git/HEAD',
    ];
    expect(readFileSync(join(repo.dir, '../outside/b.txt'), 'utf8')).toBe(SECRET);
    expect(await read(tree, ...paths)).toEqual(paths.map(() => null));
    const id = repo.git('rev-parse', 'HEAD:a.txt');
    const seen: TreeFile[] = [];
    await tree.scan(
      paths.map((path) => ({ path, id, bytes: 4, link: false })),
      (file) => seen.push(file),
    );
    expect(seen).toEqual([]);
  });

  test('names that only a tree written by hand has are left out', async () => {
    const blob = Buffer.from(repo.git('rev-parse', 'HEAD:a.txt'), 'hex');
    const names = ['.', '..', '../up', '/top', '.GIT', 'git~1', '.g\u200cit', 'a//b', 'twice', 'twice', 'good'];
    const entries = names.map((name) => Buffer.concat([Buffer.from(`100644 ${name}\0`), blob]));
    const bad = repo.feed(Buffer.concat(entries), 'hash-object', '-t', 'tree', '-w', '--literally', '--stdin');
    const head = repo.git('rev-parse', 'HEAD');
    expect(repo.git('ls-tree', '-z', bad).split('\0')).toHaveLength(names.length + 1);
    expect(repo.git('ls-tree', bad)).toContain('../up');
    const tree = await repo.trees(repo.dir).open(head, bad);
    expect(await pathsOf(tree)).toEqual(['twice', 'good']);
    expect(await read(tree, '../up', 'good')).toEqual([null, 'one\n']);
  });

  test('odd names come as they are; those that are not UTF-8 are left out, everywhere', async () => {
    const odd = [
      '-rf',
      '--all',
      'line\nbreak',
      'tab\t"quote"',
      'bell\x07',
      ' lead',
      'n\u00e4me',
      'back\\slash',
      '*?[x]',
      '\u202egnp',
    ];
    repo.put(Object.fromEntries(odd.map((name) => [name, name])));
    const base = repo.git('rev-parse', 'HEAD');
    repo.commit();
    const blob = repo.feed('bad\n', 'hash-object', '-w', '--stdin');
    const line = Buffer.from(`100644 blob ${blob}\tbad\xff\0`, 'latin1');
    const root = Buffer.concat([line, Buffer.from(`${repo.git('ls-tree', '-z', 'HEAD')}`)]);
    const tree = repo.feed(root, 'mktree', '-z');
    expect(Buffer.from(root).toString('latin1')).toContain('\xff');
    const opened = await repo.trees(repo.dir).open(base, tree);
    expect(new Set(await pathsOf(opened))).toEqual(new Set([...odd, 'a.txt', 'dir/b.txt']));
    expect(await read(opened, ...odd)).toEqual(odd);
    const { text, changed } = await opened.diff(base, 1 << 20);
    expect(new Set(changed)).toEqual(new Set(odd));
    expect(text).toContain('+n\u00e4me');
    expect(text).not.toMatch(/bad|\ufffd/);
  });

  test('a submodule is no file', async () => {
    const inner = repo.git('rev-parse', 'HEAD');
    repo.git('update-index', '--add', '--cacheinfo', `160000,${inner},module`);
    repo.git('commit', '-q', '-m', 'module');
    const tree = await repo.tree(repo.dir);
    expect(await pathsOf(tree)).toEqual(['a.txt', 'dir/b.txt']);
    expect(await read(tree, 'module', 'module/a.txt')).toEqual([null, null]);
    const { text, changed } = await tree.diff(inner, 1 << 20);
    expect(text).toContain(`+Subproject commit ${inner}`);
    expect(changed).toEqual([]);
  });

  test('a replaced object is read as it was', async () => {
    const head = repo.git('rev-parse', 'HEAD');
    const other = repo.feed('two\n', 'hash-object', '-w', '--stdin');
    repo.git('replace', repo.git('rev-parse', 'HEAD:a.txt'), other);
    expect(repo.git('cat-file', '-p', `${head}:a.txt`)).toBe('two');
    expect(await read(await repo.tree(), 'a.txt')).toEqual(['one\n']);
  });

  test('bytes of any kind survive: binary and what is not UTF-8', async () => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, n) => (n * 31) & 255);
    const broken = Buffer.from('caf\xe9\n', 'latin1');
    repo.put({ binary: bytes, broken });
    const base = repo.git('rev-parse', 'HEAD');
    repo.commit();
    const tree = await repo.tree();
    expect((await tree.read(['binary', 'broken'], 1 << 20)).map((one) => Buffer.from(one ?? []))).toEqual([
      Buffer.from(bytes),
      broken,
    ]);
    const seen = await scanned(tree);
    expect(seen.get('binary')).toBe(Buffer.from(bytes).toString('latin1'));
    expect(seen.get('broken')).toBe('caf\xe9\n');
    const { text } = await tree.diff(base, 1 << 20);
    expect(text).toContain('Binary files /dev/null and b/binary differ');
    expect(text).toContain('+caf\ufffd\n');
  });

  test('a huge file is not held: too large to read, to scan and to compare', async () => {
    repo.put({ huge: Buffer.alloc(17 << 20, 'text of a huge file\n') });
    const base = repo.git('rev-parse', 'HEAD');
    repo.commit();
    const tree = await repo.tree(repo.dir);
    expect((await tree.listing()).files.find(({ path }) => path === 'huge')?.bytes).toBe(17 << 20);
    expect(await read(tree, 'huge', 'a.txt')).toEqual([null, 'one\n']);
    expect([...(await scanned(tree)).keys()]).toEqual(['a.txt', 'dir/b.txt']);
    expect((await tree.diff(base, 1 << 20)).text).toContain('Binary files /dev/null and b/huge differ');
  });

  test('no program that the configuration or the attributes name is run', async () => {
    const mark = join(repo.root, 'ran');
    const program = join(repo.root, 'program');
    writeFileSync(program, `#!/bin/sh\necho ran >>'${mark}'\n`, { mode: 0o755 });
    repo.put({ '.gitattributes': '* diff=evil filter=evil\n', 'a.txt': 'two\n' });
    repo.commit();
    writeFileSync(join(repo.dir, '.git/info/attributes'), '* diff=evil filter=evil\n');
    for (const name of [
      'diff.evil.command',
      'diff.evil.textconv',
      'diff.external',
      'filter.evil.clean',
      'filter.evil.smudge',
      'core.fsmonitor',
      'gpg.program',
    ]) {
      repo.git('config', name, program);
    }
    repo.git('config', 'log.showSignature', 'true');
    repo.git('diff', 'HEAD~1', 'HEAD');
    expect(readFileSync(mark, 'utf8')).toContain('ran');
    rmSync(mark);
    const tree = await repo.tree(repo.dir);
    const { text } = await tree.diff(repo.git('rev-parse', 'HEAD~1'), 1 << 20);
    expect(text).toContain('+two\n');
    await tree.history(5);
    await scanned(tree);
    expect(() => readFileSync(mark)).toThrow(/ENOENT/);
  });
});

describe('in the checkout', () => {
  const opened = () => Checkout.open(repo.dir, inRepository(join(repo.dir, '.git'))) as Checkout;
  const fileAt = async (path: string): Promise<TreeFile> =>
    (await (await repo.tree()).listing()).files.find((file) => file.path === path) as TreeFile;
  const text = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString());

  test('a file is read there while it is what git has', async () => {
    const [checkout, file] = [opened(), await fileAt('a.txt')];
    expect(text(checkout.read(file))).toBe('one\n');
    expect(text(checkout.read({ ...file, id: '0'.repeat(40) }))).toBeNull();
    // The same size and the same time of writing.
    const { atime, mtime } = statSync(join(repo.dir, 'a.txt'));
    writeFileSync(join(repo.dir, 'a.txt'), 'two\n');
    utimesSync(join(repo.dir, 'a.txt'), atime, mtime);
    expect(text(checkout.read(file))).toBeNull();
  });

  test('one that was exchanged for a link is not', async () => {
    const [checkout, file] = [opened(), await fileAt('dir/b.txt')];
    expect(text(checkout.read(file))).toBe('inside it\n');
    const path = join(repo.dir, 'dir/b.txt');
    rmSync(path);
    symlinkSync(join(outside, 'b.txt'), path);
    expect([readFileSync(path, 'utf8'), SECRET.length]).toEqual([SECRET, file.bytes]);
    expect(text(checkout.read(file))).toBeNull();
  });

  test('nor one below a directory that was exchanged for a link', async () => {
    const [checkout, file] = [opened(), await fileAt('dir/b.txt')];
    renameSync(join(repo.dir, 'dir'), join(repo.dir, 'old'));
    symlinkSync(outside, join(repo.dir, 'dir'));
    expect(readFileSync(join(repo.dir, 'dir/b.txt'), 'utf8')).toBe(SECRET);
    expect(text(checkout.read(file))).toBeNull();
  });

  test('nor a hard link to another file', async () => {
    const [checkout, file] = [opened(), await fileAt('dir/b.txt')];
    const path = join(repo.dir, 'dir/b.txt');
    rmSync(path);
    linkSync(join(outside, 'b.txt'), path);
    expect(readFileSync(path, 'utf8')).toBe(SECRET);
    expect(text(checkout.read(file))).toBeNull();
  });

  test('a pipe in its place does not block the reader', async () => {
    const [checkout, file] = [opened(), await fileAt('a.txt')];
    const path = join(repo.dir, 'a.txt');
    rmSync(path);
    spawnSync('mkfifo', [path]);
    expect(spawnSync('timeout', ['0.3', 'cat', path]).status).toBe(124);
    expect(text(checkout.read(file))).toBeNull();
  });

  test('a device in its place is not read', async () => {
    const [checkout, file] = [opened(), await fileAt('a.txt')];
    const path = join(repo.dir, 'a.txt');
    rmSync(path);
    symlinkSync('/dev/zero', path);
    expect(spawnSync('head', ['-c', '4', path]).stdout).toEqual(Buffer.alloc(4));
    expect(text(checkout.read(file))).toBeNull();
    // Without the link, as nobody but root could lay it: what is opened is looked at before it is read.
    expect(text(checkout.read({ ...file, path: '../../../../../../../../dev/zero' }))).toBeNull();
  });
});

describe('the checkout instead of git', () => {
  test('a name of a tree that leads out of the checkout is not even opened: a reader of a pipe there keeps waiting', async () => {
    // What a worker could leave: a directory where the operator has a link, and a file where there is a pipe.
    const pipe = join(outside, 'pipe');
    spawnSync('mkfifo', [pipe]);
    symlinkSync(outside, join(repo.dir, 'linked'));
    const blob = repo.feed('hello\n', 'hash-object', '-w', '--stdin');
    const inner = repo.feed(`100644 blob ${blob}\tpipe\n`, 'mktree');
    const tree = repo.feed(`040000 tree ${inner}\tlinked\n`, 'mktree');
    const reads = `head -c 1 '${join(repo.dir, 'linked/pipe')}'`;
    const control = ['-c', `(echo x >'${pipe}'; echo went on) & ${reads}; wait`];
    expect(spawnSync('sh', control, { timeout: 120_000 }).stdout.toString()).toContain('went on');
    const opened = await repo.trees(repo.dir).open(repo.git('rev-parse', 'HEAD'), tree);
    const writer = spawn('sh', ['-c', `echo x >'${pipe}'`]);
    let isOver = false;
    const over = once(writer, 'exit').then(() => {
      isOver = true;
    });
    await eventually(() => /^State:\s+S/m.test(readFileSync(`/proc/${writer.pid}/status`, 'utf8')), 'it waits');
    expect(await read(opened, 'linked/pipe')).toEqual(['hello\n']);
    await setTimeout(100);
    expect(isOver).toBe(false);
    writer.kill();
    await over;
  });

  test('others get their turn while many files are read, and none is held longer than it is looked at', async () => {
    const content = Buffer.alloc(600_000, 'text of a file\n');
    repo.put(
      Object.fromEntries(
        Array.from({ length: 60 }, (_, n) => [`${n}.txt`, Buffer.concat([content, Buffer.from(`${n}`)])]),
      ),
    );
    repo.commit();
    const tree = await repo.tree(repo.dir);
    const { files } = await tree.listing();
    for (const some of [files, files.slice(0, 20)]) {
      const rooms = new Set<ArrayBufferLike>();
      let turns = 0;
      const timer = setInterval(() => {
        turns += 1;
      }, 1);
      await tree.scan(some, (_, bytes) => {
        rooms.add(bytes.buffer);
        for (const until = performance.now() + 3; performance.now() < until; );
      });
      clearInterval(timer);
      expect(turns).toBeGreaterThan(2);
      expect(rooms.size).toBeLessThan(some.length / 2);
    }
  });

  test('a few files that are there as the tree has them need no git, also with ids of another length', async () => {
    const other = repository({ 'a.txt': 'one\n', empty: '', 'b.txt': 'two\n' }, '--object-format=sha256');
    try {
      for (const one of [repo, other]) {
        const [with_, without] = [await one.tree(one.dir), await one.tree()];
        await Promise.all([with_.listing(), without.listing()]);
        writeFileSync(join(one.dir, 'b.txt'), 'TWO\n');
        renameSync(join(one.dir, '.git/objects'), join(one.root, 'objects'));
        mkdirSync(join(one.dir, '.git/objects'));
        expect(await read(without, 'a.txt')).toEqual([null]);
        expect(await read(with_, 'a.txt')).toEqual(['one\n']);
        if (one === other) expect(await read(with_, 'empty', 'b.txt')).toEqual(['', null]);
      }
    } finally {
      other.end();
    }
  });

  test('a scan of many shows the tree, whatever was done to the checkout', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 1100 }, (_, n) => [`many/${n % 10}/${n}.txt`, `content ${n}\n`]),
    );
    repo.put({ ...files, 'crlf.txt': 'x\r\n', '.gitattributes': 'crlf.txt text\n' });
    repo.commit();
    const expected = await scanned(await repo.tree());
    expect(expected.size).toBe(1104);
    for (const n of [1, 2, 3]) rmSync(join(repo.dir, `many/${n}/${n}.txt`));
    symlinkSync(join(outside, 'b.txt'), join(repo.dir, 'many/1/1.txt'));
    spawnSync('mkfifo', [join(repo.dir, 'many/2/2.txt')]);
    writeFileSync(join(repo.dir, 'many/4/4.txt'), 'content X\n');
    expect(await scanned(await repo.tree(repo.dir))).toEqual(expected);
    // With the repository's objects out of reach only what the checkout holds is left: it really is read there.
    const tree = await repo.tree(repo.dir);
    (await tree.listing()).files;
    renameSync(join(repo.dir, '.git/objects'), join(repo.root, 'objects'));
    mkdirSync(join(repo.dir, '.git/objects'));
    const seen: string[] = [];
    await tree.scan((await tree.listing()).files, ({ path }) => seen.push(path)).catch(() => {});
    expect(seen.length).toBeGreaterThan(1000);
    expect(seen).not.toContain('many/1/1.txt');
  });
});
