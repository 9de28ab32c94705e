/** Which lines are shown of a file that does not fit. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { excerptsOf } from '../../../src/mind/ranking/excerpt.ts';
import { termsOf } from '../../../src/mind/ranking/terms.ts';

const estimate = (text: string) => text.length / 4;
const body = (name: string, word: string) =>
  [`export function ${name}() {`, ...Array(30).fill(`  return something + plain(${word});`), '}', ''].join('\n');
const NAMES = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta'];
const TEXT = [`import { plain } from './plain.ts';`, '', ...NAMES.map((name) => body(name, name))].join('\n');

const shown = (text: string, task: string, maxTokens: number) =>
  excerptsOf({ path: 'src/greek.ts', text, terms: termsOf(task), estimate })(maxTokens);
const textOf = (text: string, lines: readonly { from: number; to: number }[]) =>
  lines
    .map(({ from, to }) =>
      text
        .split('\n')
        .slice(from - 1, to)
        .join('\n'),
    )
    .join('\n');

describe('the excerpt of a file', () => {
  test('a short file is shown whole', () => {
    expect(shown('a\nb\n', 'x', 100)).toEqual([{ from: 1, to: 2 }]);
    expect(shown('', 'x', 100)).toEqual([]);
  });

  test('the definition that the task is about, whole, and the head of the file', () => {
    const found = textOf(TEXT, shown(TEXT, 'delta returns the wrong sum', 450));
    expect(found).toContain(body('delta', 'delta').trim());
    expect(found).toContain('import { plain }');
    expect(found).not.toContain('function zeta');
  });

  test('nothing in it is about the task: the beginning is shown', () => {
    expect(shown(TEXT, 'quite another matter', 450)[0]!.from).toBe(1);
  });

  test('one long line that does not fit is not shown, and no trap', () => {
    expect(shown('a'.repeat(500_000), 'a b', 100)).toEqual([]);
    expect(shown('\n'.repeat(500_000), 'a b', 100).length).toBeLessThan(500_000);
  });

  test('always in order, inside of the file and within the tokens', () => {
    const line = fc.oneof(
      fc.string({ maxLength: 80 }),
      fc.constantFrom('', 'def f():', '  x = beta', '}', '# beta', 'function g() {'),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 80 }), fc.nat(300), (lines, maxTokens) => {
        const text = lines.join('\n');
        const found = shown(text, 'the beta of f', maxTokens);
        let last = 0;
        for (const { from, to } of found) {
          expect(from).toBeGreaterThan(last);
          expect(to).toBeGreaterThanOrEqual(from);
          last = to;
        }
        expect(last).toBeLessThanOrEqual(text.split('\n').length);
        expect(estimate(textOf(text, found))).toBeLessThanOrEqual(maxTokens);
      }),
    );
  });
});
