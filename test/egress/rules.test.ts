/** The pure rules: what is a name, what is a private place, and when a server wants to be asked again. */
import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressKind, addressProblem } from '../../src/mind/egress/address.ts';
import { passedOn } from '../../src/mind/egress/headers.ts';
import { upstreamOf } from '../../src/mind/egress/policy.ts';
import { resetTime } from '../../src/mind/egress/reset-time.ts';
import { parseAbsolute, parseAuthority, parseOrigin } from '../../src/mind/egress/target.ts';

describe('a name and a port', () => {
  test.each(['example.com:443', 'a.b-c.example:1', 'EXAMPLE.com:65535', 'xn--bcher-kva.example:443', 'localhost:80'])(
    '%s is one',
    (text) => {
      expect(parseAuthority(text, null)).toEqual({
        ok: true,
        host: text.split(':')[0]?.toLowerCase(),
        port: Number(text.split(':')[1]),
      });
    },
  );

  const LITERALS = [
    ...['127.0.0.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '017700000001', '127.1', '1', '0x', '0'],
    ...['[::1]', '[::ffff:127.0.0.1]', '::1', '::ffff:7f00:1', '[fe80::1%25eth0]', 'good.test.1', '10.0.0.0x1'],
  ];
  test.each(LITERALS)('%s is an address, in one of its spellings', (host) => {
    expect(parseAuthority(`${host}:443`, null)).toMatchObject({ ok: false });
    expect(parseAbsolute(`http://${host}/`)).toMatchObject({ ok: false });
  });

  test.each([
    ['good.test\0.evil.test:443', /zero byte/],
    ['good.test\r\nx:443', /control/],
    ['good test:443', /blank/],
    ['user@good.test:443', /user name/],
    ['user:word@good.test:443', /user name/],
    ['good%2etest:443', /percent/],
    ['gööd.test:443', /ASCII/],
    ['good。test:443', /ASCII/],
    ['good.test.:443', /dot/],
    ['.good.test:443', /not the name/],
    ['good..test:443', /not the name/],
    ['-good.test:443', /not the name/],
    ['good_one.test:443', /not the name/],
    ['*.good.test:443', /not the name/],
    ['good.test', /no port/],
    ['good.test:', /port/],
    ['good.test:0', /port/],
    ['good.test:00443', /port/],
    ['good.test:65536', /port/],
    ['good.test:+443', /port/],
    [':443', /no host/],
    [`${'a'.repeat(64)}.test:443`, /not the name/],
    [`${'a.'.repeat(127)}test:443`, /too long/],
    ['', /no host/],
  ])('%j is none', (text, reason) => {
    expect(parseAuthority(text, null)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });

  test('an accepted host name means the same to the dialler', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webAuthority(), fc.domain(), fc.ipV4Extended(), fc.ipV6()), (text) => {
        const parsed = parseAuthority(text, 443);
        if (!parsed.ok) return;
        expect(isIP(parsed.host)).toBe(0);
        expect(new URL(`http://${parsed.host}:${parsed.port}/`).hostname).toBe(parsed.host);
      }),
    );
  });

  test('an address of http, as a proxy is asked', () => {
    expect(parseAbsolute('http://good.test/a?b=1')).toMatchObject({ host: 'good.test', port: 80, path: '/a?b=1' });
    expect(parseAbsolute('HTTP://Good.Test:81?b')).toMatchObject({ host: 'good.test', port: 81, path: '/?b' });
    for (const text of [
      'https://good.test/',
      'ftp://good.test/',
      'http://',
      'http:/good.test',
      'http://good.test\\@evil.test/',
    ])
      expect(parseAbsolute(text), text).toMatchObject({ ok: false });
  });

  test('a path does not climb out of the base of its route', () => {
    expect(parseOrigin('/v1/a..b/...?x=/../')).toMatchObject({ ok: true });
    for (const path of [
      '/../x',
      '/a/..',
      '/./x',
      '/%2e%2E/x',
      '/a/.%2e/b',
      '/a%2f..%2fb',
      '/..;/x',
      '/a\\..\\b',
      '/x#y',
      '*',
    ])
      expect(parseOrigin(path), path).toMatchObject({ ok: false });
  });
});

