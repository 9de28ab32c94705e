/** Every way in which the stand-in goes bad, in every protocol; each beside the good answer that it is made from. */
import { describe, expect, test } from 'vitest';
import { StandIn } from '../../src/hands/stand-in/stand-in.ts';
import { PROTOCOLS, type ScenarioInput } from '../../src/mind/stand-in/scenario.ts';
import { type Asking, ask, events } from './ask.ts';

type Turn = ScenarioInput['turns'][number];

const TEXT = 'a long enough answer to be cut in its middle';
/** Long after an honest answer, which takes a few milliseconds; silence is waited for once for all, so it may take this. */
const SILENT_MS = 6_000;
const PATIENT_MS = 120_000;

/** All that a client gets, and how it ends for it. */
async function got(turn: Turn, protocol: (typeof PROTOCOLS)[number], asking: Asking = {}, ms = PATIENT_MS) {
  await using server = new StandIn({ scenario: { turns: [turn] } });
  const { url } = await server.listen();
  let response: Response | null = null;
  let body = '';
  try {
    response = await ask(url, protocol, { ...asking, signal: AbortSignal.timeout(ms) });
    for await (const chunk of response.body ?? []) body += Buffer.from(chunk).toString();
    return { status: response.status, headers: response.headers, body, end: 'whole' };
  } catch (error) {
    const end = (error as Error).name === 'TimeoutError' ? 'silence' : 'hang-up';
    return { status: response?.status ?? null, headers: response?.headers, body, end };
  }
}

describe.each(PROTOCOLS)('%s', (protocol) => {
  describe.each([false, true])('stream: %s', (stream) => {
    test.each([400, 401, 403, 429, 500, 503, 529])('refuses with %i, in its own words', async (status) => {
      const { body, headers, ...rest } = await got({ status, message: 'no!' }, protocol, { stream });
      expect(rest).toEqual({ status, end: 'whole' });
      expect(headers?.get('content-type')).toBe('application/json');
      expect(headers?.get('retry-after')).toBeNull();
      expect(JSON.parse(body).error).toMatchObject({ message: 'no!' });
    });

    test('tells when to come back, if the turn says so', async () => {
      const turn = { status: 429, retry_after: 7, headers: { 'x-reset': 'soon' } };
      const { headers, body } = await got(turn, protocol, { stream });
      expect([headers?.get('retry-after'), headers?.get('x-reset')]).toEqual(['7', 'soon']);
      if (protocol === 'gemini') expect(JSON.parse(body).error.details).toMatchObject([{ retryDelay: '7s' }]);
    });

    test('malformed: a good head, and a body that does not parse', async () => {
      const { status, headers, body, end } = await got({ fault: 'malformed' }, protocol, { stream });
      expect([status, end]).toEqual([200, 'whole']);
      expect(headers?.get('content-type')).toContain(stream ? 'text/event-stream' : 'application/json');
      expect(() => (stream ? events(body) : JSON.parse(body))).toThrow(SyntaxError);
      // Else the line above could not fail.
      const good = await got({ text: TEXT }, protocol, { stream });
      expect(() => (stream ? events(good.body) : JSON.parse(good.body))).not.toThrow();
    });

    test('empty: a good head, and nothing', async () => {
      expect(await got({ fault: 'empty' }, protocol, { stream })).toMatchObject({
        status: 200,
        body: '',
        end: 'whole',
      });
    });

    test('html: what a login page of a network would say', async () => {
      const { status, headers, body } = await got({ fault: 'html' }, protocol, { stream });
      expect([status, headers?.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(body).toContain('<html>');
    });

    test('cut: half of it, then it hangs up', async () => {
      const bad = await got({ text: TEXT, fault: 'cut' }, protocol, { stream });
      expect([bad.status, bad.end]).toEqual([200, 'hang-up']);
      await expectHalf(bad.body, protocol, stream);
    });

    test('reset: nothing at all, then it hangs up', async () => {
      const bad = await got({ fault: 'reset' }, protocol, { stream });
      expect(bad).toMatchObject({ status: null, body: '', end: 'hang-up' });
    });
  });
});

const WAYS = PROTOCOLS.flatMap((protocol) => [true, false].map((stream) => ({ protocol, stream })));

test('stall: half of it, then silence, in every protocol', async () => {
  const one = async ({ protocol, stream }: (typeof WAYS)[number]) => {
    const bad = await got({ text: TEXT, fault: 'stall' }, protocol, { stream }, SILENT_MS);
    expect([bad.status, bad.end]).toEqual([200, 'silence']);
    await expectHalf(bad.body, protocol, stream);
  };
  await Promise.all(WAYS.map(one));
});

test('hang: nothing at all, and silence, in every protocol', async () => {
  const one = async ({ protocol, stream }: (typeof WAYS)[number]) => {
    const bad = await got({ fault: 'hang' }, protocol, { stream }, SILENT_MS);
    expect(bad).toMatchObject({ status: null, body: '', end: 'silence' });
  };
  await Promise.all(WAYS.map(one));
});

test('a delay comes before everything', async () => {
  expect(await got({ text: TEXT, delay: '1h' }, 'chat', {}, SILENT_MS)).toMatchObject({ status: null, end: 'silence' });
  expect(await got({ text: TEXT, delay: '50ms' }, 'chat')).toMatchObject({ status: 200, end: 'whole' });
});

/** Times and ids differ; what counts is that something came, and that it is not all. */
async function expectHalf(body: string, protocol: (typeof PROTOCOLS)[number], stream: boolean): Promise<void> {
  const good = await got({ text: TEXT }, protocol, { stream });
  expect(good.end).toBe('whole');
  expect(body.length).toBeGreaterThan(20);
  expect(body.length).toBeLessThan(good.body.length * 0.7);
}
