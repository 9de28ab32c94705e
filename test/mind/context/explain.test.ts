import { expect, test } from 'vitest';
import { comparePacks, explainPack } from '../../../src/mind/context/explain.ts';
import type { PackedContext, PackedPart } from '../../../src/mind/context/packed.ts';
import type { PartKind } from '../../../src/mind/fields/part-kinds.ts';

const part = (kind: PartKind, path: string | null, tokens: number): PackedPart => ({
  ...{ kind, path, tokens },
  score: 0,
  why: 'because',
  lines: null,
  protected: kind === 'always_include',
});
const packed = (strategy: string, parts: readonly PackedPart[]): PackedContext => ({
  text: '',
  parts,
  left: [
    { path: 'x.png', kind: 'files', reason: 'is binary' },
    { path: 'y.ts', kind: 'files', reason: 'no room' },
    { path: 'z.ts', kind: 'related', reason: 'no room' },
  ],
  tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
  warnings: ['w'],
  strategy,
});
const one = packed('a', [part('target_file', 'a.ts', 10), part('related', 'b.ts', 5), part('git_diff', 'a.ts', 3)]);
const two = packed('b', [part('files', 'a.ts', 8), part('map', null, 2), part('related', 'c.ts', 1)]);

test('a report tells the cost of each kind, and what was left out by reason', () => {
  const report = explainPack(one);
  expect(report.kinds).toEqual([
    { kind: 'target_file', parts: 1, tokens: 10 },
    { kind: 'git_diff', parts: 1, tokens: 3 },
    { kind: 'related', parts: 1, tokens: 5 },
  ]);
  expect(report.left.map(({ reason, files }) => [reason, files.length])).toEqual([
    ['no room', 2],
    ['is binary', 1],
  ]);
  expect([report.tokens, report.strategy, report.warnings]).toEqual([18, 'a', ['w']]);
});

test('two packs are compared by file: in both, only in one, tokens', () => {
  expect(comparePacks(one, two)).toEqual({
    strategies: ['a', 'b'],
    tokens: [18, 11],
    both: [{ path: 'a.ts', kinds: ['target_file', 'files'], tokens: [10, 8] }],
    only: [
      [
        { kind: 'related', path: 'b.ts', tokens: 5 },
        { kind: 'git_diff', path: 'a.ts', tokens: 3 },
      ],
      [
        { kind: 'map', path: null, tokens: 2 },
        { kind: 'related', path: 'c.ts', tokens: 1 },
      ],
    ],
  });
});
