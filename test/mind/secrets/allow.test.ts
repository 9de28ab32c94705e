/** The allow-list: what looks like a secret and is none, with a reason. */
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/kernel/hash.ts';
import { AllowList, secretsConfig } from '../../../src/mind/secrets/allow.ts';
import { findSecrets } from '../../../src/mind/secrets/scan.ts';
import { madeUp } from './made-up.ts';

const TOKEN = `ghp_${madeUp(36)}`;
const OTHER = `ghp_${madeUp(36, 'all', 'other')}`;
const TEXT = `one ${TOKEN} two ${OTHER}`;
const reason = 'an example of the documentation';
const left = (list: AllowList, path?: string) =>
  list.left(TEXT, findSecrets(TEXT), path).map(({ from, to }) => TEXT.slice(from, to));

test('the control: without a list both are found', () => {
  expect(left(new AllowList())).toEqual([TOKEN, OTHER]);
  expect(left(new AllowList([]))).toEqual([TOKEN, OTHER]);
});

test('by the text: it, or a longer text around it', () => {
  expect(left(new AllowList([{ text: TOKEN, reason }]))).toEqual([OTHER]);
  expect(left(new AllowList([{ text: `one ${TOKEN}`, reason }]))).toEqual([OTHER]);
});

test('a part of a secret does not let the whole of it through', () => {
  expect(left(new AllowList([{ text: TOKEN.slice(0, 30), reason }]))).toEqual([TOKEN, OTHER]);
});

test('by the sum of the text', () => {
  expect(left(new AllowList([{ sha256: sha256(OTHER), reason }]))).toEqual([TOKEN]);
});

test('by the path, for texts that are files', () => {
  const list = new AllowList([{ path: 'test/fixtures/**', reason }]);
  expect(left(list, 'test/fixtures/a/key.txt')).toEqual([]);
  expect(left(list, 'src/key.txt')).toEqual([TOKEN, OTHER]);
  expect(left(list)).toEqual([TOKEN, OTHER]);
});

describe('the config', () => {
  test('is taken with a reason', () => {
    const allow = [
      { text: TOKEN, reason },
      { sha256: sha256('x'), reason },
      { path: 'docs/', reason },
    ];
    expect(v.parse(secretsConfig, { allow })).toEqual({ allow });
    expect(v.parse(secretsConfig, {})).toEqual({ allow: [] });
  });

  test.each([
    [{ text: TOKEN }],
    [{ text: TOKEN, reason: '' }],
    [{ text: 'abc', reason }],
    [{ sha256: 'abc', reason }],
    [{ path: '../x', reason }],
    [{ path: '', reason }],
    [{ text: TOKEN, path: 'x', reason }],
    [{ reason }],
    ['text'],
  ])('is refused: %j', (entry) => {
    expect(v.safeParse(secretsConfig, { allow: [entry] }).success).toBe(false);
  });
});
