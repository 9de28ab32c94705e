/** What people see of a worker's output: harmless, masked, bounded, and there while the worker still runs. */
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { createRedactor } from '../../src/hands/redact/redact.ts';
import { StreamText } from '../../src/hands/workers/stream-text.ts';
import { Transcript } from '../../src/hands/workers/transcript.ts';
import { KnownValues } from '../../src/mind/secrets/known-values.ts';
import { eventually } from '../support/cli.ts';

const dir = mkdtempSync(join(tmpdir(), 'supervisor-transcript-'));
afterAll(() => rmSync(dir, { recursive: true }));
let count = 0;
const fresh = () => join(dir, `${count++}/deep/one.log`);
const redact = createRedactor();
const NONE = new KnownValues([]);

const add = (transcript: Transcript, stream: 'stdout' | 'stderr' | 'note', text: string) =>
  transcript.add(stream, Buffer.from(text));

/** In pieces of `size` bytes, as pipes cut them. */
function shown(bytes: Uint8Array, mask = NONE, size = bytes.length): string {
  const stream = new StreamText(mask);
  let text = '';
  for (let at = 0; at < bytes.length; at += size) text += stream.add(bytes.subarray(at, at + size));
  return text + stream.end();
}

const HOSTILE: readonly (readonly [what: string, bytes: string, shown: string])[] = [
  ['WO-07 clipboard by OSC 52', '\u001b]52;c;aGVsbG8=\u0007', '\\u001b]52;c;aGVsbG8=\\u0007'],
  ['WO-07 a link by OSC 8', '\u001b]8;;file:///etc/hostname\u001b\\x', '\\u001b]8;;file:///etc/hostname\\u001b\\x'],
  ['WO-07 a cleared screen', '\u001b[2J\u001b[H', '\\u001b[2J\\u001b[H'],
  ['WO-07 an overwritten word', 'FAILED\rPASSED\n', 'FAILED\\u000dPASSED\n'],
  ['WO-07 a C1 control', '\u009b31m', '\\u009b31m'],
  ['WO-06 direction and zero width', 'a\u202eb\u200bc\ufeff', 'a\\u202eb\\u200bc\\ufeff'],
  ['WO-06 a zero byte', 'a\0b', 'a\\u0000b'],
  ['ends of lines of another system', 'one\r\ntwo\r\n', 'one\ntwo\n'],
  ['letters of all lengths', 'aé€😀\n', 'aé€😀\n'],
];

describe.each(HOSTILE)('%s', (_, text, expected) => {
  test.each([1, 2, 3, 1000])('in pieces of %i bytes', (size) => {
    expect(shown(Buffer.from(text), NONE, size)).toBe(expected);
  });
});

test('WO-06 bytes that are no text are shown as such, and nothing is lost around them', () => {
  expect(shown(Buffer.from([0x61, 0xff, 0xfe, 0xed, 0xa0, 0x80, 0x62]), NONE, 1)).toMatch(/^a\ufffd+b$/);
});

describe('WO-16 a secret that is known', () => {
  const secret = 'canary-9f3c/Zq+7 key';
  const mask = new KnownValues([secret, 'short']);
  const forms: readonly (readonly [string, string])[] = [
    ['as it is', secret],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64 for URLs', Buffer.from(secret).toString('base64url')],
    ['inside of a longer base64', Buffer.from(`token=${secret};`).toString('base64')],
    ['one place further', Buffer.from(`token =${secret};`).toString('base64')],
    ['two places further', Buffer.from(`token  =${secret};`).toString('base64')],
    ['in hex', Buffer.from(secret).toString('hex')],
    ['in large hex', Buffer.from(secret).toString('hex').toUpperCase()],
    ['in a URL', encodeURIComponent(secret)],
    ['in a URL, every byte', Buffer.from(secret).toString('hex').replaceAll(/../g, '%$&')],
    ['in JSON', JSON.stringify({ secret })],
  ];
  test.each(forms)('%s', (_, form) => {
    for (const size of [1, 7, 1000]) {
      const text = shown(Buffer.from(`before ${form} after\n`), mask, size);
      expect(text).toMatch(/^before .*\[masked\].* after\n$/);
      expect(text).not.toContain(form);
      // What is left of it is too little to be of use.
      expect(text.length).toBeLessThan(`before  after\n[masked]`.length + form.length / 2 + 8);
      // The control: without the mask it would be there.
      expect(shown(Buffer.from(form), NONE, size)).toBe(form);
    }
  });

  test('not covered, as documented: split over lines, reversed, or too short to differ from a word', () => {
    expect(shown(Buffer.from('canary-9f3c\n/Zq+7 key short'), mask)).toBe('canary-9f3c\n/Zq+7 key short');
  });

  test('its beginning is held back until it can no longer become the secret', () => {
    const stream = new StreamText(mask);
    expect(stream.add(Buffer.from('a canary-9f'))).toBe('a ');
    expect(stream.add(Buffer.from('x'))).toBe('canary-9fx');
    expect(stream.add(Buffer.from('canary-9f3c'))).toBe('');
    expect(stream.end()).toBe('canary-9f3c');
  });

  test('each line of a key of several lines', () => {
    const key = '-----BEGIN KEY-----\nMIIEabcdefghijklmnop\n-----END KEY-----';
    expect(shown(Buffer.from('x MIIEabcdefghijklmnop y'), new KnownValues([key]))).toBe('x [masked] y');
  });
});