describe('where a name leads', () => {
  test.each([
    ...['8.8.8.8', '1.1.1.1', '100.63.255.255', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::808:808'],
  ])('%s is public', (address) => {
    expect(addressKind(address)).toBe('public');
  });

  test.each([
    ...['127.0.0.1', '127.255.255.254', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1'],
    ...[
      '::1',
      'fd12:3456::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '::ffff:0:127.0.0.1',
    ],
  ])('%s is private: only by the operator’s word', (address) => {
    expect(addressKind(address)).toBe('private');
    expect(addressProblem(['8.8.8.8', address], false)).toContain('a private address');
    expect(addressProblem(['8.8.8.8', address], true)).toBeNull();
  });

  test.each([
    ...['169.254.169.254', '169.254.0.1', '100.100.100.200', '192.0.0.192', '168.63.129.16', '0.0.0.0', '0.1.2.3'],
    ...[
      '224.0.0.1',
      '255.255.255.255',
      '240.0.0.1',
      'fd00:ec2::254',
      'fd20:ce::254',
      'fe80::1',
      'fe80::1%eth0',
      'ff02::1',
    ],
    ...[
      '::',
      '::ffff:169.254.169.254',
      '::ffff:a9fe:a9fe',
      '64:ff9b::a9fe:a9fe',
      '2002:a9fe:a9fe::',
      '::169.254.169.254',
    ],
    ...['2001:0:1::1', 'nonsense', '', '1.2.3', '01.2.3.4', '1:2:3', '::1::'],
  ])('%s is never allowed', (address) => {
    expect(addressKind(address)).toBe('never');
    expect(addressProblem([address], true)).toContain('never');
  });

  test('nowhere', () => expect(addressProblem([], true)).toContain('no address'));
});

test('the upstream of a route', () => {
  expect(upstreamOf('https://api.test')).toEqual({ secure: true, host: 'api.test', port: 443, base: '' });
  expect(upstreamOf('http://[::1]:99/a/b/')).toEqual({ secure: false, host: '::1', port: 99, base: '/a/b' });
  for (const text of [
    'api.test',
    'ftp://api.test',
    'https://me:word@api.test',
    'https://api.test/?x',
    'https://api.test:99999',
  ])
    expect(upstreamOf(text), text).toBeNull();
});

test('headers about one connection do not pass, nor those a connection names', () => {
  const raw = [
    'Connection',
    'close, X-Own',
    'X-Own',
    '1',
    'TE',
    'trailers',
    'A',
    '1',
    'a',
    '2',
    'Proxy-Authorization',
    'x',
  ];
  expect(passedOn(raw, ['gone'])).toEqual(['A', '1', 'a', '2']);
});

describe('when to ask again', () => {
  const now = Date.UTC(2026, 0, 1);
  const date = (ms: number) => new Date(now + ms).toUTCString();
  test.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': date(90_000) }, 90_000],
    [{ 'retry-after-ms': '1500', 'retry-after': '2' }, 1500],
    [{ 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '6m0s' }, 1000],
    [
      { 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '6m0s', 'x-ratelimit-remaining-tokens': '0' },
      360_000,
    ],
    [{ 'x-ratelimit-reset-tokens': '20ms' }, 20],
    [{ 'anthropic-ratelimit-requests-reset': new Date(now + 60_000).toISOString() }, 60_000],
    [
      {
        'anthropic-ratelimit-requests-reset': new Date(now + 60_000).toISOString(),
        'anthropic-ratelimit-tokens-reset': new Date(now + 3_600_000).toISOString(),
        'anthropic-ratelimit-tokens-remaining': '0',
      },
      3_600_000,
    ],
    [{ 'anthropic-ratelimit-unified-reset': `${now / 1000 + 5 * 3600}` }, 5 * 3_600_000],
    [{ 'x-ratelimit-reset': `${now + 9000}` }, 9000],
  ])('%j', (headers, ms) => {
    expect(resetTime(headers, now)).toBe(now + ms);
  });

  test.each([
    {},
    { 'retry-after': 'soon' },
    { 'retry-after': '99999999999999' },
    { 'retry-after': '-1' },
    { 'retry-after': date(-1e9) },
  ])('%j tells nothing', (headers) => {
    expect(resetTime(headers, now)).toBeNull();
  });
});
