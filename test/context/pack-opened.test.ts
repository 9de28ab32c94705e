/** In a large repository only the likeliest files are opened; who must see everything has everything opened. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GitTrees } from '../../src/hands/context/tree.ts';
import { mostOpened } from '../../src/mind/ranking/likely.ts';
import { type PackWorld, packWorld } from './pack-world.ts';

const MOST = mostOpened(0);
const TARGET = 'src/cart/total.ts';
const BESIDE = 'src/cart/price.ts';
const TOGETHER = 'docs/far.md';
/** Nothing but a word inside of it speaks for this one. */
const WORD_ONLY = 'zz/other/x1.ts';
const COMMITS = 60;
let world: PackWorld;
let base: string;

beforeAll(() => {
  const many = Array.from({ length: 2 * MOST }, (_, n) => [`aa/p${n % 9}/q${n}.ts`, `const v${n} = ${n};\n`]);
  world = packWorld({
    [TARGET]: 'export const total = 1;\n',
    [BESIDE]: 'export const rounding = 1;\n',
    [TOGETHER]: 'How rounding works\n',
    [WORD_ONLY]: "import { total } from '../../src/cart/total.ts';\nexport const rounding = total;\n",
    ...Object.fromEntries(many),
  });
  const commits = Array.from({ length: COMMITS }, (_, n) => {
    const blob = (path: string) => `M 100644 inline ${path}\ndata <<E\nexport const total = ${n};\nE\n`;
    const from = n === 0 ? 'from refs/heads/main^0\n' : '';
    return `commit refs/heads/main\ncommitter a <a@b> ${1_700_000_000 + n} +0000\ndata 1\nx\n${from}${blob(TARGET)}${blob(TOGETHER)}`;
  });
  world.feed(commits.join(''), 'fast-import', '--quiet');
  base = world.git('rev-parse', 'main');
});
afterAll(() => world.end());

/** The packet, and how many files were looked into for words. */
async function packed(context: object, cacheDir: string | null = null) {
  const trees = new GitTrees({ commonDir: join(world.dir, '.git'), worktree: null });
  let opened = 0;
  const counting = {
    open: async (...asked: Parameters<GitTrees['open']>) => {
      const tree = await trees.open(...asked);
      return new Proxy(tree, {
        get(own, name) {
          if (name === 'scan')
            return (files: Parameters<typeof tree.scan>[0], each: Parameters<typeof tree.scan>[1]) =>
              tree.scan(files, (file, bytes) => {
                opened += 1;
                each(file, bytes);
              });
          const value = Reflect.get(own, name, own);
          return typeof value === 'function' ? value.bind(own) : value;
        },
      });
    },
  };
  const contexts = world.contexts({ trees: counting, cacheDir });
  const packet = await world.pack({ base, text: 'Fix the rounding', targets: [TARGET], context }, contexts);
  return { opened, packet, paths: packet.parts.flatMap(({ path }) => path ?? []) };
}

test('for changing code: the likeliest, and they are enough', async () => {
  const { opened, paths } = await packed({});
  expect(opened).toBe(MOST);
  expect(paths).toEqual(expect.arrayContaining([TARGET, BESIDE, TOGETHER]));
  expect(paths).not.toContain(WORD_ONLY);
});

test('who asks for all that depends on a file has all of them opened', async () => {
  const { opened, paths } = await packed({ strategy: 'investigator_wide' });
  expect(opened).toBeGreaterThan(2 * MOST);
  expect(paths).toContain(WORD_ONLY);
});

test('the same packet from what is kept, and nothing is opened again for its words', async () => {
  const cacheDir = join(world.root, 'kept');
  const first = await packed({}, cacheDir);
  const again = await packed({}, cacheDir);
  expect(first.opened).toBe(MOST);
  expect(again.opened).toBeLessThan(MOST);
  expect(again.packet).toEqual(first.packet);
  expect(first.packet).toEqual((await packed({})).packet);
  // What was kept of some does not keep the others from being looked into.
  const wide = await packed({ strategy: 'investigator_wide' }, cacheDir);
  expect(wide.packet).toEqual((await packed({ strategy: 'investigator_wide' })).packet);
});
