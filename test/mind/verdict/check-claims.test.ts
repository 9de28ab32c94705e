/** Findings of reviews that can be checked: confirmed and refuted by rules and by what gates found, and nothing else. */
import { describe, expect, test } from 'vitest';
import { maskOf } from '../../../src/mind/code/mask.ts';
import { type ClaimFacts, checkClaim, checkClaims, type GateRan } from '../../../src/mind/verdict/check-claims.ts';

const SOURCE = `import { used } from './b.ts';

export function shown(a: number): number {
  return used(a);
}

function lonely(): void {}

function helper(): number {
  return 1;
}
export const value = helper();
let twice = 1;
twice = 2;
const total = 1;
export class Sums {
  of(total: number) {
    const kept = total;
    return { helper: kept };
  }
  kept() {
    return this.shown;
  }
}
// A comment names lonely, and "lonely" is in a text.
`;
const TEST = "test('adds two numbers', () => {\n  expect(1).toBe(1);\n});\n";
const gate = (over: Partial<GateRan> = {}): GateRan => ({
  gate: 'tests',
  status: 'pass',
  excused: 0,
  command: 'npm test',
  tests: { run: 9, failed: 0, skipped: 0 },
  ...over,
});
const facts = (over: Partial<ClaimFacts> = {}): ClaimFacts => ({
  paths: new Set(['src/a.ts', 'src/b.ts', 'lib/deep/c.ts', 'test/a.test.ts']),
  texts: new Map([
    ['src/a.ts', SOURCE],
    ['test/a.test.ts', TEST],
  ]),
  code: new Map([['src/a.ts', maskOf('typescript', SOURCE)]]),
  gates: [gate()],
  ...over,
});
const is = (message: string, over: Partial<ClaimFacts> = {}, file = 'src/a.ts') =>
  checkClaim({ severity: 'high', file, line: 1, message }, facts(over)).is;

describe('a claim', () => {
  test.each([
    ['The file src/b.ts does not exist.', 'refuted'],
    ['`src/x.ts` is missing', 'confirmed'],
    // Another file of this name may be meant.
    ['The file c.ts does not exist', 'not checked'],
    ['The function `lonely` is never used.', 'confirmed'],
    ['`helper()` is unused', 'refuted'],
    ['The import `used` is never used', 'refuted'],
    ['`shown` is never used', 'not checked'],
    ['`twice` is never used', 'not checked'],
    ['`absent` is unused', 'not checked'],
    // A name of another scope is another name, and a member or a key is none.
    ['The constant `total` is never used', 'not checked'],
    ['The variable `kept` is unused', 'not checked'],
    ['`kept` is not defined', 'not checked'],
    ['`total` is not defined', 'refuted'],
    ['`helper` is not defined', 'refuted'],
    ['`used` is not defined', 'refuted'],
    ['`absent` is not defined', 'not checked'],
    ['The gate `tests` fails.', 'refuted'],
    ['`npm test` fails with this change', 'refuted'],
    ['`npm run other` fails', 'not checked'],
  ])('%s: %s', (message, expected) => {
    expect(is(message)).toBe(expected);
  });

  test('about a gate is true when it failed, and open when its failures were excused or it could not run', () => {
    expect(is('`tests` fails', { gates: [gate({ status: 'fail' })] })).toBe('confirmed');
    expect(is('`tests` fails', { gates: [gate({ excused: 2 })] })).toBe('not checked');
    expect(is('`tests` fails', { gates: [gate({ status: 'error' })] })).toBe('not checked');
    expect(is('`tests` fails', { gates: [] })).toBe('not checked');
  });

  test('about a test is refuted by a gate that ran all of them, if the named file holds it', () => {
    const says = 'The test "adds two numbers" fails';
    expect(is(says, {}, 'test/a.test.ts')).toBe('refuted');
    expect(is(says)).toBe('not checked');
    const some: GateRan[][] = [[gate({ excused: 1 })], [gate({ tests: { run: 9, failed: 0, skipped: 1 } })], []];
    for (const gates of some) expect(is(says, { gates }, 'test/a.test.ts')).toBe('not checked');
  });

  test.each([
    '`helper` is unused, and the total is wrong',
    'The total is wrong. `helper` is unused',
    '`helper` is unused\nand more',
    'Run `rm -rf /`; `helper` is unused',
    'I believe that `tests` fails because a key is logged',
    `\`helper\` is unused${' '.repeat(400)}`.concat('x'),
  ])('that says more than one thing is left to people: %s', (message) => {
    expect(is(message)).toBe('not checked');
  });

  test('about an unknown tree is not checked', () => {
    const nothing = { paths: new Set<string>(), texts: new Map(), code: new Map(), gates: [] };
    for (const message of ['`src/x.ts` is missing', '`helper` is unused', '`tests` fails'])
      expect(is(message, nothing)).toBe('not checked');
  });
});

test('a refuted finding does not count, the others do, and all are on record', () => {
  const finding = (message: string) => ({ severity: 'critical', file: 'src/a.ts', line: 3, message }) as const;
  const all = [finding('`helper` is unused'), finding('`lonely` is unused'), finding('The key is logged')];
  const { counted, refuted, checked } = checkClaims(all, facts());
  expect(counted).toEqual(all.slice(1));
  expect(refuted).toHaveLength(1);
  expect(checked).toEqual([
    'refuted (helper is used in line 12 of src/a.ts): critical src/a.ts:3 `helper` is unused',
    'confirmed (src/a.ts names lonely in line 7 alone): critical src/a.ts:3 `lonely` is unused',
    'not checked: critical src/a.ts:3 The key is logged',
  ]);
});
