/** A home that is closed to others, as root's is. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accepted, ENV } from '../real/task.ts';
import { World } from '../support/cli.ts';

test('state below a directory that only its owner can pass is no obstacle, for root neither', async () => {
  using world = new World();
  const closed = join(world.dir, 'closed');
  mkdirSync(closed, { mode: 0o700 });
  const env = { SUPERVISOR_HOME: join(closed, 'state') };
  const report = await accepted(world, [{ files: { 'a.txt': 'x\n' } }], ['--gate', 'tests=test -e a.txt'], env);
  expect(report.verified).toBe(true);
  expect((await world.run(['doctor'], { ...ENV, ...env })).stdout).toMatch(/✓ sandbox +bubblewrap/);
});
