/** Each form that makes a value harmless, and beside it the nearest that does not. */
import { describe, expect, test } from 'vitest';
import { encodedLogin } from '../../../src/mind/secrets/base64-logins.ts';
import { isCodeName, isHarmless, isIdentifier } from '../../../src/mind/secrets/harmless.ts';
import { findSecrets } from '../../../src/mind/secrets/scan.ts';
import { madeUp } from './made-up.ts';

const ALL = madeUp(32);
const base64 = (text: string) => Buffer.from(text).toString('base64');
const isEncodedLogin = (text: string) => encodedLogin(text, 0, text.replace(/=+$/, '').length) !== null;

describe('words and terms', () => {
  test.each(['PBKDF2WithHmacSHA512', 'PKCS1V15', 'AES/CBC/PKCS5Padding'])('%s is harmless', (value) =>
    expect(isHarmless(value)).toBe(true),
  );
  test.each([
    ['no term, no digit', 'correcthorsebattery'],
    ['a number that is too long for its word', 'sha123456789'],
    ['a number behind no term', 'PasswordHorse512'],
    ['random pieces that are short', 'sha256_qXzv_wKqj_zVxq_qJkz'],
    ['a term inside of letters', 'abk8scd'],
    ['a member of something random', 'qzx7vkw2pj9.Sizes'],
    ['a random member', 'module.Xqzvkwpjzqxv'],
  ])('not: %s', (_, value) => expect(isHarmless(value)).toBe(false));
  test('the name of something in code', () => {
    expect(isCodeName('secondAlpha256Credential')).toBe(true);
    expect(isCodeName('aB3dE5gH7jK9mN1pQ3sT')).toBe(false);
    expect(isCodeName('secondQzxvkwpjzqCredential')).toBe(false);
    expect(isCodeName('configurationManagerServiceQzxvkwp')).toBe(false);
    expect(isCodeName('abTheOfInToUpBy')).toBe(false);
  });
});

describe('a text in base64 holds a login', () => {
  test.each([
    ['a pair', ['root:Sum', 'mer2024!']],
    ['an address', ['postgres://me:Sum', 'mer2024@db.internal/app']],
    ['an object', ['{"user":"me","password":"Sum', 'mer2024"}']],
  ])('%s', (_, pieces) => expect(isEncodedLogin(base64(pieces.join('')))).toBe(true));
  test.each([
    ['a pair of words', 'name:description'],
    ['a number of something', 'User:1234567'],
    ['the number of a repository', '010:Repository35129377'],
    ['numbers of a certificate', 'B0:C6:80:AF:97:A2:2C:42'],
    ['an address of an example', 'http://user:password@example.com'],
    ['an object without a secret', '{"version":3,"sources":["a1b2.ts"]}'],
  ])('not: %s', (_, text) => expect(isEncodedLogin(base64(text))).toBe(false));
});

test('the name of a function that begins like a token', () => {
  expect(isIdentifier('npm_modules_are_included_in_import_order')).toBe(true);
  expect(isIdentifier('live_reload_of_the_page2_in_the_browser')).toBe(true);
  expect(isIdentifier(`npm_${madeUp(36)}`)).toBe(false);
  expect(isIdentifier(`acme_live_${madeUp(24, 'lower')}`)).toBe(false);
});

describe('lines', () => {
  const found = (text: string) => findSecrets(text).map(({ from, to }) => text.slice(from, to));
  test.each([
    ['a module without a commit', `github.com/acme/jwt ${madeUp(32, 'hex')}`, madeUp(32, 'hex')],
    ['a seed behind a colon', `seed: 0x${madeUp(32, 'hex')}`, madeUp(32, 'hex')],
    ['to pass a value', `you must pass ${ALL.slice(0, 16)} here`, ALL.slice(0, 16)],
    ['a password with something', `log in by the root pass with ${ALL.slice(0, 16)}`, ALL.slice(0, 16)],
    ['tests that pass one', `tests pass ${ALL.slice(0, 16)}`, ALL.slice(0, 16)],
    ['the next name of a command', `api key: AB_CD_EF=${ALL}`, ALL],
    ['a key of a service in brackets', `travis (${ALL})`, ALL],
    ['a quoted name with a digit', "CancelToken = 'CancelToken$1'", 'CancelToken$1'],
  ])('%s: found', (_, text, secret) => expect(found(text).join()).toContain(secret));
  test.each([['a path behind a secret name', 'secret_dir = "/srv2/acme/run2/3df878d8ed31aa07bc"']])(
    '%s: left',
    (_, text) => expect(found(text)).toEqual([]),
  );
});
