import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import '../../support/property-seed.ts';
import { Fit, type FitOptions, type Fitted, type Offer } from '../../../src/mind/context/fit.ts';
import { excerptText, linesText, renderParts, wrapPart } from '../../../src/mind/context/render.ts';
import { PART_KINDS, type PartKind } from '../../../src/mind/fields/part-kinds.ts';
import { loadCounter } from '../../../src/mind/tokens/count.ts';
import { estimateTokens } from '../../../src/mind/tokens/estimate.ts';

const fitParts = (offers: readonly Offer[], asked: FitOptions): Fitted => new Fit(asked).add(offers).end();

let count: (text: string) => number;
beforeAll(async () => {
  count = await loadCounter();
});

const PROTECTED: ReadonlySet<PartKind> = new Set(['always_include']);

function told(budget: number, more: Partial<FitOptions> = {}): FitOptions {
  return {
    budget,
    protectedKinds: PROTECTED,
    order: PART_KINDS,
    shares: new Map(),
    count,
    estimate: estimateTokens,
    wrap: (part) => wrapPart(part, 'seed'),
    render: (parts, left) => renderParts(parts, left, 'seed'),
    ...more,
  };
}

function offer(kind: PartKind, path: string, text: string, more: Partial<Offer> = {}): Offer {
  const common = { kind, path, text, score: 0, why: 'because', lines: null, most: Number.POSITIVE_INFINITY };
  return { ...common, shrink: null, ...more };
}

/** The first lines, as many as the estimate allows. */
const headOf = (text: string) => (room: number) => {
  const lines = text.split('\n');
  let taken = 0;
  for (let used = 12; taken < lines.length; taken++) {
    used += estimateTokens(`${lines[taken]}\n`);
    if (used > room) break;
  }
  const ranges = [{ from: 1, to: taken }];
  return taken === 0 ? null : { text: excerptText(text, ranges), lines: linesText(ranges) };
};

const codeOf = (lines: number, word = 'value'): string =>
  Array.from({ length: lines }, (_, n) => `const ${word}${n} = compute(${n}, '${word}');`).join('\n');
const pathsOf = ({ parts }: Fitted) => parts.map(({ path }) => path);
const soundly = (fitted: Fitted, budget: number) => {
  expect(count(fitted.text)).toBe(fitted.tokens);
  expect(fitted.tokens).toBeLessThanOrEqual(budget);
};

