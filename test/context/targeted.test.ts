/** A CLI with file tools is told where to look: the likeliest paths, outlines, and only the text that stands out. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PackedContext } from '../../src/mind/context/packed.ts';
import { kindsOf, type PackWorld, packWorld } from './pack-world.ts';

const TARGETED = { strategy: 'implementer_targeted' };
const WORDS = 'cart order price total tax shipping address customer invoice refund stock basket'.split(' ');
const word = (n: number) => WORDS[n % WORDS.length];
const codeOf = (n: number): string =>
  Array.from({ length: 120 }, (_, i) => {
    if (i % 10 === 0) return `export function ${word(n + i)}${i}(items: string[]): number {`;
    return i % 10 === 9 ? '}\n' : `  const ${word(n * 3 + i)}${i} = compute(items, '${word(i)} ${n}', ${i});`;
  }).join('\n');
const SHOP = Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`src/${word(n)}-${n}.ts`, codeOf(n)]));
const ask = {
  text: 'Round the total price of the cart and the order',
  targets: ['src/cart-0.ts'],
  context: TARGETED,
  budget: 25_000,
};

/** The paths of the list, as the worker reads them. */
const listed = ({ text }: PackedContext): string[] => {
  const list = /^<<<(\d+) likely files\n([\s\S]*?)\n\1>>>$/m.exec(text)?.[2] ?? '';
  return list === '' ? [] : list.split('\n');
};
const pathsIn = (packed: PackedContext) => listed(packed).map((line) => line.replace(/ {2}\(.*$/, ''));

describe('in a project of eighty files', () => {
  let world: PackWorld;
  beforeAll(() => {
    world = packWorld(SHOP);
  });
  afterAll(() => world.end());

  test('the target is whole, forty paths follow with reasons, and about 8,000 tokens are enough', async () => {
    const packed = await world.pack(ask);
    expect(packed.parts[0]).toMatchObject({ kind: 'target_file', path: 'src/cart-0.ts', lines: null });
    expect(pathsIn(packed)).toHaveLength(40);
    expect(pathsIn(packed)).not.toContain('src/cart-0.ts');
    expect(listed(packed).filter((line) => !/ {2}\(\S.+\)$/.test(line))).toEqual([]);
    expect(kindsOf(packed)['map']).toHaveLength(1);
    expect(packed.tokens).toBeLessThanOrEqual(8_000);
    // The control: the full packet takes what it gets.
    const full = await world.pack({ ...ask, context: {} });
    expect(full.tokens).toBeGreaterThan(23_000);
    expect(listed(full)).toEqual([]);
  });

  test('the list is ordered as the ranking is: what is shown of the others stands at its top', async () => {
    const packed = await world.pack(ask);
    const shown = kindsOf(packed)['related'] ?? [];
    expect(shown.length).toBeGreaterThan(1);
    expect(shown).toEqual(pathsIn(packed).slice(0, shown.length));
  });

  test('a small budget is never exceeded, and the names go in before the text', async () => {
    for (const budget of [700, 1_500, 3_000, 5_000]) {
      const packed = await world.pack({ ...ask, targets: [], budget });
      expect(packed.tokens).toBeLessThanOrEqual(budget);
      expect(pathsIn(packed).length).toBeGreaterThan(3);
    }
  });

  test('a path that a role or strategy excludes is not even named', async () => {
    const packed = await world.pack({ ...ask, context: { ...TARGETED, exclude: ['src/price-*'] } });
    expect(pathsIn(packed).filter((path) => path.startsWith('src/price-'))).toEqual([]);
    expect(pathsIn(await world.pack(ask)).some((path) => path.startsWith('src/price-'))).toBe(true);
  });

  test('a CLI without file tools gets the full packet, unless a strategy is asked for by name', async () => {
    const blind = { files: false, instructions: [] };
    expect((await world.pack({ ...ask, reading: blind })).strategy).toBe('implementer_full');
    expect((await world.pack({ ...ask, reading: { ...blind, files: true } })).strategy).toBe('implementer_targeted');
    expect((await world.pack({ ...ask, reading: blind, ...TARGETED })).strategy).toBe('implementer_targeted');
  });
});

test('a target longer than that is still whole, and leaves room for the names of others', async () => {
  const long = Array.from({ length: 900 }, (_, i) => `export const price${i} = ${i};`).join('\n');
  const world = packWorld({ ...SHOP, 'src/long.ts': long });
  try {
    const packed = await world.pack({ ...ask, targets: ['src/long.ts'] });
    expect(packed.parts[0]).toMatchObject({ path: 'src/long.ts', lines: null });
    expect(packed.parts[0]?.tokens).toBeGreaterThan(7_000);
    expect(pathsIn(packed)).toHaveLength(40);
    expect(packed.tokens).toBeLessThan((packed.parts[0]?.tokens ?? 0) + 3_300);
  } finally {
    world.end();
  }
});

test('a target that cannot be whole is shown by a few thousand tokens around the words of the task', async () => {
  const lines = Array.from({ length: 2_500 }, (_, i) => `export const price${i} = ${i};`);
  lines[2_000] = 'export const shippingOfRefund = 1;';
  const world = packWorld({ ...SHOP, 'src/long.ts': lines.join('\n') });
  try {
    const packed = await world.pack({ ...ask, text: 'shippingOfRefund is wrong', targets: ['src/long.ts'] });
    expect(packed.parts[0]).toMatchObject({ path: 'src/long.ts', lines: expect.stringMatching(/\d/) });
    expect(packed.parts[0]?.tokens).toBeLessThan(4_300);
    expect(packed.text).toContain('export const shippingOfRefund = 1;');
    const full = await world.pack({ ...ask, targets: ['src/long.ts'], context: {} });
    expect(full.parts[0]?.tokens).toBeGreaterThan(5_000);
  } finally {
    world.end();
  }
});

test('nothing is shown that scores far below the best', async () => {
  const noise = Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => [`lib/other${n}.ts`, `// the cart\nexport const o${n} = ${n};\n`]),
  );
  const world = packWorld({
    'src/cart.ts': "import { rounding } from './rounding.ts';\nexport const total = rounding(1);\n",
    'src/rounding.ts': 'export const rounding = (total: number) => Math.round(total);\n',
    ...noise,
  });
  try {
    const about = { text: 'rounding of the total in the cart', targets: ['src/cart.ts'], budget: 25_000 };
    const packed = await world.pack({ ...about, context: TARGETED });
    expect(kindsOf(packed)['related']).toEqual(['src/rounding.ts']);
    expect(pathsIn(packed)).toContain('lib/other1.ts');
    // Without a floor everything that has one of the words is.
    expect(kindsOf(await world.pack(about))['related']?.length).toBeGreaterThan(10);
  } finally {
    world.end();
  }
});

