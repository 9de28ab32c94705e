/** In a large repository only the likeliest files are opened where a strategy says so; else all of them. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProjectTree } from '../../src/engine/ports/project-tree.ts';
import { ContentCache } from '../../src/hands/context/content-cache.ts';
import type { PackedContexts } from '../../src/hands/context/pack.ts';
import { GitTrees } from '../../src/hands/context/tree.ts';
import { MOST_OPENED } from '../../src/mind/ranking/likely.ts';
import { type PackAsk, type PackWorld, packWorld } from './pack-world.ts';

const MOST = MOST_OPENED;
const TARGET = 'src/cart/total.ts';
const BESIDE = 'src/cart/price.ts';
const IMPORTED = 'zz/lib/money.ts';
const TOGETHER = 'docs/far.md';
/** Nothing but a word inside of it speaks for this one. */
const WORD_ONLY = 'zz/other/x1.ts';
const COMMITS = 60;
const ALL = 2 * MOST + 5;
let world: PackWorld;
let base: string;

beforeAll(() => {
  const many = Array.from({ length: 2 * MOST }, (_, n) => [`aa/p${n % 9}/q${n}.ts`, `const v${n} = ${n};\n`]);
  world = packWorld({
    [BESIDE]: 'export const rounding = 1;\n',
    [IMPORTED]: 'export const rounding = 2;\n',
    [WORD_ONLY]: "import { total } from '../../src/cart/total.ts';\nexport const rounding = total;\n",
    ...Object.fromEntries(many),
  });
  const commits = Array.from({ length: COMMITS }, (_, n) => {
    const text = `import { rounding } from '../../${IMPORTED}';\nexport const total = rounding * ${n};\n`;
    const blob = (path: string) => `M 100644 inline ${path}\ndata ${text.length}\n${text}\n`;
    const from = n === 0 ? 'from refs/heads/main^0\n' : '';
    return `commit refs/heads/main\ncommitter a <a@b> ${1_700_000_000 + n} +0000\ndata 1\nx\n${from}${blob(TARGET)}${blob(TOGETHER)}`;
  });
  world.feed(commits.join(''), 'fast-import', '--quiet');
  base = world.git('rev-parse', 'main');
});
afterAll(() => world.end());

type Packer = { readonly contexts: PackedContexts; readonly opened: Set<string> };

/** A packer in a process of its own, as far as it can tell, and the files that were looked into for words so far. */
function fresh(dir: string | null = null): Packer {
  const cache = new ContentCache({ dir });
  const trees = new GitTrees({ commonDir: join(world.dir, '.git'), worktree: null, cache });
  const opened = new Set<string>();
  const watched = (tree: ProjectTree): ProjectTree =>
    new Proxy(tree, {
      get(_, name) {
        const value = Reflect.get(tree, name, tree);
        if (name !== 'scan') return typeof value === 'function' ? value.bind(tree) : value;
        return (...[files, each]: Parameters<ProjectTree['scan']>) =>
          tree.scan(files, (file, bytes) => {
            opened.add(file.path);
            each(file, bytes);
          });
      },
    });
  const open: GitTrees['open'] = async (...asked) => watched(await trees.open(...asked));
  return { contexts: world.contexts({ trees: { open }, cache }), opened };
}

const WIDE = { strategy: 'investigator_wide' };
const pack = (by: { contexts: PackedContexts }, context: object = {}, more: PackAsk = {}) =>
  world.pack({ base, text: 'Fix the rounding', targets: [TARGET], context, ...more }, by.contexts);
const pathsOf = ({ parts }: Awaited<ReturnType<typeof pack>>) => parts.flatMap(({ path }) => path ?? []);

test('for changing code: the likeliest, and what is inside of them counts for themselves', async () => {
  const by = fresh();
  const packet = await pack(by);
  expect(by.opened.size).toBe(MOST);
  expect([...by.opened]).toEqual(expect.arrayContaining([TARGET, BESIDE, IMPORTED, TOGETHER]));
  expect(pathsOf(packet)).toEqual(expect.arrayContaining([TARGET, BESIDE, TOGETHER]));
  expect(pathsOf(packet)).not.toContain(WORD_ONLY);
  expect(packet.parts.find(({ path }) => path === BESIDE)?.why).toContain('rounding');
});

test.each(['investigator_wide', 'planner_docset', 'explore', 'reviewer_diff', 'security_audit'])(
  '%s has all of them opened',
  async (strategy) => {
    const by = fresh();
    const packet = await pack(by, { strategy });
    expect(by.opened.size).toBe(ALL);
    if (strategy === 'investigator_wide') expect(pathsOf(packet)).toContain(WORD_ONLY);
  },
);

test('one packer, one after the other: each strategy gets its own', async () => {
  const both = fresh();
  const [narrow, wide] = [await pack(both), await pack(both, WIDE)];
  expect(narrow).toEqual(await pack(fresh()));
  expect(wide).toEqual(await pack(fresh(), WIDE));
});

test('the same packets from what another process stored', async () => {
  const dir = join(world.root, 'stored');
  const packet = await pack(fresh());
  expect(await pack(fresh(dir))).toEqual(packet);
  const again = fresh(dir);
  expect(await pack(again)).toEqual(packet);
  expect(again.opened.size).toBe(MOST);
  expect(await pack(fresh(dir), WIDE)).toEqual(await pack(fresh(), WIDE));
});

test('at a later tree too', async () => {
  const tree = world.git('commit-tree', '-p', base, '-m', 'x', `${base}^{tree}`);
  world.git('read-tree', tree);
  const blob = (text: string) => world.feed(text, 'hash-object', '-w', '--stdin');
  const put = (path: string, text: string) =>
    world.git('update-index', '--add', '--cacheinfo', `100644,${blob(text)},${path}`);
  put('aa/p1/rounding.ts', 'export const rounding = 3;\n');
  put(WORD_ONLY, 'export const rounding = 4;\nexport const more = rounding;\n');
  world.git('update-index', '--force-remove', BESIDE);
  const later = { tree: world.git('write-tree') };
  const kept = fresh();
  await pack(kept);
  const packet = await pack(kept, {}, later);
  expect(packet).toEqual(await pack(fresh(), {}, later));
  const shown = packet.parts.filter(({ kind }) => kind !== 'git_diff').map(({ path }) => path);
  expect(shown).toContain('aa/p1/rounding.ts');
  expect(shown).not.toContain(BESIDE);
});
