/** A process that ends soon spends no time on what only a later one would profit from. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

const from = (path: string) => JSON.stringify(join(import.meta.dirname, '../../src', path));
const program = (isShort: boolean, rest: string) => `
  import { endsSoon } from ${from('os/machine/short-lived.ts')};
  import { wordScanner } from ${from('mind/ranking/scan.ts')};
  import { termsOf } from ${from('mind/ranking/terms.ts')};
  const terms = termsOf('parse the token stream');
  if (${isShort}) endsSoon();
  console.log('begun');
  ${rest}`;
const run = (source: string, ...flags: string[]) =>
  promisify(execFile)(process.execPath, [...flags, '--input-type=module', '-e', source], { maxBuffer: 1 << 26 });

/** Functions that V8's last compiler was asked to compile, once each. */
async function compiled(isShort: boolean): Promise<string[]> {
  const source = program(
    isShort,
    `const bytes = new TextEncoder().encode('parse theTokenStream of parser\\n'.repeat(200));
     const other = (n) => { let sum = 0; for (let i = 0; i < 2000; i++) sum += (i * n) % 7; return sum; };
     for (let n = 0; n < 5000; n++) { wordScanner(terms, 1).add(0, bytes); other(n); }`,
  );
  const { stdout, stderr } = await run(source, '--trace-opt');
  // V8 names a flag that it does not know.
  expect(stderr).toBe('');
  // Before that Node read the types away.
  const done = stdout
    .slice(stdout.indexOf('begun'))
    .matchAll(/completed optimizing .*?<JSFunction (\S+?)[ >].*TURBOFAN/g);
  return [...new Set(Array.from(done, ([, name = '']) => name))];
}

test('the slowest compiler is for one loop alone', async () => {
  const [short, long] = [await compiled(true), await compiled(false)];
  expect(short).toEqual(['#walk']);
  expect(long).toEqual(expect.arrayContaining(['#walk', 'other']));
});

test('the words of files are kept by a process that stays', async () => {
  for (const isShort of [true, false]) {
    const dir = mkdtempSync(join(tmpdir(), 'short-lived-'));
    dirs.push(dir);
    const file = join(dir, 'words');
    const source = program(
      isShort,
      `import { WordFile } from ${from('hands/context/word-file.ts')};
       import { countTerms } from ${from('hands/context/pack-words.ts')};
       import { keysOfBlobs } from ${from('mind/ranking/word-pages.ts')};
       const file = { path: 'a', id: 'ab'.repeat(20), bytes: 5, link: false };
       const tree = { scan: async (all, each) => all.forEach((one) => each(one, new TextEncoder().encode('parse'))) };
       const search = { wants: () => false, mayHold: () => [] };
       const looked = { tree, blobs: keysOfBlobs(Buffer.from(file.id, 'hex'), 1), fileAt: () => file, get: () => 0 };
       const words = new WordFile(${JSON.stringify(file)});
       const counts = await countTerms(terms, search, { ...looked, words }, null);
       console.log(counts.totals[0]);`,
    );
    expect((await run(source)).stdout).toBe('begun\n1\n');
    expect(existsSync(file)).toBe(!isShort);
  }
});
