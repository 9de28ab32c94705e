/** A run is over when it has said so: what it made for its gates and workers is deleted by a process of its own. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ENV, script } from '../real/task.ts';
import { eventually, World } from '../support/cli.ts';
import { list } from '../support/traces.ts';

const FOLDERS = 100;
const FILES = 150;

/** A branch of 15,000 small files that the checkout does not have. */
function large(world: World): string {
  const git = (args: readonly string[], input: string) =>
    execFileSync('git', ['-C', world.repository, ...args], { input, encoding: 'utf8' }).trim();
  const blob = git(['hash-object', '-w', '--stdin'], 'small\n');
  const files = Array.from({ length: FILES }, (_, n) => `100644 blob ${blob}\tf${n}.txt\n`).join('');
  const folder = git(['mktree'], files);
  const folders = Array.from({ length: FOLDERS }, (_, n) => `040000 tree ${folder}\td${n}\n`).join('');
  const commit = git(['commit-tree', git(['mktree'], folders), '-p', 'main', '-m', 'large'], '');
  world.git('update-ref', 'refs/heads/large', commit);
  return 'large';
}

const trash = (world: World): string[] => {
  const root = join(world.state, 'trash');
  return list(root).flatMap((project) => list(join(root, project)));
};

test('a run in a large repository ends while its workspaces are still being deleted, and they are', async () => {
  using world = new World();
  const plays = script(world, [{ files: { 'd0/f0.txt': 'changed\n' } }]);
  const args = ['run', 'change one', '--onto', large(world), '--script', plays, '--gate', 'tests=true', '--json'];
  const { code, stdout, stderr } = await world.run(args, ENV);
  const left = trash(world).length;
  expect([code, JSON.parse(stdout)], stderr).toMatchObject([0, { status: 'accepted' }]);
  expect(left).toBeGreaterThan(0);
  await eventually(() => trash(world).length === 0, 'a process of its own deletes the rest');
});
