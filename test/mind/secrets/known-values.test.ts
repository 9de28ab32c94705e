/** Values that are known to be secret are masked whatever they look like, in the forms in which programs write them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KnownValues, secretVariables } from '../../../src/mind/secrets/known-values.ts';
import { madeUp } from './made-up.ts';

/** A value without any shape that a rule would find. */
const VALUE = 'plain words of a token/with+signs 7341';

describe('WO-16 one value in six forms', () => {
  const known = new KnownValues([VALUE]);
  const base64 = Buffer.from(VALUE).toString('base64');
  test.each([
    ['as it is', VALUE],
    ['base64', base64.replace(/=+$/, '')],
    ['base64url', Buffer.from(VALUE).toString('base64url')],
    ['hex', Buffer.from(VALUE).toString('hex')],
    ['hex in capitals', Buffer.from(VALUE).toString('hex').toUpperCase()],
    ['URL', encodeURIComponent(VALUE)],
    ['JSON', JSON.stringify(VALUE).slice(1, -1)],
  ])('masked: %s', (_, form) => {
    const text = `before ${form} after`;
    expect(new KnownValues([]).text(text)).toContain(form);
    expect(known.text(text)).not.toContain(form.slice(0, -2));
    expect(known.text(text)).toMatch(/^before \[masked\].{0,3} after$/);
  });

  test('inside of a longer text in base64, wherever it begins', () => {
    for (const before of ['', 'a', 'ab', 'abc', 'abcd']) {
      const text = Buffer.from(`${before}${VALUE} and more`).toString('base64');
      expect(known.text(text)).toContain('[masked]');
    }
  });

  test('not covered: reversed, or split over two lines', () => {
    const reversed = [...VALUE].reverse().join('');
    const split = `${VALUE.slice(0, 12)}\n${VALUE.slice(12)}`;
    expect(known.text(reversed)).toBe(reversed);
    expect(known.text(split)).toBe(split);
  });
});

test('a value that is the beginning of another one does not leave the rest of it', () => {
  const known = new KnownValues(['first-secret', 'first-secret-and-more']);
  expect(known.text('x first-secret-and-more y first-secret z')).toBe('x [masked] y [masked] z');
});

test('short values are no secrets, and without any nothing is changed', () => {
  expect(new KnownValues(['short']).text('a short text')).toBe('a short text');
  expect(new KnownValues([]).findings('anything')).toEqual([]);
});

test('lines of a key are masked one by one', () => {
  const lines = [madeUp(40, 'all', '1'), madeUp(40, 'all', '2')];
  expect(new KnownValues([lines.join('\n')]).text(`${lines[1]} ${lines[0]}`)).toBe('[masked] [masked]');
});

test('no known value is left in any text, and masking twice is masking once', () => {
  const value = fc.string({ unit: 'grapheme', minLength: 8, maxLength: 30 });
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 4 }),
      fc.array(fc.string(), { maxLength: 5 }),
      (values, rest) => {
        const known = new KnownValues(values);
        const text = values.flatMap((one, n) => [rest[n] ?? ' ', one]).join('');
        const clean = known.text(text);
        for (const one of values) if (!'[masked][masked]'.includes(one)) expect(clean.includes(one)).toBe(false);
      },
    ),
  );
});

describe('variables whose names say that they are secrets', () => {
  const token = madeUp(30);
  test.each([
    ['GITHUB_TOKEN', token],
    ['ANTHROPIC_API_KEY', token],
    ['DB_PASSWORD', 'c0rrect-h0rse-battery'],
    ['acme_secret', token],
    ['SIGNING_KEY', token],
  ])('%s', (name, value) => {
    expect(secretVariables({ [name]: value, OTHER: 'something else' })).toEqual([value]);
  });

  test.each([
    ['PATH', '/usr/bin:/bin'],
    ['SSH_AUTH_SOCK', '/tmp/ssh-x/agent.12'],
    ['POSTGRES_PASSWORD', 'postgres'],
    ['TOKENIZERS_PARALLELISM', 'false'],
    ['GITHUB_TOKEN', ''],
    ['API_KEY_FILE', '/run/secrets/key'],
    ['HOME', token],
  ])('not %s=%s', (name, value) => {
    expect(secretVariables({ [name]: value })).toEqual([]);
  });
});
