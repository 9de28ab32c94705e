/** What is kept about texts between two packets changes the time they take and nothing else. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRedactor } from '../../src/hands/redact/redact.ts';
import { counter, type PackWorld, packWorld } from './pack-world.ts';

/** Put together here, so that no scanner finds it in this file. */
const GITHUB = `ghp_${'16C7e42F292c6912E7710c838347Ae178B4a'}`;
const codeOf = (name: string, lines: number) =>
  Array.from(
    { length: lines },
    (_, n) => `/** Of ${n}. */\nexport function ${name}${n}(cart) {\n  return ${n};\n}\n`,
  ).join('\n');

let world: PackWorld;
let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'pack-facts-'));
  world = packWorld({
    'src/cart.ts': codeOf('sum', 12),
    'src/long.ts': codeOf('cart', 300),
    'src/key.ts': `export const key = '${GITHUB}';\n${codeOf('cart', 4)}`,
    'README.md': '# Shop\n\nSells the cart.\n',
  });
});
afterAll(() => {
  world.end();
  rmSync(dir, { recursive: true, force: true });
});

const unable = async () => (): number => {
  throw new Error('counts nothing');
};
const packed = (
  cacheDir: string | null,
  options: { count?: typeof counter; rules?: string; known?: string[] } = {},
) => {
  const { count = counter, rules = 'one', known = [] } = options;
  const packer = world.contexts({ cacheDir, count, program: rules, redact: createRedactor({ rules, known }) });
  const ask = { text: 'Sum up the cart', targets: ['src/cart.ts'], budget: 3_000 };
  return Promise.all(['seed', 'other'].map((seed) => world.pack({ ...ask, seed }, packer)));
};

test('the same packets, without counting or looking for secrets once more', async () => {
  const first = await packed(null);
  const [{ text = '', parts = [] } = {}] = first;
  expect(text).toContain("key = '[redacted:github]'");
  expect(
    parts.some(({ lines }) => lines !== null),
    'some are excerpts',
  ).toBe(true);
  expect(await packed(dir)).toEqual(first);
  expect(await packed(dir, { count: unable })).toEqual(first);
  await expect(packed(null, { count: unable }), 'it is the tokeniser that is asked').rejects.toThrow('counts nothing');
  expect(await packed(dir, { rules: 'two' })).toEqual(first);
});

test('nothing of a text is in the file, and a damaged one changes nothing', async () => {
  const first = await packed(dir);
  const file = join(dir, 'text-facts');
  const kept = readFileSync(file);
  expect(kept.length).toBeGreaterThan(1_000);
  expect(kept.toString('latin1')).not.toMatch(/cart|export|ghp_|README/);
  writeFileSync(file, kept.subarray(0, kept.length - 8));
  expect(await packed(dir)).toEqual(first);
  expect(readFileSync(file).length, 'made anew').toBeGreaterThan(1_000);
});

test('a value that became known as secret is taken out of texts that are remembered as clean', async () => {
  const [{ text: before = '' } = {}] = await packed(dir);
  expect(before).toContain('Sum up the cart'.slice(11));
  expect(before).toContain('function sum3(cart)');
  const [{ text = '' } = {}] = await packed(dir, { known: ['function sum3'] });
  expect(text).not.toContain('function sum3(');
  expect(text).toContain('function sum4(');
});
