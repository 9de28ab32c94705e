/** A run is over when it has said so: what is to be deleted is deleted by a separate process. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ENV, script } from '../real/task.ts';
import { eventually, World } from '../support/cli.ts';
import { list } from '../support/traces.ts';

/** 150,000 files: no machine deletes them while a small task runs. */
const FOLDERS = 600;
const FILES = 250;

function fill(dir: string): void {
  for (let folder = 0; folder < FOLDERS; folder++) {
    mkdirSync(join(dir, `d${folder}`), { recursive: true });
    for (let file = 0; file < FILES; file++) writeFileSync(join(dir, `d${folder}`, `f${file}`), '');
  }
}

const trash = (world: World): string[] => {
  const root = join(world.state, 'trash');
  return list(root).flatMap((project) => list(join(root, project)).map((name) => join(root, project, name)));
};

test('a run ends while an earlier workspace is still being deleted, and it is deleted', async () => {
  using world = new World();
  const plays = script(world, [{ files: { 'a.txt': 'changed\n' } }]);
  const args = ['run', 'change one', '--script', plays, '--gate', 'tests=true', '--json'];
  expect((await world.run(args, ENV)).code).toBe(0);
  const [project = ''] = list(join(world.state, 'trash'));
  fill(join(world.state, 'trash', project, 'workspace.of-an-earlier-run'));
  const { code, stdout, stderr } = await world.run(args, ENV);
  const left = trash(world);
  expect([code, JSON.parse(stdout)], stderr).toMatchObject([0, { status: 'accepted' }]);
  expect(left).not.toEqual([]);
  await eventually(() => trash(world).length === 0, 'a separate process deletes the rest');
});