test('unknown secrets are found by their look', async () => {
  const path = fresh();
  const transcript = await Transcript.open({ path: path, mask: NONE, redact });
  const token = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
  // In two pieces, with time to write between them: a word is not shown before it is whole.
  add(transcript, 'stdout', `the token is ${token.slice(0, 20)}`);
  await eventually(() => readFileSync(path, 'utf8') === '| the token is ', 'what is whole is written');
  await sleep(300);
  expect(readFileSync(path, 'utf8')).toBe('| the token is ');
  add(transcript, 'stdout', `${token.slice(20)} and more\n`);
  await transcript.close();
  expect(readFileSync(path, 'utf8')).toBe('| the token is [redacted:github] and more\n');
});

test('no stream can print a line of another, and no line of Supervisor', async () => {
  const path = fresh();
  const transcript = await Transcript.open({ path: path, mask: NONE, redact });
  add(transcript, 'stdout', 'a\n! b\n# c\nhalf');
  add(transcript, 'stderr', 'err\n# forged');
  add(transcript, 'stdout', ' a line\n');
  add(transcript, 'note', 'a word of ours\n');
  const written = await transcript.close();
  const text = readFileSync(path, 'utf8');
  expect(text).toBe('| a\n| ! b\n| # c\n| half\n! err\n! # forged\n|  a line\n# a word of ours\n');
  expect(written).toEqual({ path, bytes: text.length, omitted: 0, problem: null });
});

test('others can follow while it lasts, and only the owner can read', async () => {
  const path = fresh();
  const transcript = await Transcript.open({ path: path, mask: NONE, redact });
  for (const text of ['one\n', 'two\n', 'Proceed? [y/N] ']) {
    add(transcript, 'stdout', text);
    await eventually(() => readFileSync(path, 'utf8').endsWith(text), 'it can be read');
  }
  add(transcript, 'stdout', 'Password:');
  await eventually(() => readFileSync(path, 'utf8').endsWith('Password:'), 'a half line can be read too');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  await transcript.close();
});

test('head and tail are kept, and a line says how much is missing', async () => {
  const path = fresh();
  const transcript = await Transcript.open({ path: path, mask: NONE, redact, half: 64 << 10 });
  const lines = Array.from({ length: 40_000 }, (_, n) => `line ${n}`);
  for (let at = 0; at < lines.length; at += 100) add(transcript, 'stdout', `${lines.slice(at, at + 100).join('\n')}\n`);
  const { bytes, omitted } = await transcript.close();
  const text = readFileSync(path, 'utf8');
  const all = lines.reduce((sum, line) => sum + line.length + 1, 0);
  const note = /^# (\d+) bytes are left out here\n/m.exec(text);
  expect(Number(note?.[1])).toBe(omitted);
  const printed = bytes - note![0].length - 2 * (text.split('\n').length - 2);
  // But for the lines that were cut, which are not shown either.
  expect(Math.abs(all - printed - omitted)).toBeLessThan(100);
  expect(bytes).toBeLessThan(3 * (64 << 10));
  expect(text.startsWith('| line 0\n')).toBe(true);
  expect(text.endsWith('| line 39999\n')).toBe(true);
  expect(text.split('\n').filter((line) => !/^(\| line \d+|# \d+ bytes .*|)$/.test(line))).toEqual([]);
});

test('an endless line has a head and a tail too, and its tail cannot pass for a line of Supervisor', async () => {
  const path = fresh();
  const transcript = await Transcript.open({ path: path, mask: NONE, redact, half: 64 << 10 });
  for (let n = 0; n < 100; n++) add(transcript, 'stdout', `# forged ${'A'.repeat(10_000)}`);
  const { omitted } = await transcript.close();
  const [head, note, tail] = readFileSync(path, 'utf8').split('\n');
  expect(head).toMatch(/^\| # forged A+/);
  expect(note).toBe(`# ${omitted} bytes are left out here`);
  expect(tail).toMatch(/^\| …/);
});

test('a text that grows to six times its size is bounded all the same', async () => {
  for (const [line, start] of [
    ['\u0001'.repeat(99), '| \\u0001'],
    [`\u0001${'\n'.repeat(98)}`, '| '],
  ] as const) {
    const path = fresh();
    const transcript = await Transcript.open({ path, mask: NONE, redact, half: 64 << 10 });
    for (let n = 0; n < 1200; n++) add(transcript, 'stdout', line);
    const { omitted } = await transcript.close();
    const text = readFileSync(path, 'utf8');
    expect(omitted).toBeGreaterThan(0);
    expect(text.length).toBeLessThan(5 * (64 << 10));
    expect(text.startsWith(start)).toBe(true);
    expect(text.split('\n').filter((one) => !/^(\| .*|# \d+ bytes are left out here|)$/.test(one))).toEqual([]);
    expect(text).toMatch(/bytes are left out here\n\| (…|\\u0001|\n)/);
  }
});

test('a link in its place is not followed, and the attempt goes on', async () => {
  const victim = join(dir, 'victim');
  writeFileSync(victim, 'mine');
  const path = join(dir, 'link.log');
  symlinkSync(victim, path);
  const transcript = await Transcript.open({ path: path, mask: NONE, redact });
  add(transcript, 'stdout', 'x\n');
  expect((await transcript.close()).problem).toMatch(/ELOOP/);
  expect(readFileSync(victim, 'utf8')).toBe('mine');
});

test('a text that cannot be cleaned is not written', async () => {
  const path = fresh();
  const transcript = await Transcript.open({
    path: path,
    mask: NONE,
    redact: () => Promise.reject(new Error('no redactor')),
  });
  add(transcript, 'stdout', 'secret\n');
  expect(await transcript.close()).toMatchObject({ bytes: 0, problem: 'no redactor' });
  expect(readFileSync(path, 'utf8')).toBe('');
});
