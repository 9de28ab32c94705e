/** The first bytes of TLS: which host they name, for any bytes and any cut. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_CLIENT_HELLO, readClientHello } from '../../src/mind/egress/client-hello.ts';
import { extension, hello, helloMessage, realHello, records, serverName } from './hello-bytes.ts';

const refused = (reason: RegExp) => ({ type: 'refused', reason: expect.stringMatching(reason) });

describe('the name in a TLS hello', () => {
  test('is found in a real one, in lower case, and what follows does not matter', async () => {
    const bytes = await realHello('Good.Test');
    expect(readClientHello(bytes)).toEqual({ type: 'hello', name: 'good.test' });
    expect(readClientHello(Buffer.concat([bytes, Buffer.alloc(70_000, 1)]))).toEqual({
      type: 'hello',
      name: 'good.test',
    });
    // A dot at its end makes it another name, for whoever compares.
    expect(readClientHello(hello('good.test.'))).toEqual({ type: 'hello', name: 'good.test.' });
  });

  test.each([1, 3, 7, 100])('is found in records of %i bytes, and not before the last one', (size) => {
    const message = helloMessage([serverName('good.test')]);
    const bytes = records(message, size);
    expect(readClientHello(bytes)).toEqual({ type: 'hello', name: 'good.test' });
    for (let cut = 0; cut < bytes.length; cut += 1) {
      const told = readClientHello(bytes.subarray(0, cut));
      expect(told.type, `${cut}`).toBe('more');
      if (told.type === 'more') expect(told.need).toBeGreaterThan(cut);
    }
  });

  const message = (...extensions: Buffer[]) => records(helloMessage(extensions));
  const CASES: [what: string, bytes: Buffer, reason: RegExp][] = [
    ['plain HTTP', Buffer.from('GET / HTTP/1.1\r\n'), /does not carry TLS/],
    ['SSH', Buffer.from('SSH-2.0-x\r\n'), /does not carry TLS/],
    ['TLS of the oldest kind', Buffer.from([0x80, 0x2e, 1, 3, 1]), /does not carry TLS/],
    ['an alert', Buffer.from([21, 3, 3, 0, 2, 1, 0]), /does not carry TLS/],
    ['another handshake message', records(Buffer.from([2, 0, 0, 0])), /does not begin with a TLS hello/],
    ['no extensions', records(helloMessage(null)), /names no host/],
    ['no name', message(extension(43, Buffer.from([2, 3, 4]))), /names no host/],
    ['two lists', message(serverName('good.test'), serverName('evil.test')), /malformed/],
    ['two names', message(serverName('good.test', 'evil.test')), /malformed/],
    ['an empty name', message(serverName('')), /malformed/],
    ['a name with a zero byte', message(serverName('good.test\0.evil.test')), /malformed/],
    ['a name that is hidden', message(serverName('good.test'), extension(0xfe0d, Buffer.alloc(50))), /hides a name/],
    ['an empty record', Buffer.from([22, 3, 1, 0, 0, 22, 3, 1]), /malformed/],
    ['a record that is too long', Buffer.from([22, 3, 1, 0x40, 1]), /malformed/],
    ['a hello that is too long', records(Buffer.from([1, 1, 0, 0])), /too long/],
    ['records without end', records(Buffer.concat([Buffer.from([1, 0, 0x10, 0]), Buffer.alloc(300)]), 1), /too many/],
    ['a list that goes beyond its end', message(extension(0, Buffer.from([0, 50, 0, 0, 1, 97]))), /malformed/],
  ];
  test.each(CASES)('%s is refused', (_, bytes, reason) => {
    expect(readClientHello(bytes)).toEqual(refused(reason));
  });

  test('for any bytes, it ends, throws nothing and wants a bounded number of them', async () => {
    const real = await realHello('good.test');
    const start = fc.constantFrom(real, hello('good.test'), records(helloMessage([serverName('good.test')]), 5));
    const changed = fc
      .tuple(start, fc.array(fc.tuple(fc.nat(600), fc.nat(255)), { maxLength: 6 }), fc.nat(2000), fc.nat(600))
      .map(([seed, changes, cut, twice]) => {
        const bytes = Buffer.concat([seed.subarray(0, twice), seed]);
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
        return bytes.subarray(0, cut);
      });
    const any = fc.uint8Array({ maxLength: 400 });
    const headed = any.map((bytes) => Buffer.concat([Buffer.from([22, 3, 1, 1, 0, 1, 0, 0]), bytes]));
    fc.assert(
      fc.property(fc.oneof(any, headed, changed), (bytes) => {
        const told = readClientHello(bytes);
        if (told.type === 'more') {
          expect(told.need).toBeGreaterThan(bytes.length);
          expect(told.need).toBeLessThanOrEqual(MAX_CLIENT_HELLO);
        }
        if (told.type === 'hello') expect(told.name).toMatch(/^[!-~]{1,255}$/);
      }),
      { numRuns: 3000 },
    );
  });

  test('with as many bytes as are ever looked at there is an answer', () => {
    const body = fc.uint8Array({ minLength: 64, maxLength: 64 });
    fc.assert(
      fc.property(body, fc.integer({ min: 1, max: 1 << 14 }), (seed, size) => {
        const message = Buffer.concat([Buffer.from([1, 0, 0x3f, 0xfc]), Buffer.alloc(20_000, Buffer.from(seed))]);
        const bytes = records(message, size).subarray(0, MAX_CLIENT_HELLO);
        expect(readClientHello(bytes).type).not.toBe('more');
      }),
      { numRuns: 100 },
    );
  });
});
