/** The samples whose gates take long: a compiler, and an environment that pip makes. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { accepted, PATH } from '../real/task.ts';
import type { World } from '../support/cli.ts';
import { missing, SAMPLES, sampleWorld, worksOn } from './samples.ts';

async function init(world: World): Promise<void> {
  const { code, stderr } = await world.run(['init', '--yes'], { PATH });
  expect(code, stderr).toBe(0);
}

test('rust', async () => {
  const sample = SAMPLES['rust'] as (typeof SAMPLES)[string];
  const absent = missing(sample.needs, PATH);
  if (absent.length > 0) {
    console.log(`rust: not run, because these programs are not on the PATH of this machine: ${absent.join(', ')}`);
    return;
  }
  // rustup looks for its tool chains in the home of whoever calls it, and this world has one of its own.
  const chain = execFileSync('rustc', ['--print', 'sysroot'], { encoding: 'utf8' }).trim();
  using world = sampleWorld('rust');
  await init(world);
  await worksOn(world, sample, { PATH: `${join(chain, 'bin')}:${PATH}` });
}, 300_000);

/** As much of Django as the sample uses, in a wheel of its name: the tests are without network. */
const DJANGO = `
import sys, zipfile
info = 'django-5.0.dist-info'
files = {
    'django/__init__.py': '',
    'django/core/__init__.py': '',
    'django/core/management.py': '''
import sys, unittest
def execute_from_command_line(argv):
    assert argv[1:] == ["test"], argv
    unittest.main(module=None, argv=["manage.py", "discover", "-p", "test*.py"])
''',
    'django/test.py': 'from unittest import TestCase as SimpleTestCase\\n',
    info + '/METADATA': 'Metadata-Version: 2.1\\nName: Django\\nVersion: 5.0\\n',
    info + '/WHEEL': 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n',
}
files[info + '/RECORD'] = ''.join(f'{name},,\\n' for name in [*files, info + '/RECORD'])
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    for name, text in files.items():
        wheel.writestr(name, text)
`;

test('django', async () => {
  using world = sampleWorld('django', (dir) => {
    mkdirSync(join(dir, 'wheels'));
    execFileSync('python3', ['-c', DJANGO, join(dir, 'wheels', 'django-5.0-py3-none-any.whl')]);
    const file = join(dir, 'requirements.txt');
    writeFileSync(file, `--no-index\n--find-links wheels\n${readFileSync(file, 'utf8')}`);
  });
  await init(world);
  await worksOn(world, SAMPLES['django'] as (typeof SAMPLES)[string]);
}, 300_000);

test('compose: the service that is written as a comment is a database when its marks are taken away', async () => {
  const absent = missing(['initdb', 'postgres', 'pg_isready', 'psql'], PATH);
  if (absent.length > 0) {
    console.log(
      `compose: not run with its service: these programs are not on the PATH of this machine: ${absent.join(', ')}`,
    );
    return;
  }
  using world = sampleWorld('compose');
  await init(world);
  const file = join(world.repository, '.supervisor', 'config.yaml');
  const [before = '', rest = ''] = readFileSync(file, 'utf8').split(/^(?=# environment:$)/m);
  const [commented = '', after = ''] = rest.split(/\n\n([\s\S]*)/);
  const ask = `psql -h 127.0.0.1 -U postgres -Atc 'select 6 * 7' | grep -x 42`;
  const gates = before.replace('command: "npm test"', `command: ${JSON.stringify(ask)}`);
  writeFileSync(file, `${gates}${commented.replaceAll(/^# /gm, '')}\n\n${after}`);
  expect((await world.run(['trust', '--yes'])).code).toBe(0);
  const task = await accepted(world, [{ files: { 'README.md': 'ledger\n' } }], []);
  expect(task).toMatchObject({ verified: true, steps: [{ attempts: 1 }] });
}, 300_000);

test('monorepo: packages that need each other find each other', async () => {
  using world = sampleWorld('monorepo', (dir) => {
    // Without what is not of this repository, which would have to be fetched.
    const manifest =
      '{"name": "@market/web", "scripts": {"test": "node --test"}, "dependencies": {"@market/cart": "*"}}';
    writeFileSync(join(dir, 'packages/web/package.json'), manifest);
    writeFileSync(join(dir, '.gitignore'), 'node_modules/\n');
    const test = "import { add } from '@market/cart/add.js';\nadd([], 1).length === 1 || process.exit(1);\n";
    writeFileSync(join(dir, 'packages/web/cart.test.mjs'), test);
    execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund'], {
      cwd: dir,
      env: { PATH, HOME: dirname(dir) },
      stdio: 'pipe',
    });
  });
  const told = await world.json(['init', '--yes'], { PATH });
  expect(told).toMatchObject({ environment: { outputs: ['node_modules', 'packages/web/node_modules'] } });
  await worksOn(world, SAMPLES['monorepo'] as (typeof SAMPLES)[string]);
}, 300_000);