test('a change log is named and not shown, and hides no other file', async () => {
  const world = packWorld({
    'src/cart.ts': 'export const total = 1;\n',
    'src/rounding.ts': 'export const total = 2;\n',
  });
  try {
    for (let n = 0; n < 8; n++) {
      world.put({ 'CHANGELOG.md': `total ${n} of the cart\n`, 'src/cart.ts': `export const total = ${n};\n` });
      world.commit(`total ${n}`);
    }
    const about = { base: world.git('rev-parse', 'HEAD'), text: 'total of the cart', targets: ['src/cart.ts'] };
    const packed = await world.pack({ ...about, context: TARGETED });
    expect(pathsIn(packed)[0]).toBe('CHANGELOG.md');
    expect(kindsOf(packed)['related']).toEqual(['src/rounding.ts']);
    expect(kindsOf(await world.pack(about))['related']).toContain('CHANGELOG.md');
  } finally {
    world.end();
  }
});

test('a fixture folder has two files named or shown, and the rest left out with the reason', async () => {
  const fixtures = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [
      `test/fixtures/cart-${n % 2}/input${n}.ts`,
      `export const cart${n} = 'total';\n`,
    ]),
  );
  const world = packWorld({ 'src/cart.ts': 'export const total = 1;\n', ...fixtures });
  try {
    const about = { text: 'total of the cart fixtures', targets: ['src/cart.ts'], budget: 25_000 };
    const packed = await world.pack({ ...about, context: TARGETED });
    const folders = (paths: readonly (string | null)[]) =>
      [0, 1].map((n) => paths.filter((path) => path?.startsWith(`test/fixtures/cart-${n}/`)).length);
    expect(folders(pathsIn(packed))).toEqual([2, 2]);
    const full = await world.pack(about);
    expect(folders(kindsOf(full)['related'] ?? [])).toEqual([2, 2]);
    expect(full.left.filter(({ reason }) => reason === 'more than 2 files of one fixture folder')).toHaveLength(8);
  } finally {
    world.end();
  }
});

