/** Names of branches: the same answer as git's own check, except for length. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { isBranchName } from '../../src/mind/fields/branch-name.ts';

const NAMES = ['main', 'feature/x', 'a.b', 'ünïcödé', '$(id)', '@x', 'a@', 'x@y', 'a-b', "it's"];
const NOT = ['', '-x', '../x', 'a..b', 'a b', 'a~1', 'a^', 'a:b', 'a?', 'a*', 'a[', 'a\\b', '/a', 'a/', 'a//b', 'a.'];
const NEITHER = ['.a', 'a/.b', 'a.lock', 'a.lock/b', 'a@{1}', 'a\u0007', 'a\u007f', '\u001b]52;c;x\u0007'];

test.each([...NAMES, ...NOT, ...NEITHER])('%j', (name) => {
  expect(isBranchName(name)).toBe(NAMES.includes(name));
  const git = spawnSync('git', ['check-ref-format', '--branch', name], { cwd: '/' });
  expect(git.status === 0).toBe(NAMES.includes(name));
});
