/** Python projects: a virtual environment outside the tree, at the same path everywhere, from wheels on this machine. */

import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findCaches } from '../../src/hands/environment/find-caches.ts';
import { remove } from '../support/remove.ts';
import { writeWheel } from '../support/wheel.ts';
import { Site } from './site.ts';

let dir = '';

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'supervisor-pip-'));
  chmodSync(dir, 0o755);
  writeWheel(dir, 'def say():\n    return "tiny works"\n\ndef main():\n    print(say())\n', 'tiny = tiny_dep:main');
});

afterAll(() => remove(dir));

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
