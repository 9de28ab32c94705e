/** IF-20: before a branch moves, the commit is looked at once more: the checked change on the tip that was read, and nothing else. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LandedChange } from '../../src/engine/ports/workspace.ts';
import type { Candidate } from '../../src/mind/domain/values.ts';
import { candidateOf, changed, commitAll, put, type World, whole, world } from './repository.ts';

const TEN = Array.from({ length: 10 }, (_, n) => `line ${n}\n`).join('');
const ten = (...at: number[]) => at.reduce((text, n) => text.replace(`line ${n}\n`, `changed ${n}\n`), TEN);

let w: World;
beforeEach(() => {
  w = world({ ten: TEN, other: 'o\n', third: 't\n' });
  w.git('checkout', '-q', '-b', 'elsewhere');
});
afterEach(() => w.end());

const at = (ref: string) => w.git('rev-parse', ref);

/** The line goes on by one commit. */
function moveOn(files: Readonly<Record<string, string>>): string {
  w.git('checkout', '-q', 'main');
  put(w.repo, files);
  commitAll(w, 'moved on');
  w.git('checkout', '-q', 'elsewhere');
  return at('main');
}

/** A commit of exactly this tree, as a careless merge would have made it. */
function commitOf(files: Readonly<Record<string, string>>, from: string, parent = from): string {
  w.git('checkout', '-q', '--detach', from);
  put(w.repo, files);
  w.git('add', '-A');
  const commit = w.git('commit-tree', w.git('write-tree'), '-p', parent, '-m', 'x');
  w.git('reset', '-q', '--hard');
  w.git('checkout', '-q', 'elsewhere');
  return commit;
}

const own = async (files: Readonly<Record<string, string>>) => whole(await changed(w, (tree) => put(tree, files)));
const on = (base: string, commit: string, { own }: LandedChange): LandedChange => ({
  own,
  gated: { base, tree: at(`${commit}^{tree}`), change_id: own.change_id } satisfies Candidate,
});
const land = (commit: string, change: LandedChange) => w.open().land('main', commit, change);

/** It is refused for this reason, and the branch stays. */
async function stays(commit: string, change: LandedChange, reason: string | RegExp): Promise<void> {
  const tip = at('main');
  expect(await land(commit, change)).toMatchObject({ type: 'refused', message: expect.stringMatching(reason) });
  expect(at('main')).toBe(tip);
}