describe('outlines', () => {
  const many = Array.from({ length: 40 }, (_, n) => `export function step${n}() {\n  return ${n};\n}\n`).join('\n');
  const hidden = 'function roundTotal() {\n  return 0;\n}\n';

  test('of a long file the lines with words of the task come first', async () => {
    const world = packWorld({
      'src/cart.ts': 'export const cart = 1;\n',
      'src/steps.ts': `${many}\n${hidden}`,
      'src/near.ts': `${many}\nexport function nothing() {}\n`,
    });
    try {
      const { text } = await world.pack({ strategy: 'explore', text: 'rounding of totals', targets: ['src/cart.ts'] });
      const outline = /^src\/steps\.ts\n(?: {2}.*\n)+/m.exec(text)?.[0] ?? '';
      expect(outline).toContain('function roundTotal()');
      // Without such words it is one of forty that nobody outside can use.
      const other = await world.pack({ strategy: 'explore', text: 'something else', targets: ['src/cart.ts'] });
      expect(other.text).toContain('src/steps.ts');
      expect(other.text).not.toContain('roundTotal');
    } finally {
      world.end();
    }
  });

  test('without outlines for a language, the worker and the operator see a note', async () => {
    const world = packWorld({
      'lib/cart.rb': 'class Cart\n  def total\n    1\n  end\nend\n',
      'lib/price.rb': 'class Price\nend\n',
      'lib/tax.ts': 'export const tax = 1;\n',
    });
    try {
      const packed = await world.pack({ strategy: 'explore', text: 'total and price of the cart' });
      expect(packed.text).toContain('lib/cart.rb  (no outline: none are made of .rb files)');
      expect(packed.parts.find(({ kind }) => kind === 'map')?.why).toBe(
        'outlines of 3 files; none are made of .rb files',
      );
    } finally {
      world.end();
    }
  });
});

describe('instructions that the CLI reads by itself', () => {
  const files = { 'AGENTS.md': 'Use tabs.\n', 'CLAUDE.md': 'Use tabs.\n', 'src/cart.ts': 'export const total = 1;\n' };
  const packed = async (given: Readonly<Record<string, string>>, instructions: readonly string[]) => {
    const world = packWorld(given);
    try {
      return await world.pack({ ...ask, targets: ['src/cart.ts'], reading: { files: true, instructions } });
    } finally {
      world.end();
    }
  };

  test('are left out for it, with the reason, and so is the same text under another name', async () => {
    const one = await packed(files, ['CLAUDE.md']);
    expect(kindsOf(one)['knowledge']).toBeUndefined();
    expect(one.left).toContainEqual({ path: 'CLAUDE.md', kind: 'knowledge', reason: 'the CLI reads it by itself' });
    expect(one.left).toContainEqual({ path: 'AGENTS.md', kind: 'knowledge', reason: 'is the same as CLAUDE.md' });
  });

  test('are sent to one that reads another file', async () => {
    const other = { ...files, 'AGENTS.md': 'Use spaces.\n' };
    expect(kindsOf(await packed(other, ['CLAUDE.md']))['knowledge']).toEqual(['AGENTS.md']);
    expect(kindsOf(await packed(other, []))['knowledge']?.toSorted()).toEqual(['AGENTS.md', 'CLAUDE.md']);
  });

  test('are shown where the task is about them', async () => {
    const world = packWorld(files);
    try {
      const reading = { files: true, instructions: ['AGENTS.md'] };
      expect(kindsOf(await world.pack({ ...ask, targets: ['AGENTS.md'], reading }))['target_file']).toEqual([
        'AGENTS.md',
      ]);
    } finally {
      world.end();
    }
  });
});
