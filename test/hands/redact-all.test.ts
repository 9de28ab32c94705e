/** secretlint, own rules, known values and the allow-list as one. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../src/hands/redact/redact.ts';
import { keyBlock, madeUp, uuid } from '../mind/secrets/made-up.ts';

const TOKEN = `ghp_${madeUp(36)}`;
const HEX = madeUp(32, 'hex');
const reason = 'an example of the documentation';

test('secrets that secretlint does not know are removed too', async () => {
  const redact = createRedactor();
  const texts = [`algolia_api_key: ${HEX}`, `lin_api_${madeUp(40)}`, keyBlock('PRIVATE KEY'), 'nothing'];
  expect(await redact(texts)).toEqual([
    'algolia_api_key: [redacted:named-secret]',
    '[redacted:linear]',
    '[redacted:private-key]',
    'nothing',
  ]);
});

test('only the value goes: JSON stays JSON, and the names stay readable', async () => {
  const data = {
    api_key: HEX,
    nested: { password: ['c0rrect', 'H0rse!'].join('-'), list: [TOKEN, 'b'] },
    aws_secret_access_key: madeUp(40),
    database: `postgres://app:${madeUp(16)}@db.example.net/app`,
    count: 3,
  };
  const [clean = ''] = await createRedactor()([JSON.stringify(data)]);
  const parsed = JSON.parse(clean) as typeof data;
  expect(Object.keys(parsed)).toEqual(Object.keys(data));
  expect(parsed.api_key).toMatch(/^\[redacted:[a-z-]+\]$/);
  expect(parsed.nested.list).toEqual(['[redacted:github]', 'b']);
  expect(parsed.database).toMatch(
    /^postgres:\/\/app:\[redacted:[a-z-]+\]@db\.example\.net\/app$|^\[redacted:[a-z-]+\]/,
  );
  expect(parsed.count).toBe(3);
  for (const secret of [HEX, data.nested.password, TOKEN, data.aws_secret_access_key])
    expect(clean).not.toContain(secret.slice(4));
});

test('a record keeps the id of its session, and nothing that is secret', async () => {
  const session = uuid();
  const record = {
    command: ['claude', '-p', '--session-id', session],
    session,
    notes: [`the first line\n${TOKEN}`, `\u001b[31m-${TOKEN}\u001b[0m`, `secret key:\n${keyBlock('PRIVATE KEY')}`],
    tokens_in: 3,
  };
  const [clean = ''] = await createRedactor()([JSON.stringify(record)]);
  expect(JSON.parse(clean)).toEqual({
    ...record,
    notes: [
      'the first line\n[redacted:github]',
      '\u001b[31m-[redacted:github]\u001b[0m',
      'secret key:\n[redacted:private-key]',
    ],
  });
});

test('a login of an example is no secret; a real one is removed without its user and host', async () => {
  const secret = madeUp(14);
  const texts = [
    'http://user:pass@example.com',
    'postgres://postgres:postgres@localhost/a',
    `https://me:${secret}@example.org/x`,
  ];
  expect(await createRedactor()(texts)).toEqual([
    ...texts.slice(0, 2),
    'https://me:[redacted:url-password]@example.org/x',
  ]);
});

describe('known values', () => {
  const VALUE = 'plain words of a token/with+signs 7341';
  const forms = [
    VALUE,
    Buffer.from(VALUE).toString('base64').replace(/=+$/, ''),
    Buffer.from(VALUE).toString('hex'),
    encodeURIComponent(VALUE),
  ];

  test('WO-16 the control: other rules would not find them', async () => {
    const clean = await createRedactor()(forms.map((form) => `it says ${form} here`));
    expect(clean).toEqual(forms.map((form) => `it says ${form} here`));
  });

  test('WO-16 in clear, base64, hex and URL form', async () => {
    const redact = createRedactor({ known: [VALUE] });
    const clean = await redact(forms.map((form) => `it says ${form} here`));
    for (const one of clean) expect(one).toMatch(/^it says \[redacted:known-value\].? here$/);
  });

  test('WO-16 not covered, and documented so: reversed, and split over two lines', async () => {
    const texts = [[...VALUE].reverse().join(''), `${VALUE.slice(0, 12)}\n${VALUE.slice(12)}`];
    expect(await createRedactor({ known: [VALUE] })(texts)).toEqual(texts);
  });

  test('nothing on the allow-list lets one through', async () => {
    const allow = [
      { text: `x ${VALUE} y`, reason },
      { path: '**', reason },
    ];
    const redact = createRedactor({ known: [VALUE, TOKEN], allow });
    expect(await redact([`x ${VALUE} y`, `token: ${TOKEN}`], ['a.txt', 'b.txt'])).toEqual([
      'x [redacted:known-value] y',
      'token: [redacted:known-value]',
    ]);
  });
});

test('the allow-list lets through what it names, for this redactor alone', async () => {
  const allow = [{ text: HEX, reason }];
  const text = `api_key: ${HEX}, token: ${TOKEN}`;
  expect(await createRedactor({ allow })([text])).toEqual([`api_key: ${HEX}, token: [redacted:github]`]);
  expect(await createRedactor()([text])).toEqual(['api_key: [redacted:named-secret], token: [redacted:github]']);
});

test('paths of the allow-list count for the texts they are given with', async () => {
  const redact = createRedactor({ allow: [{ path: 'fixtures/', reason }] });
  const asked = [redact([TOKEN, TOKEN], ['fixtures/a', 'src/a']), redact([TOKEN])];
  expect(await Promise.all(asked)).toEqual([[TOKEN, '[redacted:github]'], ['[redacted:github]']]);
});

test('redacting twice is redacting once; the list keeps its length; whole characters stay whole', async () => {
  const redact = createRedactor({ known: ['a known value 1'] });
  const piece = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom(
      ...[
        'token = "',
        'password: ',
        'https://me:',
        '@example.org',
        '"',
        '\n',
        '😀',
        'AWS_SECRET_ACCESS_KEY=',
        'Bearer ',
      ],
      ...[
        ` ${TOKEN} `,
        HEX,
        madeUp(40),
        'a known value 1',
        '[redacted:github]',
        'secretlint-disable',
        'stripe ',
        '\u0000\u0000',
      ],
    ),
  );
  const texts = fc.array(
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
    { maxLength: 4 },
  );
  await fc.assert(
    fc.asyncProperty(texts, async (samples) => {
      const once = await redact(samples);
      expect(once).toHaveLength(samples.length);
      for (const [n, clean] of once.entries()) {
        expect(clean).not.toContain(TOKEN);
        expect(clean).not.toContain('a known value 1');
        if (samples[n]?.isWellFormed()) expect(clean.isWellFormed()).toBe(true);
      }
      expect(await redact(once)).toEqual(once);
    }),
    { numRuns: 300 },
  );
});