describe('on a line that has moved', () => {
  test('a true integration lands (control)', async () => {
    const change = await own({ ten: ten(1) });
    const tip = moveOn({ other: 'moved\n' });
    const commit = commitOf({ ten: ten(1) }, tip);
    expect(await land(commit, on(tip, commit, change))).toEqual({ type: 'landed', commit });
  });

  test('so does a merge of two changes of one file (control)', async () => {
    const change = await own({ ten: ten(1) });
    const tip = moveOn({ ten: ten(8) });
    const commit = commitOf({ ten: ten(1, 8) }, tip);
    expect(await land(commit, on(tip, commit, change))).toEqual({ type: 'landed', commit });
  });

  test('another tree than the one that was gated', async () => {
    const change = await own({ ten: ten(1) });
    const tip = moveOn({ other: 'moved\n' });
    const gated = commitOf({ ten: ten(1) }, tip);
    await stays(commitOf({ ten: ten(2) }, tip), on(tip, gated, change), /not the one that the gates ran on/);
  });

  test('the very change on the very tip, whose tree no gate has seen', async () => {
    const change = await own({ ten: ten(1) });
    const tip = moveOn({ other: 'moved\n' });
    const commit = commitOf({ ten: ten(1) }, tip);
    const other = { base: tip, tree: at(`${tip}^{tree}`), change_id: change.own.change_id };
    await stays(commit, { ...change, gated: other }, /not the one that the gates ran on/);
    expect(await land(commit, { ...change, gated: null })).toEqual({ type: 'moved', at: tip });
  });

  test('a batch: every commit of it is looked at, and the branch moves once', async () => {
    const one = await own({ ten: ten(1) });
    const two = await own({ third: 'of two\n' });
    const tip = moveOn({ other: 'moved\n' });
    const first = commitOf({ ten: ten(1) }, tip);
    const second = commitOf({ third: 'of two\n' }, first);
    const both = (below: string) => [{ commit: below, change: on(tip, below, one) }];
    const wrong = commitOf({ ten: ten(1, 2) }, tip);
    const onWrong = commitOf({ third: 'of two\n' }, wrong);
    const batch = (last: string, below: string) => w.open().land('main', last, on(below, last, two), both(below));
    expect(await batch(onWrong, wrong)).toMatchObject({
      message: expect.stringMatching(/not the one that was accepted/),
    });
    expect(await batch(second, wrong)).toMatchObject({ type: 'refused' });
    expect(at('main')).toBe(tip);
    expect(await batch(second, first)).toEqual({ type: 'landed', commit: second });
    expect(w.git('reflog', 'show', '--format=%H', 'main').split('\n').slice(0, 2)).toEqual([second, tip]);
  });

  test('a parent that is no longer the tip: integrated again', async () => {
    const change = await own({ ten: ten(1) });
    const tip = moveOn({ other: 'moved\n' });
    const commit = commitOf({ ten: ten(1) }, tip);
    const next = moveOn({ other: 'again\n' });
    expect(await land(commit, on(tip, commit, change))).toEqual({ type: 'moved', at: next });
  });

  test('a checkout that was taken back meanwhile: the commits in between do not come along', async () => {
    const change = await own({ ten: ten(1) });
    const base = at('main');
    const tip = moveOn({ other: 'moved\n' });
    const commit = commitOf({ ten: ten(1) }, tip);
    w.git('checkout', '-q', 'main');
    w.git('reset', '-q', '--hard', base);
    const forward = () => w.open().fastForward({ path: w.repo, branch: 'main' }, commit, on(tip, commit, change));
    expect(await forward()).toMatch(/its first parent is [0-9a-f]+, and the branch is at/);
    expect(at('main')).toBe(base);
    w.git('reset', '-q', '--hard', tip);
    expect([await forward(), at('main')]).toEqual([null, commit]);
  });

  test('the tree of a wrong merge base, which takes back what the line did (GitHub, 2026-04-23)', async () => {
    const change = await own({ ten: ten(1) });
    const base = at('main');
    const tip = moveOn({ other: 'moved\n' });
    const commit = commitOf({ ten: ten(1) }, base, tip);
    await stays(commit, on(tip, commit, change), /it changes other on the branch/);
  });

  test('a further path, and a removed one', async () => {
    const change = await own({ ten: ten(1) });
    const tip = moveOn({ other: 'moved\n' });
    const more = commitOf({ ten: ten(1), third: 'sneaked in\n' }, tip);
    await stays(more, on(tip, more, change), /it changes third on the branch/);
  });

  test('the right paths with other contents', async () => {
    const change = await own({ ten: ten(1) });
    const tip = moveOn({ other: 'moved\n' });
    const commit = commitOf({ ten: ten(1, 2) }, tip);
    await stays(commit, on(tip, commit, change), /not the one that was accepted/);
  });

  test('a merge of one file that drops the side of the line', async () => {
    const change = await own({ ten: ten(1) });
    const tip = moveOn({ ten: ten(8) });
    const commit = commitOf({ ten: ten(1) }, tip);
    await stays(commit, on(tip, commit, change), /a second merge of the same change gives another tree/);
  });

  test('a merge where none is needed: both changed the same line', async () => {
    const change = await own({ ten: ten(1) });
    const tip = moveOn({ ten: TEN.replace('line 1\n', 'by somebody else\n') });
    const commit = commitOf({ ten: ten(1) }, tip);
    await stays(commit, on(tip, commit, change), /gives another tree \(a conflict\)/);
  });
});

test('a commit that builds further up than the tip does not bring the others along', async () => {
  const release = at('main');
  w.git('branch', 'release');
  moveOn({ other: 'of somebody else\n' });
  w.git('checkout', '-q', 'main');
  w.git('checkout', '-q', '-B', 'elsewhere');
  const captured = await changed(w, (tree) => put(tree, { ten: ten(1) }));
  const commit = commitOf({ ten: ten(1) }, at('main'));
  expect(await w.open().land('release', commit, whole(captured))).toEqual({ type: 'moved', at: release });
  expect(await land(commit, whole(captured))).toMatchObject({ type: 'landed' });
  expect(candidateOf(captured).candidate.base).toBe(at('main^'));
});