describe('acceptance criteria of Task 4', () => {
  test('Token estimation works correctly', () => {
    // The estimate only orders the work; what is promised is counted by the tokeniser itself.
    const text = codeOf(400);
    expect(Math.abs(estimateTokens(text) - count(text)) / count(text)).toBeLessThan(0.3);
    const wrong = fitParts(
      [offer('files', 'a.ts', text), offer('files', 'b.ts', text)],
      told(9_000, { estimate: () => 1 }),
    );
    soundly(wrong, 9_000);
    expect(wrong.parts).toHaveLength(1);
  });

  test('Context fits within budget', () => {
    const all = Array.from({ length: 40 }, (_, n) => offer('related', `src/f${n}.ts`, codeOf(60, `f${n}`)));
    const fitted = fitParts(all, told(5_000));
    soundly(fitted, 5_000);
    // It is full: another file of this size would not have fitted.
    expect(fitted.tokens).toBeGreaterThan(3_500);
    expect(fitted.parts.length + fitted.left.length).toBe(40);
    // Without a budget all of it is sent, which is much more.
    expect(fitParts(all, told(1e9)).tokens).toBeGreaterThan(20_000);
  });

  test('Lower priority items are dropped first', () => {
    const all = PART_KINDS.filter((kind) => kind !== 'map' && kind !== 'tree').map((kind) =>
      offer(kind, `${kind}.ts`, codeOf(50)),
    );
    for (const budget of [1_500, 3_000, 5_000, 8_000]) {
      const fitted = fitParts([...all].reverse(), told(budget));
      soundly(fitted, budget);
      // What got in is a beginning of the order, and what was left out is the rest.
      expect(pathsOf(fitted)).toEqual(all.slice(0, fitted.parts.length).map(({ path }) => path));
      expect(fitted.left.map(({ path }) => path)).toEqual(all.slice(fitted.parts.length).map(({ path }) => path));
    }
    const upside = { order: [...PART_KINDS].reverse() };
    expect(pathsOf(fitParts(all, told(1_500, upside)))).toEqual(['always_include.ts', 'files.ts']);
  });

  test('among files of one kind, those with the lower score are dropped first', () => {
    const all = [1, 5, 3, 4, 2].map((score) => offer('related', `score${score}.ts`, codeOf(50), { score }));
    expect(pathsOf(fitParts(all, told(1_700)))).toEqual(['score5.ts', 'score4.ts']);
  });

  test('Truncation notice is added when needed', () => {
    const text = codeOf(300);
    const cut = fitParts(
      [offer('target_file', 'a.ts', text, { shrink: headOf(text) }), offer('files', 'b.ts', codeOf(900))],
      told(2_000),
    );
    soundly(cut, 2_000);
    const missing = 300 - Number(cut.parts[0]?.lines?.split('-')[1]);
    expect(missing).toBeGreaterThan(0);
    expect(cut.text).toContain(`[…] ${missing} lines left out`);
    expect(cut.text).toMatch(/\[…\] 1 file was left out of this context[\s\S]*b\.ts/);
    const before = [{ path: 'c.ts', kind: 'related' as const, reason: 'no room left in the budget' }];
    expect(fitParts([offer('target_file', 'a.ts', text)], told(20_000, { before })).text).toContain('c.ts');
    const all = fitParts([offer('target_file', 'a.ts', text)], told(20_000));
    expect(all.text).not.toContain('[…]');
  });

  // Here: the kind `target_file`, of which each part is one file with its path.
  test('`_pack_target_files` method works correctly', () => {
    const all = [
      offer('target_file', 'src/a.ts', 'let a;\n'),
      offer('target_file', 'src/b c.ts', 'let b;\n'),
      offer('tree', 'x', 'src/'),
    ];
    const { text, parts } = fitParts(all, told(1_000));
    expect(parts.map(({ kind, path }) => [kind, path])).toEqual([
      ['target_file', 'src/a.ts'],
      ['target_file', 'src/b c.ts'],
      ['tree', 'x'],
    ]);
    expect(text).toMatch(
      /^### Files the task is about\n\n<<<(\w+) file src\/a\.ts\nlet a;\n\n\1>>>\n\n<<<(\w+) file src\/b c\.ts\nlet b;\n/,
    );
  });

  test('`always_include` files are NEVER pruned (protected)', () => {
    const big = offer('always_include', 'limits.py', codeOf(500));
    for (const budget of [0, 100, 2_000]) {
      const fitted = fitParts([offer('target_file', 'a.ts', 'let a;'), big], told(budget));
      expect(pathsOf(fitted)).toContain('limits.py');
      expect(fitted.text).toContain('const value499 = compute');
      expect(fitted.warnings).toEqual([expect.stringMatching(/protected files.*alone need \d+ tokens/)]);
      // Only what is protected may be over the budget.
      expect(pathsOf(fitted)).not.toContain('a.ts');
    }
    // The same file, not protected, is pruned.
    expect(pathsOf(fitParts([{ ...big, kind: 'files' }], told(2_000)))).toEqual([]);
    expect(fitParts([big], told(20_000)).warnings).toEqual([]);
  });

  test('Existing `_pack_with_budget` logic verified working', () => {
    const parts = [
      offer('always_include', 'must.py', codeOf(20)),
      offer('target_file', 't.py', codeOf(20)),
      offer('related', 'r.py', codeOf(20)),
    ];
    // Everything, when it fits; then without the least needed; then only what is protected.
    expect(pathsOf(fitParts(parts, told(5_000)))).toEqual(['must.py', 't.py', 'r.py']);
    expect(pathsOf(fitParts(parts, told(750)))).toEqual(['must.py', 't.py']);
    expect(pathsOf(fitParts(parts, told(300)))).toEqual(['must.py']);
  });
});

