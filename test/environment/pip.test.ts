/** Python projects: a virtual environment outside the tree, at the same path everywhere, from wheels on this machine. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findCaches } from '../../src/hands/environment/find-caches.ts';
import { Site } from './site.ts';

let dir = '';

/** The smallest wheel there is, written by Python itself. */
const WHEEL = `
import sys, zipfile
info = 'tiny_dep-1.0.dist-info'
files = {
    'tiny_dep.py': 'def say():\\n    return "tiny works"\\n\\ndef main():\\n    print(say())\\n',
    info + '/METADATA': 'Metadata-Version: 2.1\\nName: tiny-dep\\nVersion: 1.0\\n',
    info + '/WHEEL': 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n',
    info + '/entry_points.txt': '[console_scripts]\\ntiny = tiny_dep:main\\n',
}
files[info + '/RECORD'] = ''.join(f'{name},,\\n' for name in [*files, info + '/RECORD'])
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    for name, text in files.items():
        wheel.writestr(name, text)
`;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'supervisor-pip-'));
  chmodSync(dir, 0o755);
  execFileSync('python3', ['-c', WHEEL, join(dir, 'tiny_dep-1.0-py3-none-any.whl')]);
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

const CONFIG = {
  prepare: 'python3 -m venv /env/venv && /env/venv/bin/pip install -q -r requirements.txt',
  key: ['requirements.txt'],
  outputs: ['/env/venv'],
};

test('a virtual environment works in a gate, sealed, by its own commands', async () => {
  await using site = new Site({ 'requirements.txt': 'tiny-dep==1.0\n' });
  const caches = findCaches('/nonexistent', { PIP_FIND_LINKS: dir });
  expect(caches).toEqual([{ kind: 'pip', from: dir }]);
  const environment = await site.ready(site.open(CONFIG, { caches }));
  expect(environment).toMatchObject({ path: ['/env/venv/bin'], env: { VIRTUAL_ENV: '/env/venv' } });
  const { output } = await site.use(
    environment,
    'tiny; python -c "import sys, tiny_dep; print(sys.prefix, tiny_dep.say())"; rm -rf /env/venv/lib 2>/dev/null || tiny',
  );
  expect(output.split('\n').slice(0, 2)).toEqual(['tiny works', '/env/venv tiny works']);
  expect(output.split('\n').at(-1)).toBe('tiny works');
});

test('without the wheel it says what to do', async () => {
  await using site = new Site({ 'requirements.txt': 'tiny-dep==1.0\n' });
  const prepare = 'python3 -m pip install -q --target /env/venv -r requirements.txt';
  expect(await site.failure(site.open({ ...CONFIG, prepare }))).toMatch(/No matching distribution.*--network/);
});
