/** The marks around quoted data are never taken out, whatever stands before them; what they stand around is. */
import { describe, expect, test } from 'vitest';
import { quotedData } from '../../../src/mind/prompts/quoted-data.ts';
import { besideMarks } from '../../../src/mind/secrets/secret-span.ts';
import { leftOf } from './left-of.ts';
import { keyBlock, madeUp } from './made-up.ts';

const SECRET = madeUp(32);
const MARK = madeUp(20, 'hex').toUpperCase();

test('the control: a value of that form is a secret behind such a name', () => {
  expect(leftOf(`secret key: ${MARK}`)).toBe('secret key: …');
  expect(leftOf(`secret key:\n${MARK}`)).toBe('secret key:\n…');
});

test.each(['secret key:', 'password =', 'token: |', '<apiKey>', 'Authorization: Bearer', '-u me:', 'x'])(
  'a text that ends in %j',
  (end) => {
    for (const text of [quotedData('file a.ts', end, 'seed'), `${end}\n${quotedData('secret token', 'x', end)}`]) {
      expect(leftOf(text)).toBe(text);
      expect(leftOf(JSON.stringify(text))).toBe(JSON.stringify(text));
    }
  },
);

test('a secret between marks goes, the marks stay', () => {
  const quoted = (text: string) => quotedData('file .env', text, 'seed').split('\n');
  const [first, , last] = quoted(`API_KEY=${SECRET}`);
  expect(leftOf(quoted(`API_KEY=${SECRET}`).join('\n'))).toBe(`${first}\nAPI_KEY=…\n${last}`);
});

test('a key without an end ends at the mark, even if other text has an end', () => {
  const [begin, ...rest] = keyBlock('PRIVATE KEY').split('\n');
  const one = `${begin}\n${rest.slice(0, 3).join('\n')}`;
  const text = `<<<${MARK} file a\n${one}\n${MARK}>>>\nwhat we say\n<<<${MARK} file b\n${rest.at(-1)}\n${MARK}>>>`;
  expect(leftOf(text)).toBe(text.replace(`${one}\n`, '…'));
});

describe('texts that are no mark', () => {
  test.each([`key = ${SECRET}${MARK}>>>`, `token=${MARK}>>>`, `secret: ${MARK.toLowerCase()}>>>`])('%s', (text) => {
    expect(leftOf(text)).not.toContain(MARK);
    expect(leftOf(text)).toContain('…');
  });
});

test('findings are cut around marks', () => {
  const text = `aaa <<<${MARK} bbb\n${MARK}>>> ccc`;
  const all = [{ from: 0, to: text.length, rule: 'x' }];
  expect(besideMarks(text, all).map(({ from, to }) => text.slice(from, to))).toEqual(['aaa ', 'bbb\n', ' ccc']);
  expect(besideMarks(text, [{ from: 5, to: 12, rule: 'x' }])).toEqual([]);
});
