/** Users are used again from run to run: they must not carry anything over, and a tree is given without stopping the rest. */
import {
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { diskUse } from '../../src/hands/sandbox/shared/disk-use.ts';
import { giveTree } from '../../src/hands/sandbox/shared/give-tree.ts';
import { FIRST_UID, isOurs } from '../../src/hands/sandbox/shared/users.ts';
import { Box } from './box.ts';

/** Users of their own are for root alone; for everybody else all trees stay what they are. */
const ROOT = process.getuid?.() === 0;
const UID = ROOT ? FIRST_UID : (process.getuid?.() ?? 0);

function treeOf(box: Box, name: string) {
  const from = join(box.dir, name);
  mkdirSync(from, { recursive: true });
  const writable = [{ from, to: '/workspace' }];
  return { from, play: (program: string) => box.play(['sh', '-c', program], { policy: { writable } }) };
}

test('a user has one living tree, is used again for it, and after it for another', async () => {
  await using box = new Box();
  const [one, two, three] = ['one', 'two', 'three'].map((name) => treeOf(box, name)) as [Tree, Tree, Tree];
  await one.play('true');
  await two.play('true');
  const { uid } = statSync(one.from);
  expect(isOurs(uid)).toBe(ROOT);
  expect(statSync(two.from).uid === uid).toBe(!ROOT);
  await one.play('true');
  expect(statSync(one.from).uid).toBe(uid);
  rmSync(one.from, { recursive: true });
  await three.play('true');
  expect(statSync(three.from).uid).toBe(uid);
});

test('the next run of the same user finds no trace of the one before', async () => {
  await using box = new Box();
  const tree = treeOf(box, 'one');
  const leave =
    'for dir in /tmp /dev/shm $HOME; do echo x >$dir/left; done; ls /tmp/left; (sleep 30 >/dev/null 2>&1 &)';
  const look = 'ls /tmp/left /dev/shm/left $HOME/left 2>/dev/null; set -- /proc/[0-9]*; echo $#';
  const first = await tree.play(leave);
  expect(first).toMatchObject({ stdout: '/tmp/left\n', leftovers: 1 });
  // Itself, and the first process.
  expect((await tree.play(look)).stdout).toBe('2\n');
});

test('two at once are two users', async () => {
  await using box = new Box();
  const trees = ['one', 'two', 'three'].map((name) => treeOf(box, name));
  for (const round of [1, 2]) {
    await Promise.all(trees.map(({ play }) => play(`sleep 0.2; echo ${round}`)));
    expect(new Set(trees.map(({ from }) => statSync(from).uid)).size).toBe(ROOT ? 3 : 1);
  }
});

test('20,000 files change hands in turns with everything else, and only once', async () => {
  using tree = new BigTree(20_000);
  let turns = 0;
  let over = false;
  const given = giveTree(tree.dir, UID).then(() => {
    over = true;
  });
  while (!over) {
    await turn();
    turns += 1;
  }
  await given;
  const one = join(tree.dir, 'd7/f7');
  expect(lstatSync(one).uid).toBe(UID);
  if (!ROOT) return;
  // At one go it would be a turn or two. The slower the machine, the more there are.
  expect(turns).toBeGreaterThan(5);
  // Not walked once more: what has changed below it since is not seen.
  lchownSync(one, 0, 0);
  await giveTree(tree.dir, UID);
  expect(lstatSync(one).uid).toBe(0);
});

test('links, second names and names that are no text', async () => {
  using tree = new BigTree(0);
  using outside = new BigTree(0);
  writeFileSync(join(outside.dir, 'target'), 'x');
  symlinkSync(join(outside.dir, 'target'), join(tree.dir, 'link'));
  linkSync(join(outside.dir, 'target'), join(tree.dir, 'second'));
  const odd = Buffer.concat([Buffer.from(`${tree.dir}/`), Buffer.from([0xff, 0xfe])]);
  mkdirSync(odd);
  writeFileSync(Buffer.concat([odd, Buffer.from('/big')]), 'x'.repeat(1 << 20));
  await giveTree(tree.dir, UID);
  const own = process.getuid?.();
  expect(statSync(join(outside.dir, 'target')).uid).toBe(own);
  expect(lstatSync(join(tree.dir, 'link')).uid).toBe(UID);
  expect(lstatSync(Buffer.concat([odd, Buffer.from('/big')])).uid).toBe(UID);
  expect(await diskUse([tree.dir], Infinity)).toBeGreaterThan(1 << 20);
});

type Tree = ReturnType<typeof treeOf>;

class BigTree implements Disposable {
  readonly dir = mkdtempSync(join(tmpdir(), 'supervisor-tree-'));

  constructor(files: number) {
    for (let n = 0; n < files; n++) {
      const dir = join(this.dir, `d${n % 100}`);
      if (n < 100) mkdirSync(dir);
      writeFileSync(join(dir, `f${Math.floor(n / 100)}`), '');
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}
