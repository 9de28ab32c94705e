/** A change moves onto another commit whole or not at all, and no program that a repository names is run for it. */
import { chmodSync, existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Integrated } from '../../src/engine/ports/workspace.ts';
import type { Candidate } from '../../src/mind/domain/values.ts';
import { candidateOf, changed, commitAll, digest, publicationOf, put, trap, type World, world } from './repository.ts';

const TEN = Array.from({ length: 10 }, (_, n) => `line ${n}\n`).join('');
const lines = (...changes: [number, string][]) =>
  TEN.split('\n')
    .map((line, n) => changes.find(([at]) => at === n)?.[1] ?? line)
    .join('\n');

let w: World;
beforeEach(() => {
  w = world({ ten: TEN, other: 'o\n', '.gitattributes': '* merge=evil\n' });
});
afterEach(() => w.end());

const candidate = async (change: (tree: string) => void): Promise<Candidate> =>
  candidateOf(await changed(w, change)).candidate;

/** The line moves on meanwhile. */
function moveOn(files: Readonly<Record<string, string>>): string {
  put(w.repo, files);
  commitAll(w, 'moved on');
  return w.git('rev-parse', 'HEAD');
}

function integrated(result: Integrated): Candidate {
  if (result.type !== 'integrated') throw new Error(JSON.stringify(result));
  return result.candidate;
}

test('other files of the line moved: the change is the same; it is pinned, and can be published on the new base', async () => {
  const before = await candidate((tree) => put(tree, { ten: lines([1, 'mine']), 'new/file': 'n\n' }));
  const onto = moveOn({ other: 'moved\n', added: 'a\n' });
  const untouched = digest(w.repo, /^\.git\/(objects|refs\/supervisor)/);
  const after = integrated(await w.open().integrate('next', before, 'main'));
  expect(after.base).toBe(onto);
  // What was said of the one change holds for the other.
  expect(after.change_id).toBe(before.change_id);
  expect(digest(w.repo, /^\.git\/(objects|refs\/supervisor)/)).toBe(untouched);
  await w.open().sweep((name) => name === 'next', false);
  w.git('gc', '-q', '--prune=now');
  expect(w.git('show', `${after.tree}:added`)).toBe('a');
  expect(w.git('show', `${after.tree}:new/file`)).toBe('n');
  const publication = { ...publicationOf(await changed(w, (tree) => put(tree, { x: 'x' }))), candidate: after };
  expect((await w.open().publish(publication)).type).toBe('published');
  expect(w.git('rev-parse', 'ai/task-1^')).toBe(onto);
  expect(readdirSync(join(w.repo, '.git/objects/pack')).filter((name) => name.endsWith('.keep'))).toEqual([]);
  w.git('fsck', '--strict');
});

test('another part of the same file moved: merged, and another change than the one that was checked', async () => {
  const before = await candidate((tree) => put(tree, { ten: lines([1, 'mine']) }));
  const onto = moveOn({ ten: lines([8, 'theirs']) });
  const after = integrated(await w.open().integrate('next', before, onto));
  expect(after.change_id).not.toBe(before.change_id);
  expect(w.git('show', `${after.tree}:ten`)).toBe(lines([1, 'mine'], [8, 'theirs']).trim());
  expect(await w.open().changes(after)).toMatchObject([{ path: 'ten' }]);
});

test('removed files stay removed; also with ids of 64 digits', async () => {
  await w.end();
  w = world({ ten: TEN, other: 'o\n', gone: 'g\n' }, ['--object-format=sha256']);
  const before = await candidate((tree) => {
    rmSync(join(tree, 'gone'));
    put(tree, { ten: lines([1, 'mine']) });
  });
  const onto = moveOn({ ten: lines([8, 'theirs']) });
  const after = integrated(await w.open().integrate('next', before, onto));
  expect(await w.open().paths(after.tree)).toEqual(['other', 'ten']);
  expect(after.tree).toMatch(/^[0-9a-f]{64}$/);
});

test('twice gives the same; the same line gives the same candidate', async () => {
  const before = await candidate((tree) => put(tree, { fresh: 'f\n' }));
  expect(integrated(await w.open().integrate('same', before, before.base))).toEqual(before);
  const onto = moveOn({ other: 'moved\n' });
  const first = await w.open().integrate('next', before, onto);
  expect(await w.open().integrate('next', before, onto)).toEqual(first);
});

test('a change that the line holds already leaves nothing', async () => {
  const before = await candidate((tree) => put(tree, { fresh: 'f\n' }));
  const onto = moveOn({ fresh: 'f\n', other: 'moved\n' });
  expect(await w.open().integrate('next', before, onto)).toEqual({ type: 'nothing_left' });
});

