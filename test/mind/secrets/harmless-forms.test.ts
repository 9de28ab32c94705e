/** Each form that makes a value harmless, and beside it the nearest that does not. */
import { describe, expect, test } from 'vitest';
import { isCodeName, isEncodedText, isHarmless, isOrdinary, isUnlikely } from '../../../src/mind/secrets/harmless.ts';
import { findSecrets } from '../../../src/mind/secrets/scan.ts';
import { madeUp, uuid } from './made-up.ts';

const ALL = madeUp(32);
const base64 = (text: string | Uint8Array) => Buffer.from(text as string).toString('base64');

describe('a text in base64 is readable', () => {
  test.each([
    ['a sentence', 'hello to the world'],
    ['an object', '{"name":"root","mode":420}'],
    ['a word', 'Subscription'],
    ['a time', '2021-09-17T01:43:38.38Z'],
  ])('%s', (_, text) => expect(isEncodedText(base64(text))).toBe(true));
  test.each([
    ['with signs of machines', 'hello\u0007to the world'],
    ['that names a secret', 'the password of root'],
    ['no text at all', Uint8Array.from([104, 32, 0xff, 0xfe, 104, 101, 108, 108, 111, 32, 119, 111])],
    ['an address', 'see https://a.example.org now'],
    ['a mail', 'me@example.org and you'],
    ['one word with a digit', 'Sunflower2024'],
    ['random words', `${ALL} ${ALL}`],
  ])('not: %s', (_, text) => expect(isEncodedText(base64(text))).toBe(false));
});

describe('words and terms', () => {
  test.each(['PBKDF2WithHmacSHA512', 'PKCS1V15', 'i18n.I18nMeta', 'AES/CBC/PKCS5Padding', 'ed448lib.SignatureSize'])(
    '%s is harmless',
    (value) => expect(isHarmless(value)).toBe(true),
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

describe('where nothing but its looks speaks for a secret', () => {
  const ZEROS = 'AAAAAAAAAA';
  test.each([
    ['zeros', `AQAE${ZEROS}${ALL}`],
    ['a word and a short sum', `alpha_${madeUp(20, 'hex')}`],
    ['a name with a UUID', `kube-system_${uuid()}_0`],
    ['a path of sums', `blobs/sha256/${madeUp(64, 'hex')}`],
    ['emoji', '1F3FB-200D-1F3FC'],
  ])('%s is ordinary', (_, value) => expect(isOrdinary(value)).toBe(true));
  test.each([
    ['many zeros first', `${'A'.repeat(20)}${ALL}`],
    ['of NTLM', `TlRMTVNTUAAD${ZEROS}${ALL}`],
    ['a table of keys', `BQIA${ZEROS}${ALL}`],
    ['a ticket', `YIIG${ZEROS}${ALL}`],
    ['a key of SSH', `b3BlbnNzaC1rZXktdjE${ZEROS}${ALL}`],
    ['no word and a short sum', `qzxvkwpjzq_${madeUp(20, 'hex')}`],
    ['a UUID and few letters', `a1-${uuid()}`],
    ['a UUID and something random', `${madeUp(12)}-${uuid()}`],
    ['a path of something random', `a/${ALL}`],
    ['groups of digits that are no emoji', 'A1FAF-1B3FB-20CD1'],
  ])('not: %s', (_, value) => expect(isOrdinary(value)).toBe(false));
  test('few letters, or many', () => {
    expect(isUnlikely('jhajebddajjajefefafdfecaabjegj')).toBe(true);
    expect(isUnlikely('mzqbwpxkvtjrhdgynfclsmzq')).toBe(false);
  });
});

describe('lines', () => {
  const found = (text: string) => findSecrets(text).map(({ from, to }) => text.slice(from, to));
  const SUM = madeUp(40, 'hex');
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
  test.each([
    ['a commit of a service in brackets', `we left travis (${SUM})`],
    ['a path behind a secret name', 'secret_dir = "/srv2/acme/run2/3df878d8ed31aa07bc"'],
    ['a name of code behind its type', 'ScramCredentialData secondHorse2024Credential = a;'],
  ])('%s: left', (_, text) => expect(found(text)).toEqual([]));
});
