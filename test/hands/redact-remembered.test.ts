/** What the redactor remembers of texts: only that these very rules found nothing, and never anything of a secret. */
import { expect, test } from 'vitest';
import type { TextFacts } from '../../src/engine/ports/surroundings.ts';
import { mayHold } from '../../src/hands/redact/may-hold.ts';
import { createRedactor } from '../../src/hands/redact/redact.ts';

/** Put together here, so that no scanner finds it in this file. */
const GITHUB = `ghp_${'16C7e42F292c6912E7710c838347Ae178B4a'}`;

class Facts implements TextFacts {
  readonly all = new Map<string, readonly number[]>();
  get = (kind: string, text: string) => this.all.get(`${kind}|${text}`);
  set = (kind: string, text: string, values: readonly number[]) => void this.all.set(`${kind}|${text}`, values);
  get texts(): string[] {
    return [...this.all.keys()].map((key) => key.slice(key.indexOf('|') + 1));
  }
}

test('a text without secrets is remembered, and not looked at again by the same rules; by others it is', async () => {
  const facts = new Facts();
  const redact = createRedactor({ rules: 'one' });
  expect(await redact(['plain words', `key ${GITHUB}`], undefined, facts)).toEqual([
    'plain words',
    'key [redacted:github]',
  ]);
  expect(facts.texts.toSorted()).toEqual(['key [redacted:github]', 'plain words']);
  // What nobody would do: it shows that the memory is asked, and by the name of the rules.
  for (const key of [...facts.all.keys()]) facts.all.set(key.replace(/\|.*/, `|key ${GITHUB}`), []);
  expect(await redact([`key ${GITHUB}`], undefined, facts)).toEqual([`key ${GITHUB}`]);
  expect(await redact([`key ${GITHUB}`])).toEqual(['key [redacted:github]']);
  const other = createRedactor({ rules: 'two' });
  expect(await other([`key ${GITHUB}`], undefined, facts)).toEqual(['key [redacted:github]']);
});

test('values that are known to be secret are taken out of a text that is remembered as clean', async () => {
  const facts = new Facts();
  const text = 'the horse is called tiberius-of-the-hill';
  expect(await createRedactor({ rules: 'r' })([text], undefined, facts)).toEqual([text]);
  expect(facts.texts).toEqual([text]);
  const knowing = createRedactor({ rules: 'r', known: ['tiberius-of-the-hill'] });
  expect(await knowing([text], undefined, facts)).toEqual(['the horse is called [redacted:known-value]']);
});

test('what is only allowed is not remembered: without the permission it is found', async () => {
  const facts = new Facts();
  const text = `key ${GITHUB}`;
  const allowing = [
    { text: GITHUB, reason: 'an example' },
    { path: 'fixtures/**', reason: 'examples' },
  ];
  for (const entry of allowing) {
    const redact = createRedactor({ rules: 'r', allow: [entry] });
    expect(await redact([text], ['fixtures/a.txt'], facts)).toEqual([text]);
    expect(facts.texts).toEqual([]);
  }
  expect(await createRedactor({ rules: 'r' })([text], ['fixtures/a.txt'], facts)).toEqual(['key [redacted:github]']);
});

test('texts of one turn stay apart: who brings no memory has none, and the order is kept', async () => {
  const facts = new Facts();
  const redact = createRedactor({ rules: 'r' });
  await redact(['seen before'], undefined, facts);
  const [a, b] = await Promise.all([
    redact(['seen before', `x ${GITHUB}`, 'new'], undefined, facts),
    redact(['nobody remembers this', GITHUB]),
  ]);
  expect(a).toEqual(['seen before', 'x [redacted:github]', 'new']);
  expect(b).toEqual(['nobody remembers this', '[redacted:github]']);
  expect(facts.texts.toSorted()).toEqual(['new', 'seen before', 'x [redacted:github]']);
});

test('run from source the rules have no name, and nothing is remembered', async () => {
  const facts = new Facts();
  expect(await createRedactor()(['plain words'], undefined, facts)).toEqual(['plain words']);
  expect(facts.texts).toEqual([]);
});

test('what is found in a text does not depend on what it came with', async () => {
  const text = `"AWS_SECRET_${'ACCESS_KEY'}"\n  => "wJalrXUtnFEMI/K7MDENG/${'bPxRfiCYzXq7LmKdRe'}"\n`;
  const alone = await createRedactor()([text]);
  expect(alone[0]).toContain('[redacted');
  // So that a piece of 64 KB, which is looked through at once, would end at each place of the text.
  for (let back = 0; back <= text.length + 8; back += 1) {
    const facts = new Facts();
    const redact = createRedactor({ rules: 'r' });
    // Its first line makes secretlint look at it too.
    const before = `tskey-ab\n${'x = 1;\n'.repeat(20_000)}`.slice(0, (1 << 16) - back);
    expect(mayHold(before)).toBe(true);
    expect((await redact([before, text], undefined, facts))[1]).toBe(alone[0]);
    expect(await redact([text], undefined, facts)).toEqual(alone);
  }
});
