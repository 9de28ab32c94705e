import { symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProjectTree, ProjectTrees } from '../../src/engine/ports/project-tree.ts';
import { PatternRefused } from '../../src/mind/context/variables.ts';
import { counter, kindsOf, type PackWorld, packWorld, roleWith, strategyOf } from './pack-world.ts';

const FILES = {
  'README.md': '# Shop\nSells things.\n',
  'AGENTS.md': 'Use tabs.\n',
  'CLAUDE.md': 'Use tabs.\n',
  'packages/other/AGENTS.md': 'Only for the other package.\n',
  'docs/ADRs/0001.md': '# We use SQL\n',
  'docs/STANDARDS/STYLE.md': '# Style\nNo abbreviations.\n',
  'src/cart.ts':
    "import { price } from './price.ts';\n\nexport function total(items: string[]): number {\n  return items.reduce((sum, one) => sum + price(one), helper());\n}\n\nfunction helper(): number {\n  return SECRETLY;\n}\n\nconst SECRETLY = 0;\n",
  'src/price.ts':
    "import { rate } from './tax.ts';\nexport const price = (name: string): number => name.length * rate;\n",
  'src/tax.ts': 'export const rate = 1.2;\n',
  'src/checkout.ts': "import { total } from './cart.ts';\nexport const pay = (items: string[]) => total(items);\n",
  'src/types.ts': 'export interface Item {\n  readonly name: string;\n}\n',
  'src/logo.png': new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 1, 2]),
  'test/cart.test.ts': "import { total } from '../src/cart.ts';\ntest('total', () => total([]));\n",
  'package.json': '{ "name": "shop" }\n',
  'package-lock.json': `{ "lockfileVersion": 3, "packages": {} }\n`,
};

let world: PackWorld;
beforeAll(() => {
  world = packWorld(FILES);
});
afterAll(() => world.end());

test('a full packet has the file of the task, what it imports, its tests, and what is known of the project', async () => {
  const packed = await world.pack({ targets: ['src/cart.ts'], text: 'Round the total of the cart' });
  const kinds = kindsOf(packed);
  expect(kinds['target_file']).toEqual(['src/cart.ts']);
  expect(kinds['imports']).toEqual(['src/price.ts']);
  expect(kinds['tests']).toEqual(['test/cart.test.ts']);
  // The agents' file of another directory is of no use here, and the same text twice neither.
  expect(kinds['knowledge']).toEqual(['AGENTS.md']);
  expect(kinds['related']).toContain('src/checkout.ts');
  const all = packed.parts.flatMap(({ kind, path }) => (kind === 'git_diff' || path === null ? [] : [path]));
  expect(new Set(all).size).toBe(all.length);
  expect(packed.text).toContain("import { price } from './price.ts';");
  expect((await counter())(packed.text)).toBe(packed.tokens);
  expect(packed.strategy).toBe('implementer_full');
});

test('a planner gets the documents, the tree and a map, and little code', async () => {
  const packed = await world.pack({ strategy: 'planner_docset', text: 'Plan discounts' });
  const kinds = kindsOf(packed);
  expect(kinds['files']?.toSorted()).toEqual(['README.md', 'docs/ADRs/0001.md']);
  expect(packed.text).toMatch(/tree of the project\n[\s\S]*src\/\n {2}cart\.ts/);
  expect(packed.text).toMatch(/outlines\n[\s\S]*src\/\w+\.ts\n {2}\d+ export/);
  expect(kinds['git_diff']).toBeUndefined();
});

test('explore gives a map and nothing else', async () => {
  const packed = await world.pack({ strategy: 'explore', targets: ['src/cart.ts'], text: 'Round the total' });
  expect(packed.parts.map(({ kind }) => kind)).toEqual(['map']);
});

test('a security auditor gets what keys and dependencies are about', async () => {
  const kinds = kindsOf(await world.pack({ strategy: 'security_audit', text: 'Audit' }));
  expect(kinds['files']).toContain('package.json');
});

test('an investigator gets more hops', async () => {
  const kinds = kindsOf(await world.pack({ strategy: 'investigator_wide', targets: ['src/cart.ts'], text: 'zzz' }));
  const [near, wide] = [kinds['imports'] ?? [], kinds['related'] ?? []];
  expect([...near, ...wide]).toEqual(expect.arrayContaining(['src/price.ts', 'src/tax.ts', 'src/checkout.ts']));
});

