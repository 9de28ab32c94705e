/** Small real projects, each the way a person goes: `init`, `run` (wrong first, then right), `show --evidence`, `land`. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { World } from '../support/cli.ts';

import { fromInitToLand } from './from-init-to-land.ts';
import { PYTHON } from './python.ts';
import { PATH } from './task.ts';

test('Node: dependencies from a lock file, `npm test`, and the gates again where the branch had moved', async () => {
  using world = new World();
  const quiet = { PATH, npm_config_offline: 'true', NODE_DISABLE_COMPILE_CACHE: '1' };
  const npm = (cwd: string, ...args: string[]) =>
    execFileSync('npm', args, { cwd, env: { ...quiet, HOME: world.home }, stdio: 'pipe' });
  const dependency = join(world.dir, 'tiny-dep');
  mkdirSync(dependency);
  world.file('tiny-dep/package.json', '{"name": "tiny-dep", "version": "1.0.0", "main": "main.js"}');
  world.file('tiny-dep/main.js', 'module.exports = (a, b) => a + b;\n');
  mkdirSync(join(world.repository, 'vendor'));
  npm(dependency, 'pack', '--silent', '--pack-destination', join(world.repository, 'vendor'));
  world.commit({
    'package.json': '{"name": "sums", "version": "1.0.0", "private": true, "scripts": {"test": "node --test"}}',
    '.gitignore': 'node_modules/\n',
    'sum.js': "exports.sum = () => { throw new Error('not yet'); };\n",
    'sum.test.js': [
      "const { equal } = require('node:assert');",
      "require('node:test')('two and three', () => equal(require('./sum.js').sum(2, 3), 5));\n",
    ].join('\n'),
  });
  npm(world.repository, 'install', '--no-audit', '--no-fund', './vendor/tiny-dep-1.0.0.tgz');
  world.commit({});
  expect(readdirSync(join(world.repository, 'node_modules'))).toContain('tiny-dep');

  const { task_id } = await fromInitToLand(
    world,
    [
      { files: { 'sum.js': "const add = require('tiny-dep');\nexports.sum = (a) => add(a, a);\n" } },
      { files: { 'sum.js': "const add = require('tiny-dep');\nexports.sum = (a, b) => add(a, b);\n" } },
    ],
    { command: /^node --test --test-reporter=tap$/, failure: /4 == 5/, success: /two and three[\s\S]*pass 1/ },
    { PATH },
  );
  world.commit({ 'README.md': 'sums\n' });
  world.git('branch', 'moved');
  const { code, stdout, stderr } = await world.run(['land', task_id, '--onto', 'moved'], { PATH });
  expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/tests\s+pass/)]);
  expect(world.git('diff', '--name-only', 'main', 'moved')).toBe('sum.js');
});

test('Python: `unittest`, on the Python of this machine', async () => {
  using world = new World();
  world.commit({ ...PYTHON, 'pyproject.toml': '[project]\nname = "greet"\nversion = "1"\n' });
  await fromInitToLand(
    world,
    ['name', '"dear " + name'].map((value) => ({ files: { 'greet.py': `def greet(name):\n    return ${value}\n` } })),
    { command: /^python3 -m unittest discover/, failure: /'Ada' != 'dear Ada'/, success: /Ran 1 test[\s\S]*OK/ },
  );
});

test('shell: a Makefile; a new file with its mode, a file removed, a name that is odd', async () => {
  using world = new World();
  world.commit({
    Makefile: 'test:\n\tsh -eu check.sh\n',
    'check.sh': 'test "$(./hello.sh)" = hello\n! test -e old.txt\necho all is well\n',
    'old.txt': 'old\n',
  });
  const hello = '#!/bin/sh\necho hello\n';
  const task = await fromInitToLand(
    world,
    [
      { files: { 'hello.sh': hello, 'old.txt': null } },
      { files: { 'hello.sh': hello, 'old.txt': null, "it's $(odd) ; name": 'x\n' }, run: 'chmod +x hello.sh' },
    ],
    { command: /^make test$/, failure: /hello\.sh: Permission denied/, success: /all is well/ },
  );
  const listed = world.git('ls-tree', '--format=%(objectmode) %(path)', task.commit).split('\n');
  expect(listed).toEqual(['100644 Makefile', '100644 check.sh', '100755 hello.sh', "100644 it's $(odd) ; name"]);
  expect([
    existsSync(join(world.repository, 'hello.sh')),
    readFileSync(join(world.repository, 'old.txt'), 'utf8'),
  ]).toEqual([false, 'old\n']);
});
