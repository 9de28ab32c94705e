/** No sandbox, no run: a missing or refused bubblewrap is said with its fix and nothing is started. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SandboxError } from '../../src/engine/ports/sandbox.ts';
import { findBubblewrap, fixFor } from '../../src/hands/sandbox/bubblewrap/host.ts';
import { Box } from './box.ts';

test('bubblewrap is installed, or none of these tests means anything (apt-get install bubblewrap)', async () => {
  expect(findBubblewrap()).not.toBeNull();
  await using box = new Box();
  expect(await box.sandbox.probe()).toMatchObject({ ready: true, problem: null, fix: null });
});

test('a missing bubblewrap', async () => {
  await using box = new Box({ bwrap: '/nowhere/bwrap' });
  const report = await box.sandbox.probe();
  expect(report.ready).toBe(false);
  expect(report.limits.every(({ enforced }) => !enforced)).toBe(true);
  expect(`${report.fix}`).toMatch(/install/);
  await expect(box.play(['touch', 'ran'])).rejects.toThrow(SandboxError);
  expect(existsSync(join(box.tree, 'ran'))).toBe(false);
});

test('a failure to build the sandbox is never taken for an exit code of the program', async () => {
  await using box = new Box();
  const refusing = join(box.dir, 'bwrap');
  writeFileSync(refusing, '#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n', {
    mode: 0o755,
  });
  await using other = new Box({ bwrap: refusing });
  expect(await other.sandbox.probe()).toMatchObject({ ready: false, problem: expect.stringContaining('uid map') });
  await expect(other.play(['touch', 'ran'])).rejects.toThrow(/could not be built: bwrap: setting up uid map/);
  expect(existsSync(join(other.tree, 'ran'))).toBe(false);
  expect(fixFor('Unknown option --disable-userns')).toMatch(/bubblewrap 0\.8/);
});

test.each([
  ['a working directory outside', { cwd: '/nowhere' }, /not inside a mount/],
  ['a mount over the system', { readable: [{ from: '/srv', to: '/usr/share' }] }, /belongs to the sandbox/],
  [
    'a mount over the shell of the first process',
    { readable: [{ from: '/srv', to: '/run' }] },
    /belongs to the sandbox/,
  ],
  ['a path that climbs', { readable: [{ from: '/srv/../etc', to: '/srv' }] }, /plain absolute/],
  ['a source that is not there', { readable: [{ from: '/nowhere', to: '/srv' }] }, /ENOENT/],
  ['a name that is none', { env: { 'A=B': 'x' } }, /cannot be set/],
])('%s is refused', async (_, policy, problem) => {
  await using box = new Box();
  await expect(box.play(['true'], { policy })).rejects.toThrow(problem);
});
