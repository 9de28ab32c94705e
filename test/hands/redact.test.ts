/** Secrets are taken out of every text before it is written. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mayHold } from '../../src/hands/redact/may-hold.ts';
import { createRedactor } from '../../src/hands/redact/redact.ts';
import { findSecrets } from '../../src/mind/secrets/scan.ts';
import { World } from '../support/cli.ts';

/** Put together here, so that no scanner finds them in this file. */
const GITHUB = `ghp_${'16C7e42F292c6912E7710c838347Ae178B4a'}`;
const ANTHROPIC = `sk-ant-api03-${'a1B2'.repeat(23)}a-AAAAAAAA`;

test('known secrets are replaced, the text around them stays, and order is kept', async () => {
  const redact = createRedactor();
  const [a, b, c] = await redact([`token ${GITHUB} end`, 'nothing here', `two ${GITHUB} and ${ANTHROPIC}`]);
  expect(a).toBe('token [redacted:github] end');
  expect(b).toBe('nothing here');
  expect(c).toBe('two [redacted:github] and [redacted:anthropic]');
});

test('a secret that only secretlint knows is found in the shortest text, behind a text that it need not see', async () => {
  const redact = createRedactor();
  expect(await redact(['only plain words'])).toEqual(['only plain words']);
  // Too short for our own rules.
  const slack = ['xapp', '1', 'a', 'b'].join('-');
  expect(findSecrets(slack)).toEqual([]);
  expect(await redact([slack])).toEqual(['[redacted:slack]']);
  const address = `mysql://a:${'hunt'}2@h/d`;
  expect((await redact([address]))[0]).not.toContain('hunt2');
});

test('texts that are asked for together are scanned together and come back apart', async () => {
  const redact = createRedactor();
  const results = await Promise.all([redact(['x', GITHUB]), redact([]), redact(['', '\n', 'z'])]);
  expect(results).toEqual([['x', '[redacted:github]'], [], ['', '\n', 'z']]);
});

test('ordinary text is left alone: ids, hashes, paths, code', async () => {
  const texts = [
    't-abcdefgh/implement/1/worker.run',
    'a'.repeat(64),
    'src/app/open.ts:12',
    'const token = readToken();',
    '0123456789abcdef0123456789abcdef01234567',
  ];
  expect(await createRedactor()(texts)).toEqual(texts);
});

test('a secret in the task text or in what a worker says is nowhere in the state directory', async () => {
  using world = new World();
  const script = world.file(
    'script.yaml',
    `steps:\n  implement:\n    - {says: "here is ${GITHUB}", reason: "and ${ANTHROPIC}"}\n`,
  );
  const { code, stderr } = await world.run(['run', `use ${GITHUB} please`, '--simulate', '--script', script]);
  expect(code, stderr).toBe(0);
  const files = readdirSync(world.state, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('');
  expect(bytes).toContain('[redacted:github]');
  expect(bytes).not.toContain(GITHUB);
  expect(bytes).not.toContain(ANTHROPIC);
});

test('a secret in the reason a hand gives is nowhere in the state directory either', async () => {
  using world = new World();
  const script = world.file(
    'script.yaml',
    `steps:\n  implement:\n    - {outcome: blocked, reason: "needs ${GITHUB}"}\n`,
  );
  expect((await world.run(['run', 'x', '--simulate', '--script', script])).code).toBe(4);
  const bytes = readdirSync(world.state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('');
  expect(bytes).toContain('needs [redacted:github]');
  expect(bytes).not.toContain(GITHUB);
});

test('a text that tells the scanner to look away is scanned all the same, and so are its neighbours', async () => {
  const [a, b] = await createRedactor()([`// secretlint-disable\n${GITHUB}`, `x ${GITHUB}`]);
  expect(a).toBe('// secretlint-disable\n[redacted:github]');
  expect(b).toBe('x [redacted:github]');
});

test('a word that makes one of the rules throw keeps no text from being cleaned', async () => {
  const trap = ['tskey', 'constructor', 'x'.repeat(8), 'x'.repeat(16)].join('-');
  expect(await createRedactor()([`use ${trap} here`, `and ${GITHUB}`, 'plain'])).toEqual([
    'use [redacted:tailscale] here',
    'and [redacted:github]',
    'plain',
  ]);
});

test('a text that holds what stands between texts does not shift its neighbours', async () => {
  const hostile = `one\n\u0000\u0000\ntwo ${GITHUB}`;
  expect(await createRedactor()([hostile, 'mine', `and ${GITHUB}`])).toEqual([
    'one\n\u0000\u0000\ntwo [redacted:github]',
    'mine',
    'and [redacted:github]',
  ]);
});

test('nothing is left of an AWS secret, however its name is joined to it', async () => {
  const secret = `${'wJalrXUtnFEMI/K7MDENG'}/${'bPxRfiCYzzzzzzKEYq'}`;
  const texts = [
    `AWS_SECRET_ACCESS_KEY=${secret}`,
    `aws_secret_access_key = "${secret}"`,
    `export AWS_SECRET_ACCESS_KEY='${secret}' && x`,
  ];
  const clean = (await createRedactor()(texts)).join('\n');
  for (let n = 0; n + 8 <= secret.length; n++) expect(clean).not.toContain(secret.slice(n, n + 8));
  expect(clean).toContain('&& x');
});

test('the findings in a text do not depend on the texts beside it', async () => {
  const text = `"AWS_SECRET_${'ACCESS_KEY'}"\n  => "wJalrXUtnFEMI/K7MDENG/${'bPxRfiCYzXq7LmKdRe'}"\n`;
  const alone = await createRedactor()([text]);
  expect(alone[0]).toContain('[redacted');
  // So that a piece of 64 KB, which is looked through at once, would end at each place of the text.
  for (let back = 0; back <= text.length + 8; back += 1) {
    // Its first line makes secretlint look at it too.
    const before = `tskey-ab\n${'x = 1;\n'.repeat(20_000)}`.slice(0, (1 << 16) - back);
    expect(mayHold(before)).toBe(true);
    expect((await createRedactor()([before, text]))[1]).toBe(alone[0]);
  }
});