test('a kind takes no more than its share', () => {
  const all = Array.from({ length: 30 }, (_, n) => offer('git_diff', `d${n}.ts`, codeOf(20, `d${n}`)));
  const fitted = fitParts(
    [...all, offer('related', 'r.ts', codeOf(60))],
    told(6_000, { shares: new Map([['git_diff', 0.3]]) }),
  );
  const used = fitted.parts.filter(({ kind }) => kind === 'git_diff').reduce((sum, { tokens }) => sum + tokens, 0);
  expect(used).toBeLessThanOrEqual(1_800);
  expect(used).toBeGreaterThan(1_000);
  expect(pathsOf(fitted)).toContain('r.ts');
  expect(fitted.left.map(({ reason }) => reason)).toContain('the share of its kind is used up');
});

test('a file over the most that one may take is shown by excerpts, or left out where it must be whole', () => {
  const text = codeOf(200);
  const most = 500;
  const [shown] = fitParts([offer('related', 'a.ts', text, { most, shrink: headOf(text) })], told(9_000)).parts;
  expect(shown?.lines).toMatch(/^1-\d+$/);
  expect(shown?.tokens).toBeLessThanOrEqual(most);
  const { left } = fitParts([offer('related', 'a.ts', text, { most })], told(9_000));
  expect(left).toEqual([{ path: 'a.ts', kind: 'related', reason: 'larger than 500 tokens' }]);
});

describe('files found by ranking', () => {
  const text = codeOf(140);
  const file = (n: number, more: Partial<Offer> = {}) =>
    offer('related', `f${n}.ts`, text, { score: -n, most: 2_500, shrink: headOf(text), ...more });
  const all = Array.from({ length: 12 }, (_, n) => file(n));
  const tokensOf = ({ parts }: Fitted) => parts.map(({ tokens }) => tokens);

  test('get less the further down they are, where there is no room for all', () => {
    const fitted = fitParts(all, told(13_300));
    soundly(fitted, 13_300);
    expect(fitted.parts).toHaveLength(12);
    const [first = 0, ...rest] = tokensOf(fitted);
    expect(rest.every((tokens) => tokens <= first)).toBe(true);
    expect(rest.at(-1)).toBeLessThan(first * 0.6);
  });

  test('get all that they may have if no other part wants the room', () => {
    const fitted = fitParts(all, told(40_000));
    soundly(fitted, 40_000);
    expect(fitted.parts.map(({ lines }) => lines)).toEqual(all.map(() => null));
  });

  test('the best first, and others are served before', () => {
    const fitted = fitParts([...all, offer('files', 'more.ts', codeOf(60))], told(16_000));
    soundly(fitted, 16_000);
    expect(fitted.tokens).toBeGreaterThan(15_300);
    expect(pathsOf(fitted)).toContain('more.ts');
    const whole = fitted.parts.filter(({ kind, lines }) => kind === 'related' && lines === null);
    expect(whole.map(({ path }) => path)).toEqual(all.slice(0, whole.length).map(({ path }) => path));
    // As many as their places in the ranking alone would show.
    expect(whole.length).toBeGreaterThan(3);
    expect(whole.length).toBeLessThan(12);
  });

  test('no more than the share of their kind, and the reason says what was too small', () => {
    const shares = new Map<PartKind, number>([['related', 0.4]]);
    const fitted = fitParts(all, told(20_000, { shares }));
    expect(tokensOf(fitted).reduce((sum, tokens) => sum + tokens, 0)).toBeLessThanOrEqual(8_000);
    // Shown whole or not at all: without a share, none is said to be used up.
    const large = codeOf(250);
    const wholes = Array.from(all.keys(), (n) => file(n, { text: n < 6 ? text : large, shrink: null }));
    const { left, parts } = fitParts(wholes, told(60_000));
    expect(parts).toHaveLength(6);
    expect(new Set(left.map(({ reason }) => reason))).toEqual(new Set(['larger than 2500 tokens']));
    // Too large for its place, and others took the rest of the room.
    const rest = codeOf(900);
    const full = fitParts([...wholes.slice(0, 4), offer('files', 'x.ts', rest, { shrink: headOf(rest) })], told(7_000));
    expect(full.left).toEqual([{ path: 'f3.ts', kind: 'related', reason: 'no room left in the budget' }]);
  });
});