describe('conflicts name their paths and change nothing', () => {
  /** Nobody changed the same path where two names differ in case only. */
  const others = (onto: string, paths: readonly string[]) => (paths.includes('docs/A') ? [] : [onto]);
  const cases: [string, (tree: string) => void, Record<string, string>, string[]][] = [
    ['the same line', (tree) => put(tree, { ten: lines([1, 'mine']) }), { ten: lines([1, 'theirs']) }, ['ten']],
    ['deleted here, changed there', (tree) => rmSync(join(tree, 'ten')), { ten: lines([1, 'theirs']) }, ['ten']],
    ['added twice', (tree) => put(tree, { '\u00e9': 'mine\n' }), { '\u00e9': 'theirs\n' }, ['\u00e9']],
    ['two letter cases', (tree) => put(tree, { 'docs/A': 'mine\n' }), { 'docs/a': 'theirs\n' }, ['docs/A']],
  ];
  test.each(cases)('%s', async (_, change, files, paths) => {
    const before = await candidate(change);
    const onto = moveOn(files);
    const refs = w.git('for-each-ref', 'refs/heads', 'refs/supervisor/candidate');
    const since = others(onto, paths);
    expect(await w.open().integrate('next', before, onto)).toEqual({ type: 'conflict', paths, since });
    expect(w.git('for-each-ref', 'refs/heads', 'refs/supervisor/candidate')).toBe(refs);
  });

  test('a file here, a directory there', async () => {
    const before = await candidate((tree) => put(tree, { place: 'a file\n' }));
    const onto = moveOn({ 'place/x': 'x\n' });
    expect((await w.open().integrate('next', before, onto)).type).toBe('conflict');
  });

  test('a link that leads out through a link of the line', async () => {
    const before = await candidate((tree) => symlinkSync('door/passwd', join(tree, 'l')));
    symlinkSync('../../etc', join(w.repo, 'door'));
    const onto = moveOn({});
    expect(await w.open().integrate('next', before, onto)).toEqual({ type: 'conflict', paths: ['l'], since: [] });
  });
});

test('no rename is guessed: a change does not follow a file that the line moved; plain git does so (control)', async () => {
  const before = await candidate((tree) => put(tree, { ten: lines([1, 'mine']) }));
  w.git('mv', 'ten', 'eleven');
  const onto = moveOn({});
  expect(await w.open().integrate('next', before, onto)).toEqual({ type: 'conflict', paths: ['ten'], since: [onto] });
  const mine = w.git('commit-tree', '-p', before.base, '-m', 'mine', before.tree);
  const tree = w.git('merge-tree', '--write-tree', mine, onto);
  expect(w.git('show', `${tree}:eleven`)).toContain('mine');
});

test('a rewritten line: only the change moves, not the commits below it', async () => {
  w.git('branch', 'start');
  moveOn({ below: 'dropped by the rewrite\n' });
  const before = await candidate((tree) => put(tree, { fresh: 'f\n' }));
  w.git('reset', '-q', '--hard', 'start');
  const onto = moveOn({ other: 'rewritten\n' });
  const after = integrated(await w.open().integrate('next', before, onto));
  expect(await w.open().paths(after.tree)).toEqual(['.gitattributes', 'fresh', 'other', 'ten']);
  // Git's own choice of the common ancestor brings the dropped commit back (control).
  const mine = w.git('commit-tree', '-p', before.base, '-m', 'mine', before.tree);
  expect(w.git('ls-tree', '--name-only', w.git('merge-tree', '--write-tree', mine, onto))).toContain('below');
});

describe('drivers', () => {
  /** Both sides change the same file, which is when git asks a driver. */
  async function clash(): Promise<{ before: Candidate; onto: string; mine: string }> {
    const before = await candidate((tree) => put(tree, { ten: lines([1, 'mine']) }));
    const onto = moveOn({ ten: lines([1, 'theirs']) });
    return { before, onto, mine: w.git('commit-tree', '-p', before.base, '-m', 'mine', before.tree) };
  }

  test('a merge driver and rerere of the user\u2019s repository are not run; plain git runs the driver (control)', async () => {
    const { program, trace } = trap(w);
    w.git('config', 'merge.evil.driver', program);
    w.git('config', 'rerere.enabled', 'true');
    w.git('config', 'core.fsmonitor', program);
    const hook = join(w.repo, '.git/hooks/post-merge');
    writeFileSync(hook, `#!/bin/sh\ntouch ${trace}\n`);
    chmodSync(hook, 0o755);
    const { before, onto, mine } = await clash();
    rmSync(trace, { force: true });
    expect((await w.open().integrate('next', before, onto)).type).toBe('conflict');
    expect(existsSync(trace)).toBe(false);
    expect(readdirSync(join(w.repo, '.git/rr-cache'))).toEqual([]);
    w.git('merge-tree', '--write-tree', mine, onto);
    expect(existsSync(trace)).toBe(true);
  });

  test('the tree cannot ask for a union of both sides; plain git obeys it (control)', async () => {
    put(w.repo, { '.gitattributes': '* merge=union\n' });
    commitAll(w, 'union');
    const { before, onto, mine } = await clash();
    expect((await w.open().integrate('next', before, onto)).type).toBe('conflict');
    expect(w.git('show', `${w.git('merge-tree', '--write-tree', mine, onto)}:ten`)).toContain('mine\ntheirs');
  });
});

test.each(['merged', 'transferred', 'pinned'])(
  'interrupted after %s, it is completed by doing it again',
  async (point) => {
    const before = await candidate((tree) => put(tree, { ten: lines([1, 'mine']) }));
    const onto = moveOn({ ten: lines([8, 'theirs']) });
    const broken = w.open({
      failpoint: (name) => {
        if (name === `integrate.${point}`) throw new Error('killed');
      },
    });
    await expect(broken.integrate('next', before, onto)).rejects.toThrow('killed');
    w.git('gc', '-q', '--prune=now');
    const after = integrated(await w.open().integrate('next', before, onto));
    w.git('gc', '-q', '--prune=now');
    expect(w.git('show', `${after.tree}:ten`)).toContain('theirs');
    expect(readdirSync(join(w.repo, '.git/objects/pack')).filter((name) => name.endsWith('.keep'))).toEqual([]);
  },
);
