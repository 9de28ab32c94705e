/** Secrets known by the shape of the text around them. */
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../../src/mind/secrets/scan.ts';
import { keyBlock, madeUp, uuid, webToken } from './made-up.ts';

const found = (text: string) => findSecrets(text).map(({ from, to, rule }) => [rule, text.slice(from, to)]);
const PASSWORD = ['h4rd', 'T0gue55'].join('');

describe('private keys', () => {
  test.each(['PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'PGP PRIVATE KEY BLOCK'])(
    '%s: the whole block',
    (kind) => {
      const block = keyBlock(kind);
      expect(found(`before\n${block}\nafter`)).toEqual([['private-key', block]]);
    },
  );

  test('in one line with escaped ends of lines, as in JSON', () => {
    const block = keyBlock('PRIVATE KEY').replaceAll('\n', '\\n');
    expect(found(`{"private_key": "${block}\\n", "type": "x"}`)).toEqual([['private-key', block]]);
  });

  test('without its end, as in a log that was cut', () => {
    const [begin = '', ...lines] = keyBlock('PRIVATE KEY').split('\n').slice(0, 4);
    expect(found(`${begin}\n${lines.join('\n')}`)).toEqual([['private-key', `${begin}\n${lines.join('\n')}`]]);
  });

  test('public keys, certificates, and the mere words are left alone', () => {
    expect(found(keyBlock('PUBLIC KEY'))).toEqual([]);
    expect(found(keyBlock('CERTIFICATE'))).toEqual([]);
    expect(found(['-----BEGIN', 'PRIVATE KEY-----\n...\n-----END', 'PRIVATE KEY-----'].join(' '))).toEqual([]);
  });
});

test('web tokens', () => {
  const token = webToken();
  expect(found(`x ${token} y`)).toEqual([['web-token', token]]);
  expect(found('eyJust a word')).toEqual([]);
});

describe('addresses with a login: only the password goes', () => {
  test.each([
    `postgres://app:${PASSWORD}@db.example.net:5432/app`,
    `https://me:${PASSWORD}@example.org/repo.git`,
    `mongodb+srv://root:${PASSWORD}@cluster0.example.net/?retryWrites=true`,
    `redis://:${PASSWORD}@127.0.0.1:6379/0`,
    `amqp://guest:${PASSWORD}@[::1]:5672`,
  ])('%s', (text) => {
    expect(found(text)).toEqual([['url-password', PASSWORD]]);
  });

  test.each([
    'http://user:password@example.com',
    'postgres://postgres:postgres@localhost/db',
    'https://user:pass@host/',
    `https://\${USER}:\${PASSWORD}@example.org`,
    'http://localhost:8080/@scope/package',
    'git@github.com:me/it.git',
    'see http://example.com:8080/a@b',
    'https://<user>:<password>@example.com',
  ])('not %s', (text) => {
    expect(found(text)).toEqual([]);
  });
});

describe('addresses that open to all who know them', () => {
  test.each([
    `https://hooks.slack.com/services/T${madeUp(8, 'upper')}/B${madeUp(8, 'upper')}/${madeUp(24)}`,
    `https://discord.com/api/webhooks/${'123456789012345678'}/${madeUp(68)}`,
    `https://acme.webhook.office.com/webhookb2/${uuid()}@${uuid('b')}/IncomingWebhook/${madeUp(32, 'hex')}/${uuid('c')}`,
    `https://hooks.zapier.com/hooks/catch/1234567/${madeUp(7, 'lower')}/`,
  ])('%s', (text) => {
    const [first] = findSecrets(text);
    expect(first?.rule).toBe('webhook-address');
    expect(text.slice(0, first?.from)).toMatch(/^https:\/\/[\w.]+\/$/);
  });

  test('not the address of the documentation', () => {
    expect(found('https://hooks.slack.com/services/')).toEqual([]);
    expect(found('https://discord.com/api/webhooks/')).toEqual([]);
  });
});

describe('headers and commands', () => {
  const basic = Buffer.from(`me:${PASSWORD}`).toString('base64');
  test.each([
    [`Authorization: Bearer ${madeUp(40)}`, madeUp(40)],
    [`curl -H "Authorization: Basic ${basic}" https://example.org`, basic],
    [`Authorization: token ${madeUp(40, 'hex')}`, madeUp(40, 'hex')],
    [`X-Api-Key: ${madeUp(32, 'hex')}`, madeUp(32, 'hex')],
    [`curl -u elastic:${PASSWORD} https://localhost:9200`, PASSWORD],
    [`curl --user 'me:${PASSWORD}' https://localhost:9200`, PASSWORD],
    [JSON.stringify(`curl --user "me:${PASSWORD}" https://localhost:9200`), PASSWORD],
  ])('%s', (text, secret) => {
    expect(found(text).map(([, value]) => value)).toEqual([secret]);
  });

  test.each([
    'Authorization: Bearer <token>',
    `Authorization: Bearer \${TOKEN}`,
    'Authorization: Basic realm="x"',
    'curl -u user:password https://example.org',
    'curl -u "$USER:$PASSWORD" https://example.org',
    'docker run -u 1000:1000 image',
    'a basic understanding of things',
  ])('not %s', (text) => {
    expect(found(text)).toEqual([]);
  });
});