test('a part that is made to measure knows the shown files', () => {
  const seen: string[][] = [];
  const map = offer('map', 'map', '', {
    text: null,
    path: null,
    shrink: (_, shown) => {
      seen.push([...shown]);
      return { text: 'a()', lines: null };
    },
  });
  fitParts([map, offer('target_file', 'a.ts', 'let a;'), offer('tree', 'late.ts', 'x')], told(2_000));
  expect(seen.at(-1)).toEqual(['a.ts']);
});

/** Text that tokenisers count badly: words, signs, other scripts, spaces, digits, long runs. */
const piece = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '    ',
    '\n\n\n',
    '}\n',
    'const x = 1;\n',
    'häßlich ',
    '漢字',
    '🙂🙃',
    '<|endoftext|>',
    '\t\t',
    '0123456789',
  ),
  fc.integer({ min: 1, max: 300 }).map((n) => 'a'.repeat(n)),
);
const anyText = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
const anyOffer = fc
  .record({
    kind: fc.constantFrom(...PART_KINDS),
    path: fc.oneof(fc.string({ minLength: 1, maxLength: 30 }), fc.constantFrom('src/a.ts', 'docs/\nb.md')),
    text: anyText,
    score: fc.double({ noNaN: true, min: -5, max: 5 }),
    most: fc.constantFrom(50, 300, Number.POSITIVE_INFINITY),
    shrinks: fc.boolean(),
  })
  .map(({ shrinks, ...one }): Offer => ({ ...one, why: '', lines: null, shrink: shrinks ? headOf(one.text) : null }));

test('1,000 random packs: never over budget, and what is protected is always in', () => {
  let [cut, full, warned] = [0, 0, 0];
  fc.assert(
    fc.property(
      fc.array(anyOffer, { maxLength: 14 }),
      fc.integer({ min: 0, max: 1_500 }),
      fc.constantFrom(1, 1.18, 1.53),
      fc.shuffledSubarray([...PART_KINDS], { minLength: PART_KINDS.length }),
      fc.option(fc.integer({ min: 0, max: 1_500 }), { nil: undefined }),
      (offers, budget, factor, order, enough) => {
        const scaled = (text: string) => Math.ceil(count(text) * factor);
        const fitted = fitParts(
          offers,
          told(budget, {
            order,
            count: scaled,
            shares: new Map([['related', 0.5] as const]),
            ...(enough === undefined ? {} : { enough }),
          }),
        );
        expect(fitted.text === '' ? 0 : scaled(fitted.text)).toBe(fitted.tokens);
        const must = offers.filter(({ kind }) => kind === 'always_include');
        expect(fitted.parts.filter((part) => part.protected)).toHaveLength(must.length);
        for (const { text } of must) expect(fitted.text).toContain((text ?? '').replaceAll('\0', '\\u0000'));
        if (fitted.tokens > budget) {
          expect(fitted.parts.every((part) => part.protected)).toBe(true);
          expect(fitted.warnings).toHaveLength(1);
          warned += 1;
        } else expect(fitted.warnings).toEqual([]);
        // Nothing is lost without a word.
        expect(fitted.parts.length + fitted.left.length).toBe(offers.length);
        if (fitted.left.length > 0) cut += 1;
        else full += 1;
      },
    ),
    { numRuns: 1_000 },
  );
  // The cases are not all of one kind.
  for (const seen of [cut, full, warned]) expect(seen).toBeGreaterThan(20);
});