describe('after a change', () => {
  let tree: string;
  beforeAll(() => {
    writeFileSync(join(world.dir, 'src/cart.ts'), `${FILES['src/cart.ts']}export const VAT = 19;\n`);
    unlinkSync(join(world.dir, 'src/tax.ts'));
    writeFileSync(join(world.dir, 'src/new.ts'), 'export const fresh = 1;\n');
    writeFileSync(join(world.dir, '.env'), 'KEY=hunter2\n');
    tree = world.written();
  });

  test('a reviewer gets the diff, the new versions, the standards, and who depends on what changed', async () => {
    const packed = await world.pack({ strategy: 'reviewer_diff', tree, text: 'Add VAT' });
    const kinds = kindsOf(packed);
    expect(kinds['git_diff']).toEqual(['src/cart.ts', 'src/new.ts', 'src/tax.ts']);
    // The diff of a new file is all of it.
    expect(kinds['changed_files']).toEqual(['src/cart.ts']);
    expect(kinds['files']).toEqual(['docs/STANDARDS/STYLE.md']);
    expect(kinds['imports']).toContain('src/checkout.ts');
    expect(kinds['tests']).toEqual(['test/cart.test.ts']);
    expect(packed.parts.find(({ path }) => path === 'src/checkout.ts')?.why).toBe('imports src/cart.ts');
    expect(packed.text).toContain('+export const VAT = 19;');
    expect(packed.text).toContain('-export const rate = 1.2;');
  });

  test('a secret file in the diff is left out, and named', async () => {
    const packed = await world.pack({ strategy: 'reviewer_diff', tree });
    expect(packed.text).not.toContain('hunter2');
    expect(packed.left).toContainEqual({ path: '.env', kind: 'git_diff', reason: expect.stringContaining('secrets') });
    // Without the list it is there: git shows it.
    expect(world.git('diff', 'HEAD', tree)).toContain('hunter2');
  });

  test('an implementer who comes back sees what there is so far', async () => {
    const kinds = kindsOf(await world.pack({ tree, targets: ['src/cart.ts'], context: { git_diff: true } }));
    expect(kinds['git_diff']).toEqual(['src/cart.ts', 'src/new.ts', 'src/tax.ts']);
    expect(kinds['target_file']).toEqual(['src/cart.ts']);
  });
});

describe('variables', () => {
  const mine = 'name: mine\ndescription: d\ntoken_budget: 9000\nparts: {}\n';
  const contexts = () => world.contexts({ strategies: () => strategyOf('mine', mine) });

  test.each([
    ['$TARGET', { target_file: ['src/cart.ts'] }],
    ['$TARGET_IMPORTS', { imports: ['src/price.ts'] }],
    ['$INTERFACE_DEFINITIONS', { interfaces: ['src/types.ts'] }],
    ['docs/**', { files: ['docs/STANDARDS/STYLE.md', 'docs/ADRs/0001.md'] }],
  ])('%s', async (variable, expected) => {
    const ask = { targets: ['src/cart.ts'], text: 'Item types of the cart', context: { include: [variable] } };
    const kinds = kindsOf(await world.pack(ask, contexts()));
    for (const list of Object.values(kinds)) list.sort();
    for (const list of Object.values(expected)) list.sort();
    expect(kinds).toEqual(expected);
  });

  test('$IMPLEMENTATION_INTERNALS: the component is shown by its public API alone', async () => {
    const context = { include: ['$TARGET', '$COMPONENT_PUBLIC_API'], exclude: ['$IMPLEMENTATION_INTERNALS'] };
    const packed = await world.pack({ targets: ['src/cart.ts'], context }, contexts());
    expect(packed.text).toContain('export function total(items: string[]): number');
    expect(packed.text).not.toMatch(/SECRETLY|reduce/);
    const whole = packed.parts.filter(({ lines }) => lines !== 'public API');
    // Definitions of interfaces are no internals.
    expect(whole.map(({ path }) => path)).toEqual(['src/types.ts']);
    expect(packed.parts.map(({ path }) => path)).toEqual(expect.arrayContaining(['src/cart.ts', 'src/price.ts']));
    const open = await world.pack({ targets: ['src/cart.ts'], context: { include: ['$TARGET'] } }, contexts());
    expect(open.text).toContain('SECRETLY');
  });

  test('an excluded file is left out, and named', async () => {
    const packed = await world.pack(
      { targets: ['src/cart.ts'], context: { include: ['$TARGET'], exclude: ['src/**'] } },
      contexts(),
    );
    expect(packed.parts).toEqual([]);
    expect(packed.left).toEqual([
      { path: 'src/cart.ts', kind: 'target_file', reason: expect.stringContaining('excluded') },
    ]);
  });
});

