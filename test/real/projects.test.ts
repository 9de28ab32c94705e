/** Small real projects, each the way a person goes: `init`, `run` (wrong first, then right), `show --evidence`, `land`. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { World } from '../support/cli.ts';
import { leftOver } from '../support/left-over.ts';
import { settled } from '../support/traces.ts';
import { accepted, digest, PATH, type Plays } from './task.ts';

type Env = Readonly<Record<string, string>>;

/** From `init` to a branch that was moved; the gate is what `init` found, and what it printed is in the evidence. */
async function fromInitToLand(
  world: World,
  plays: Plays,
  expected: { readonly command: string; readonly failure: RegExp; readonly success: RegExp },
  env: Env = {},
): Promise<{ readonly task_id: string; readonly commit: string }> {
  const init = await world.json<{ gates: unknown; trusted: boolean }>(['init', '--yes'], env);
  expect(init).toMatchObject({ trusted: true, gates: [{ name: 'tests', command: expected.command }] });
  const tree = digest(join(world.repository, '.supervisor'));
  const task = await accepted(world, plays, [], env);
  expect(task.steps).toMatchObject([
    { id: 'implement', attempts: 2, evidence: [{ status: 'fail' }, { status: 'pass' }] },
  ]);
  expect(task).toMatchObject({ verified: true, onto: 'main', verdict: { decision: 'APPROVE' }, landed: null });
  expect(world.git('rev-parse', 'main')).toBe(task.base);
  expect(world.git('status', '--porcelain')).toBe('?? .supervisor/');
  expect(digest(join(world.repository, '.supervisor'))).toBe(tree);

  const { stdout } = await world.run(['show', task.task_id, '--evidence']);
  const [, failed = '', passed = ''] = stdout.split(/^── implement: gate tests: (?:fail|pass)$/m);
  expect(failed).toMatch(expected.failure);
  expect(passed).toMatch(expected.success);

  world.git('branch', 'release', task.base);
  expect(await world.json(['land', task.task_id, '--onto', 'release'], { PATH, ...env })).toMatchObject({
    commit: task.commit,
  });
  expect(world.git('rev-parse', 'release')).toBe(task.commit);
  expect(await world.health()).toEqual({ findings: [], leased: false });
  expect(await settled(() => leftOver(world))).toEqual([]);
  return task;
}

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
    { command: 'npm test', failure: /4 == 5/, success: /two and three[\s\S]*pass 1/ },
    { PATH },
  );
  world.commit({ 'README.md': 'sums\n' });
  world.git('branch', 'moved');
  const { code, stdout, stderr } = await world.run(['land', task_id, '--onto', 'moved'], { PATH });
  expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/tests\s+pass/)]);
  expect(world.git('diff', '--name-only', 'main', 'moved')).toBe('sum.js');
});

/** The smallest wheel there is. */
const WHEEL = `
import sys, zipfile
info = 'tiny_dep-1.0.dist-info'
files = {
    'tiny_dep.py': 'def polite(text):\\n    return "dear " + text\\n',
    info + '/METADATA': 'Metadata-Version: 2.1\\nName: tiny-dep\\nVersion: 1.0\\n',
    info + '/WHEEL': 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n',
}
files[info + '/RECORD'] = ''.join(f'{name},,\\n' for name in [*files, info + '/RECORD'])
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    for name, text in files.items():
        wheel.writestr(name, text)
`;

test('Python: a virtual environment from requirements.txt, `unittest`', async () => {
  using world = new World();
  const wheels = join(world.dir, 'wheels');
  mkdirSync(wheels, { mode: 0o755 });
  execFileSync('python3', ['-c', WHEEL, join(wheels, 'tiny_dep-1.0-py3-none-any.whl')]);
  world.commit({
    'requirements.txt': 'tiny-dep==1.0\n',
    'greet.py': 'def greet(name):\n    raise NotImplementedError\n',
    'tests/__init__.py': '',
    'tests/test_greet.py': [
      'import unittest\nfrom greet import greet\n\nclass Greet(unittest.TestCase):',
      "    def test_polite(self):\n        self.assertEqual(greet('Ada'), 'dear Ada')\n",
    ].join('\n'),
  });
  await fromInitToLand(
    world,
    [
      { files: { 'greet.py': 'def greet(name):\n    return name\n' } },
      { files: { 'greet.py': 'from tiny_dep import polite\n\ndef greet(name):\n    return polite(name)\n' } },
    ],
    {
      command: '/env/venv/bin/python -m unittest discover',
      failure: /'Ada' != 'dear Ada'/,
      success: /Ran 1 test[\s\S]*OK/,
    },
    { PIP_FIND_LINKS: wheels },
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
    { command: 'make test', failure: /hello\.sh: Permission denied/, success: /all is well/ },
  );
  const listed = world.git('ls-tree', '--format=%(objectmode) %(path)', task.commit).split('\n');
  expect(listed).toEqual(['100644 Makefile', '100644 check.sh', '100755 hello.sh', "100644 it's $(odd) ; name"]);
  expect([
    existsSync(join(world.repository, 'hello.sh')),
    readFileSync(join(world.repository, 'old.txt'), 'utf8'),
  ]).toEqual([false, 'old\n']);
});
