/** A built program is named by its bytes, and those name all that it loads: rules that changed are never taken for the same. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, expect, test } from 'vitest';
import { programName } from '../../src/os/files/program-name.ts';

const top = mkdtempSync(join(tmpdir(), 'program-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));

test('the same bytes have the same name, others another, and a source has none', () => {
  const [a, b, c] = ['a.js', 'b.js', 'c.js'].map((name) => join(top, name)) as [string, string, string];
  writeFileSync(a, 'one');
  writeFileSync(b, 'one');
  writeFileSync(c, 'two');
  expect(programName(a)).toMatch(/^[0-9a-f]{64}$/);
  expect(programName(b)).toBe(programName(a));
  expect(programName(c)).not.toBe(programName(a));
  expect(programName(import.meta.filename)).toBeNull();
});

/** As tools/build.ts writes chunks. Each module but the last loads the next, every second one when it runs. */
async function built(name: string, last: string): Promise<string> {
  const [dir, out] = [join(top, name), join(top, `${name}-out`)];
  mkdirSync(dir);
  const modules: Record<string, string> = {
    'main.js': "export const run = () => import('./asks.js');",
    'other.js': "export const run = () => import('./shared.js');",
    'asks.js': "import { shared } from './shared.js'; export const asks = () => shared();",
    'shared.js': "export const shared = async () => (await import('./rules.js')).rules;",
    'rules.js': last,
  };
  for (const [file, text] of Object.entries(modules)) writeFileSync(join(dir, file), text);
  const build = await rolldown({ cwd: dir, input: { main: './main.js', other: './other.js' }, platform: 'node' });
  await build.write({ dir: out, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' });
  await build.close();
  const asks = readdirSync(out).filter((file) => file.startsWith('asks'));
  expect(asks).toHaveLength(1);
  expect(readFileSync(join(out, asks[0] as string), 'utf8'), 'the rules are elsewhere').not.toContain('secret');
  return programName(join(out, asks[0] as string)) ?? '';
}

test('a change in what is loaded far away, and only when it runs, is another name', async () => {
  const one = await built('one', "export const rules = ['secret'];");
  expect(await built('same', "export const rules = ['secret'];")).toBe(one);
  expect(await built('two', "export const rules = ['secret', 'more'];")).not.toBe(one);
});
