/** The terminal in the README is drawn from the block that a test compares with the command itself. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stillOf } from '../../tools/still.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

test('the picture shows the first console block of the README', () => {
  expect(read('docs/images/demo.svg')).toBe(stillOf(read('README.md')));
  expect(read('README.md')).toContain('(docs/images/demo.svg)');
});

test('another line gives another picture, and markup in a line is text', () => {
  const picture = stillOf('```console\n$ a <b> & c\n✓ done\n```\n');
  expect(picture).toContain('$ a &lt;b&gt; &amp; c</text>');
  expect(picture).toContain('class="good"');
  expect(() => stillOf('no block')).toThrow('no console block');
});
