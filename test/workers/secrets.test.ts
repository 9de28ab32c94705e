/** Variables of the operator: those named reach the worker, and nothing that the worker says about them is written down. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOT_MEASURED } from '../../src/mind/domain/values.ts';
import { block, CHANGE, GOOD, print, Room } from './room.ts';

let room: Room;
beforeAll(() => {
  room = new Room();
});
afterAll(() => room.end());

const SECRET = 'acme-canary-9f3c+Zq7/XYZ';
const HEX = Buffer.from(SECRET).toString('hex');
const BASE64 = Buffer.from(SECRET).toString('base64');
const URL_FORM = encodeURIComponent(SECRET);
const env = { ACME_TOKEN: SECRET, OTHER_TOKEN: 'other-canary-123456', PATH: '/nowhere', HOME: '/root' };
const TELL = `${CHANGE}
echo "clear $ACME_TOKEN"; echo "$ACME_TOKEN" >&2
echo "hex ${HEX} base64 ${BASE64} url ${URL_FORM}"
printf '%.10s' "$ACME_TOKEN"; sleep 0.3; printf '%s\\n' "$ACME_TOKEN" | cut -c 11-
${print('```json')}
echo "{\\"status\\":\\"SUCCESS\\",\\"action_taken\\":\\"used $ACME_TOKEN\\",\\"files_modified\\":[\\"src/b.txt\\"]}"
${print('```')}`;

/** Everything the hand wrote: kept texts, report, transcript. */
const written = (report: object) => [JSON.stringify(report), ...room.blobs.values(), room.transcript()].join('\n');

test('WO-16 a token that the worker tells, in clear, hex, base64 and URL form, is nowhere', async () => {
  const { report, answer, transcript } = await room.work(TELL, { cli: { env: ['ACME_TOKEN'] }, env });
  expect(report.class).toBe('ok');
  for (const form of [SECRET, HEX, BASE64, URL_FORM, SECRET.slice(0, 12)]) expect(written(report)).not.toContain(form);
  expect(transcript).toContain('| clear [masked]\n');
  expect(transcript).toContain('! [masked]\n');
  expect(answer).toContain('used [masked]');
});

test('the control: a value that was not passed through is not known to be a secret', async () => {
  const { report } = await room.work(TELL.replaceAll('$ACME_TOKEN', SECRET), { env });
  expect(written(report)).toContain(SECRET);
});

test('a reason that quotes the worker is masked, also where it is cut', async () => {
  for (const words of ['', 'x'.repeat(1480)]) {
    const block = `{\\"status\\":\\"FAILED\\",\\"action_taken\\":\\"${words} $ACME_TOKEN\\"}`;
    const { report } = await room.work(`${print('```json')}\necho "${block}"\n${print('```')}`, {
      cli: { env: ['ACME_TOKEN'] },
      env,
    });
    expect(report).toMatchObject({ class: 'invalid', reason: expect.stringContaining('the worker says FAILED') });
    expect(report.reason).toContain('[masked]');
    expect(report.reason).not.toContain(SECRET.slice(0, 6));
  }
});

test('a stderr tail and names of files are masked too', async () => {
  const named = await room.work(`mkfifo "src/$ACME_TOKEN"\n${print(block(GOOD))}`, {
    cli: { env: ['ACME_TOKEN'] },
    env: { ACME_TOKEN: 'acme-canary-name-9f3c' },
  });
  expect(named.report.reason).toContain('src/[masked]');
  const { report } = await room.work('echo "401 for $ACME_TOKEN" >&2; exit 1', { cli: { env: ['ACME_TOKEN'] }, env });
  expect(report).toMatchObject({ class: 'auth', reason: expect.stringContaining('401 for [masked]') });
});

test('the worker has the variables that were named and its own, and no others', async () => {
  const { answer } = await room.work(`env | sort\n${print(block({ ...GOOD, files_modified: [] }))}`, {
    cli: { env: ['ACME_TOKEN', 'NOT_SET', 'HOME'] },
    env,
  });
  expect(answer?.split('\n```json')[0]?.split('\n')).toEqual([
    'ACME_TOKEN=[masked]',
    'HOME=/tmp/home',
    'LANG=C.UTF-8',
    'NO_COLOR=1',
    'PATH=/opt/node/bin:/usr/local/bin:/usr/bin:/bin',
    expect.stringMatching(/^PWD=\/workspace/),
    'TERM=dumb',
  ]);
});

test('a secret in the task or in the evidence does not reach the worker', async () => {
  const token = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
  const evidence = await room.context().keep(`failed with ${token}`);
  const { answer, record } = await room.work(`cat\n${CHANGE}\n${print(block(GOOD))}`, {
    work: {
      spec: { version: 1, text: `use ${token}` },
      findings: [{ ...NOT_MEASURED, gate: 'tests', status: 'fail', evidence, ms: 1, excused: 0, cached: false }],
      feedback: 'gate failed: tests',
    },
  });
  expect(answer).not.toContain(token);
  expect(answer).toContain('use [redacted:github]');
  expect(answer).toContain('failed with [redacted:github]');
  expect(room.blobs.get(record.packet)).not.toContain(token);
});

test('the transcript directory holds one file per attempt, for its owner alone', () => {
  const dir = join(room.world.state, 'transcripts/t-1');
  expect(readdirSync(dir).length).toBeGreaterThan(3);
  expect(readFileSync(join(dir, 'build.1.log'), 'utf8')).toContain('[masked]');
});
