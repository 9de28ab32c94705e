/** In a large repository only the likeliest files are opened where a strategy says so; else all of them. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProjectTree } from '../../src/engine/ports/project-tree.ts';
import type { PackedContexts } from '../../src/hands/context/pack.ts';
import { GitTrees } from '../../src/hands/context/tree.ts';
import { MOST_OPENED } from '../../src/mind/ranking/likely.ts';
import { type Aside, meanwhile } from '../../src/os/machine/aside.ts';
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

type Packer = { readonly contexts: PackedContexts; readonly opened: Set<string>; looks: number };

/** A packer in a process of its own, as far as it can tell, and the files that were looked into for words so far. */
function fresh(cacheDir: string | null = null, aside = meanwhile): Packer {
  const trees = new GitTrees({ commonDir: join(world.dir, '.git'), worktree: null, cacheDir });
  const opened = new Set<string>();
  const watched = (tree: ProjectTree): ProjectTree =>
    new Proxy(tree, {
      get(_, name) {
        const value = Reflect.get(tree, name, tree);
        if (name !== 'scan') return typeof value === 'function' ? value.bind(tree) : value;
        return (...[files, each, over]: Parameters<ProjectTree['scan']>) =>
          tree.scan(
            files,
            (file, bytes) => {
              opened.add(file.path);
              own.looks += 1;
              each(file, bytes);
            },
            over,
          );
      },
    });
  const open: GitTrees['open'] = async (...asked) => watched(await trees.open(...asked));
  const own: Packer = { contexts: world.contexts({ trees: { open }, cacheDir, aside }), opened, looks: 0 };
  return own;
}

const from = (path: string) => JSON.stringify(join(import.meta.dirname, '../..', path));
const run = promisify(execFile);

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

test('the same packet from what is kept; who keeps words keeps those of all files', async () => {
  const cacheDir = join(world.root, 'kept');
  const [first, again, wide] = [fresh(cacheDir), fresh(cacheDir), fresh(cacheDir)];
  const packet = await pack(first);
  expect(await pack(again)).toEqual(packet);
  expect(packet).toEqual(await pack(fresh()));
  expect([first.opened.size, again.opened.size < MOST / 2]).toEqual([ALL, true]);
  expect(await pack(wide, WIDE)).toEqual(await pack(fresh(), WIDE));
  expect(wide.opened.size).toBeLessThan(MOST / 2);
});

test('the packet comes first: the words of all other files are kept beside what follows, once', async () => {
  const cacheDir = join(world.root, 'beside');
  const works: Parameters<Aside>[0][] = [];
  const by = fresh(cacheDir, async (work) => void works.push(work));
  const packet = await pack(by);
  expect(packet).toEqual(await pack(fresh()));
  expect([by.opened.size, works.length]).toEqual([MOST, 1]);
  await pack(by, {}, { text: 'Fix the total' });
  by.looks = 0;
  await Promise.all(works.map((work) => work(null)));
  expect([by.looks, by.opened.size, works.length]).toEqual([ALL, ALL, 2]);
  const again = fresh(cacheDir);
  expect(await pack(again)).toEqual(packet);
  expect(again.opened.size).toBeLessThan(MOST / 2);
});

test('when it is over, what was read until then is kept', async () => {
  const cacheDir = join(world.root, 'stopped');
  const works: Parameters<Aside>[0][] = [];
  const by = fresh(cacheDir, async (work) => void works.push(work));
  await pack(by);
  const end = new AbortController();
  const isEnough = () => by.opened.size > MOST + 100;
  const add = by.opened.add.bind(by.opened);
  by.opened.add = (path) => {
    if (isEnough()) end.abort();
    return add(path);
  };
  await expect(works[0]?.(end.signal)).rejects.toThrow('abort');
  expect(by.opened.size).toBeLessThan(ALL);
  const wide = fresh(cacheDir);
  expect(await pack(wide, WIDE)).toEqual(await pack(fresh(), WIDE));
  expect(wide.opened.size).toBeGreaterThan(MOST / 2);
  expect(wide.opened.size).toBeLessThan(ALL - 100);
});

test('the same packet by a process that ends soon, from all that is kept, from a part of it and from nothing', async () => {
  const part = join(world.root, 'part');
  await pack(fresh(part), {}, { base: world.git('rev-parse', `${base}~${COMMITS}`), targets: [] });
  const program = `
    import { endsSoon } from ${from('src/os/machine/short-lived.ts')};
    import { implementerPacks } from ${from('bench/implementer.ts')};
    const [isShort, cacheDir] = process.argv.slice(1);
    if (isShort === 'true') endsSoon();
    const places = { commonDir: ${JSON.stringify(join(world.dir, '.git'))}, worktree: null };
    const pack = implementerPacks({ ...places, strategies: ${from('templates/strategies')}, cacheDir: cacheDir || null });
    const task = { base: '${base}', text: 'Fix the rounding', target: '${TARGET}', seed: 'one' };
    console.log(JSON.stringify(await pack(task)));`;
  const packed = async (isShort: boolean, cacheDir = '') =>
    (await run(process.execPath, ['--input-type=module', '-e', program, `${isShort}`, cacheDir])).stdout;
  const right = await packed(false);
  expect(JSON.parse(right).parts.length).toBeGreaterThan(3);
  for (const cacheDir of ['', join(world.root, 'empty'), part, join(world.root, 'kept')])
    expect(await packed(true, cacheDir), cacheDir).toBe(right);
  expect(existsSync(join(world.root, 'empty', 'text-facts'))).toBe(true);
  expect(existsSync(join(world.root, 'empty', 'words'))).toBe(false);
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
