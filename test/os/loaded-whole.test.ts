/** Modules that are loaded with all of their functions compiled, so that the next process need not compile them. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

const from = (path: string) => JSON.stringify(join(import.meta.dirname, '../../src', path));

test('what is loaded whole is kept compiled with functions that nobody called; what is loaded after it is not', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'loaded-whole-'));
  dirs.push(dir);
  for (const name of ['before', 'whole', 'after'])
    writeFileSync(join(dir, `${name}.mjs`), `export const run = () => 'only in ${name}';`);
  const module = (name: string) => `import(${JSON.stringify(join(dir, `${name}.mjs`))})`;
  const source = `
    import { loadedWhole } from ${from('os/process/loaded-whole.ts')};
    await ${module('before')};
    const { run } = await loadedWhole(() => ${module('whole')});
    await ${module('after')};
    await loadedWhole(() => import('./nowhere.mjs')).catch(({ code }) => console.log(code));
    console.log(run());`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source], {
    env: { ...process.env, NODE_COMPILE_CACHE: join(dir, 'compiled') },
  });
  expect(stdout).toBe('ERR_MODULE_NOT_FOUND\nonly in whole\n');
  const kept = readdirSync(join(dir, 'compiled'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
    .join('');
  expect(kept).toContain('whole.mjs');
  expect(kept).toContain('after.mjs');
  expect(kept).toContain('only in whole');
  expect(kept).not.toMatch(/only in (?:before|after)/);
});