test('a protected part is whole and in, over budget with a warning; no other part is', async () => {
  const context = { always_include: ['src/cart.ts', 'missing.md'] };
  const packed = await world.pack({ budget: 20, targets: ['src/price.ts'], context });
  expect(kindsOf(packed)).toEqual({ always_include: ['src/cart.ts'] });
  expect(packed.text).toContain('const SECRETLY = 0;');
  expect(packed.tokens).toBeGreaterThan(20);
  expect(packed.warnings).toEqual([expect.stringContaining('sent anyway')]);
  expect(packed.left).toContainEqual({ path: 'missing.md', kind: 'always_include', reason: 'is not in the tree' });
});

test('binary and generated files are left out, and so is what is not there', async () => {
  const packed = await world.pack({
    targets: ['src/logo.png', 'src/new.ts'],
    context: { include: ['package-lock.json'] },
  });
  expect(packed.left).toEqual(
    expect.arrayContaining([
      { path: 'src/logo.png', kind: 'target_file', reason: 'is binary' },
      { path: 'src/new.ts', kind: 'target_file', reason: 'is not in the tree' },
      { path: 'package-lock.json', kind: 'files', reason: 'is a lock file' },
    ]),
  );
});

test('a directory or a pattern may be the target', async () => {
  const kinds = kindsOf(await world.pack({ targets: ['docs/ADRs', 'src/t*.ts'] }));
  expect(kinds['target_file']).toEqual(['docs/ADRs/0001.md', 'src/tax.ts', 'src/types.ts']);
});

test('the factor of a model makes the budget smaller', async () => {
  const ask = { targets: ['src/cart.ts'], text: 'cart total price', budget: 700 };
  const [one, more] = [await world.pack(ask), await world.pack({ ...ask, factor: 1.5 })];
  expect(more.tokens).toBeLessThanOrEqual(700);
  expect(more.parts.length).toBeLessThan(one.parts.length);
  expect(Math.ceil((await counter())(more.text) * 1.5)).toBe(more.tokens);
});

test('bytes that are no UTF-8 survive as replacement characters', async () => {
  const own = packWorld({ 'a.py': Buffer.from('name = "\xff\xfe"\nrest = 1\n', 'latin1') });
  try {
    const { text } = await own.pack({ targets: ['a.py'] });
    expect(text).toContain('name = "\ufffd\ufffd"\nrest = 1');
  } finally {
    own.end();
  }
});

describe('nothing outside of the repository gets in (UI-13)', () => {
  test.each(['../../../etc/passwd', '/etc/*', '~/.ssh/*', 'src/../../x'])(
    '%s is refused, and named',
    async (pattern) => {
      for (const list of ['include', 'exclude', 'always_include'] as const) {
        const packing = world.pack({ context: { [list]: [pattern] } });
        await expect(packing).rejects.toThrow(PatternRefused);
        await expect(packing).rejects.toThrow(JSON.stringify(pattern));
      }
      // As a file of the task it is just a name that is not there.
      const { parts, text } = await world.pack({ strategy: 'implementer_targeted', targets: [pattern] });
      expect(parts.filter(({ kind }) => kind === 'target_file')).toEqual([]);
      expect(text).not.toContain('root:x:0');
    },
  );

  test('a link is named and never followed', async () => {
    const own = packWorld({ 'a.ts': 'let a;\n' });
    try {
      own.put({ '../outside.txt': 'from outside\n' });
      symlinkSync('/etc/passwd', join(own.dir, 'link.ts'));
      symlinkSync('..', join(own.dir, 'up'));
      own.commit('links');
      const base = own.git('rev-parse', 'HEAD');
      const context = { always_include: ['link.ts'], include: ['up/outside.txt', 'up/**', '*.ts'] };
      const packed = await own.pack({ base, targets: ['link.ts', 'up/outside.txt'], context });
      expect(packed.left).toContainEqual({
        path: 'link.ts',
        kind: 'always_include',
        reason: expect.stringContaining('link'),
      });
      expect(packed.text).toContain('let a;');
      expect(packed.text).not.toMatch(/root:|from outside/);
      // A file that is there under that name is shown.
      unlinkSync(join(own.dir, 'link.ts'));
      own.put({ 'link.ts': 'let link;\n' });
      expect((await own.pack({ tree: own.written(), base, context })).text).toContain('let link;');
    } finally {
      own.end();
    }
  });
});

