/** OF-04: a full disk ends the run with one clear sentence; with room again everything goes on, and the log is whole. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { World } from '../support/cli.ts';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

test('OF-04: disk full is named, nothing half-done is kept, and the same works again once there is room', async () => {
  using world = new World();
  // A mount of our own, seen by nobody else, gone with the process; without root through a user namespace.
  const unshare = process.getuid?.() === 0 ? ['-m'] : ['-U', '-r', '-m'];
  const script = world.file('big.yaml', `steps:\n  implement:\n    - {says: "${'text '.repeat(15_000)}"}\n`);
  const { stdout, stderr } = await promisify(execFile)(
    'unshare',
    [
      ...unshare,
      '--propagation',
      'private',
      'sh',
      path('../fixtures/programs/full-disk.sh'),
      process.execPath,
      path('../../src/faces/cli/entry.ts'),
      world.state,
      script,
    ],
    { cwd: world.repository, env: { PATH: process.env['PATH'] ?? '', HOME: world.home } },
  );
  expect(stdout, stderr).toContain('full: exit 5');
  expect(stderr).toContain('disk full');
  expect(stderr).not.toContain('    at ');
  expect(stdout).toContain('freed: exit 0');
  expect(stdout).toContain('✓');
});
