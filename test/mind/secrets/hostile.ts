/** Texts that would take for ever if the time grew with the square of their length, and what must still be found behind them. */
import { expect, test } from 'vitest';
import { findSecrets } from '../../../src/mind/secrets/scan.ts';
import { madeUp } from './made-up.ts';

const TOKEN = `ghp_${madeUp(36)}`;

/** They end within the time that any test has: at a megabyte a square would take hours. */
export function hostileTexts(bytes: number): void {
  test.each([
    'a',
    'a1',
    '=',
    'a1b2c3d4=',
    'sc_',
    'ghp_',
    '"a1b2c3d4e5',
    'token="',
    'token = a1b2c3d4e5f6',
    'password=',
    '-----BEGIN PRIVATE KEY-----\n',
    '-----BEGIN PRIVATE KEY-----a',
    '-----BEGIN PRIVATE KEY-----\n>',
    '-----END PRIVATE KEY-----',
    '-----END PRIVATE KEY-----\n',
    `${madeUp(64)}\n-----END PRIVATE KEY-----\n`,
    '------',
    'eyJ',
    'eyJaaaaaaaaa-',
    'eyJaaaaaaaaa.',
    '+-',
    '\\n',
    '\u001b[1;',
    '<<<',
    `${madeUp(20, 'hex').toUpperCase()}>>>\n`,
    `token:\n//`,
    'eyJa.eyJa.',
    '://',
    '://a:b',
    '://a:aaa@',
    'hooks.slack.com/services/',
    '//hooks.slack.com/services/a/',
    '-u a:',
    'Bearer ',
    'algolia a1b2c3d4e5f6g7h8 ',
    'authress_ext_.acc-',
    '/a1b2c3d4e5f6',
    '.aX3dQ5gZ7kW ',
    'a=',
    'token1a2=',
    'secret-a1b2c3d4:',
    `"'`,
    `key="'`,
    `token = '\``,
    'machine a login b password ',
    'machine a login ',
    'name: token\n  value: ',
    'token:\n\n',
    `acme_${madeUp(34)} `,
    'secret-key-',
    `://${madeUp(24)}@`,
    `${madeUp(40)} `,
    `x: ${madeUp(30)} `,
    'F1A-NEI-',
    '\ud83d\ude00',
    'x\\"',
  ])('%j', (unit) => {
    const text = `${unit.repeat(Math.ceil(bytes / unit.length))}\n\n${TOKEN}`;
    expect(findSecrets(text).at(-1)).toEqual({ from: text.length - TOKEN.length, to: text.length, rule: 'github' });
  });
}