test('the second packet of a task reads nothing again', async () => {
  const calls: string[] = [];
  const texts: number[] = [];
  const watched = (trees: ProjectTrees): ProjectTrees => ({
    open: async (...args) => {
      const tree = await trees.open(...args);
      const told =
        <A extends unknown[], R>(name: string, work: (...given: A) => R) =>
        (...given: A): R => {
          if (!Array.isArray(given[0]) || given[0].length > 0) calls.push(name);
          return work(...given);
        };
      const watching: ProjectTree = {
        id: tree.id,
        commit: tree.commit,
        listing: () => tree.listing(),
        read: told('read', (paths, most) => tree.read(paths, most)),
        scan: told('scan', (files, each) => tree.scan(files, each)),
        history: (limit) => tree.history(limit),
        diff: (from, most) => tree.diff(from, most),
      };
      return watching;
    },
  });
  const contexts = world.contexts({
    trees: watched(world.trees()),
    redact: async (all) => {
      texts.push(...all.map(({ length }) => length));
      return all;
    },
  });
  const ask = { targets: ['src/cart.ts'], text: 'Round the total of the cart' };
  const first = await world.pack(ask, contexts);
  expect(calls).toContain('scan');
  calls.length = 0;
  texts.length = 0;
  const second = await world.pack({ ...ask, seed: 'other' }, contexts);
  expect(second.parts).toEqual(first.parts.map((part) => ({ ...part, tokens: expect.any(Number) })));
  // The imports of the targets are followed in what the tree remembers.
  expect(calls.filter((name) => name === 'scan')).toEqual([]);
  expect(texts).toEqual([]);
});

test('two packets have different marks', async () => {
  const marks = async (seed: string) => (await world.pack({ targets: ['src/cart.ts'], seed })).text.match(/<<<\w+/g);
  expect(await marks('one')).not.toEqual(await marks('two'));
  expect(await marks('one')).toEqual(await marks('one'));
});

test('packing stops when its caller has gone', async () => {
  const stop = new AbortController();
  const contexts = world.contexts({
    redact: async (texts) => {
      stop.abort(new Error('no longer'));
      return texts;
    },
  });
  const ask = {
    role: roleWith({}),
    base: world.git('rev-parse', 'HEAD'),
    tree: null,
  };
  const packing = contexts.pack(
    { ...ask, text: 'cart', targets: ['src/cart.ts'], budget: 900, factor: 1, seed: 's' },
    stop.signal,
  );
  await expect(packing).rejects.toThrow('no longer');
});

describe('the component alone', () => {
  const shown = async (componentOnly: boolean, targets: string[]) => {
    const { parts, left } = await world.pack({ text: 'Round the total of the cart', targets, componentOnly });
    return { paths: parts.map(({ path }) => path), left };
  };

  test('shows no code of others, but interfaces, tests of its own and what is known of the project', async () => {
    const own = packWorld({
      ...FILES,
      'billing/cart.ts': 'export const cart = 1;\n',
      'billing/types.ts': 'export interface Bill { total: number }\n',
    });
    try {
      const ask = { text: 'Round the total of the cart', targets: ['src/cart.ts'] };
      const paths = async (componentOnly: boolean) =>
        (await own.pack({ ...ask, componentOnly })).parts.map(({ path }) => path);
      expect(await paths(false)).toContain('billing/cart.ts');
      const only = await paths(true);
      expect(only).toEqual(
        expect.arrayContaining(['src/cart.ts', 'src/price.ts', 'test/cart.test.ts', 'AGENTS.md', 'billing/types.ts']),
      );
      expect(only).not.toContain('billing/cart.ts');
      const { left } = await own.pack({ ...ask, componentOnly: true });
      expect(left.find(({ path }) => path === 'billing/cart.ts')?.reason).toContain('outside of the component');
    } finally {
      own.end();
    }
  });

  test('is everything where nothing says what the component is', async () => {
    expect((await shown(true, [])).paths).toEqual((await shown(false, [])).paths);
  });
});
