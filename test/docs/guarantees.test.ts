/** Every promise to users has its tests on the page for contributors, and every test that is named there exists. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Items of lists, and first cells of the table of the nine promises. */
function promisesTo(markdown: string): string[] {
  const [told = ''] = markdown.split(/^## Not promised$/m);
  const items = [...told.matchAll(/^- ((?:.*\n(?: {2}.*\n)*))/gm)].map(([, text = '']) => text);
  const rows = [...told.matchAll(/^\| (\d .*?) \|/gm)].map(([, text = '']) => text);
  return [...rows, ...items].map((text) => text.replace(/\s+/g, ' ').trim());
}

function mapped(markdown: string): { promise: string; tests: string }[] {
  const rows = [...markdown.matchAll(/^\| (.*) \| (.*) \|$/gm)];
  return rows
    .map(([, promise = '', tests = '']) => ({ promise: promise.replaceAll('\\|', '|'), tests }))
    .filter(({ promise }) => promise !== 'promise');
}

test('each promise to users has its tests, and no other', () => {
  const promises = promisesTo(read('docs/guarantees.md'));
  const rows = mapped(read('test/guarantees.md'));
  expect(rows.map(({ promise }) => promise).sort()).toEqual(promises.sort());
  expect(promises.length).toBeGreaterThan(140);
});

test('each file that the page for contributors names is there', () => {
  const gone = mapped(read('test/guarantees.md')).flatMap(({ promise, tests }) => {
    const named = [...tests.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    const paths = named.filter((name) => name.includes('/') || name.endsWith('.ts'));
    if (paths.length === 0) return [`${promise}: no test`];
    return paths.flatMap((path) => {
      const places = [path, join('test/hostile/cases', path)];
      return places.some((one) => existsSync(join(ROOT, one))) ? [] : [`${promise}: ${path}`];
    });
  });
  expect(gone).toEqual([]);
});

test('a promise without a test, and one of another wording, are found', () => {
  expect(promisesTo('| 1 A | holds |\n\n- one\n  more\n- two\n## Not promised\n\n- three\n')).toEqual([
    '1 A',
    'one more',
    'two',
  ]);
  expect(mapped('| promise | tests |\n|---|---|\n| one \\| more | `a.ts` |\n')).toEqual([
    { promise: 'one | more', tests: '`a.ts`' },
  ]);
});
