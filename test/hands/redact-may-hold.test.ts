/**
 * secretlint sees only texts that hold what one of its rules needs (`may-hold.ts`). Its own expressions, taken from the
 * installed package while it works, say which texts those are.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { lintSource } from '@secretlint/core';
import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expressions, mayHold, NEEDS } from '../../src/hands/redact/may-hold.ts';
import { createRedactor } from '../../src/hands/redact/redact.ts';
import { lint, withoutWords } from '../../src/hands/redact/secretlint.ts';
import { findSecrets } from '../../src/mind/secrets/scan.ts';
import { keyBlock, madeUp } from '../mind/secrets/made-up.ts';

const RULES = rules
  .map((rule) => ({ rule, name: rule.meta.id.split('rule-').at(-1) ?? '' }))
  // Left out by `secretlint.ts`.
  .filter(({ name }) => name !== 'filter-comments');

const INSTALLED = '7606f0952720d9320b5f6a019711defa7caa1579a7bc624eb7ac3447f48e5792';
const WHAT_TO_DO =
  'The rules of secretlint are others than those that `NEEDS` in src/hands/redact/may-hold.ts was made from. Compare both versions of their expressions, ' +
  'and of what they do with a match; make NEEDS wider where a rule finds more than before; then write the new hash here.';

test('the rules are those that the table was made from', () => {
  const source = readFileSync(fileURLToPath(import.meta.resolve('@secretlint/secretlint-rule-preset-recommend')));
  expect(createHash('sha256').update(source).digest('hex'), WHAT_TO_DO).toBe(INSTALLED);
  expect(Object.keys(NEEDS).toSorted(), WHAT_TO_DO).toEqual(RULES.map(({ name }) => name).toSorted());
});

/** The expressions with which a rule looks through a text; those of other files it does not come to. */
async function expressionsOf(rule: (typeof rules)[number]): Promise<RegExp[]> {
  const used: RegExp[] = [];
  const { matchAll } = String.prototype;
  String.prototype.matchAll = function (this: string, one: RegExp) {
    used.push(one);
    return matchAll.call(this, one);
  };
  try {
    await reports(rule, 'a text');
  } finally {
    String.prototype.matchAll = matchAll;
  }
  return used;
}

async function reports(rule: (typeof rules)[number], content: string, filePath = '/text.txt'): Promise<boolean> {
  const { messages } = await lintSource({
    source: { content, filePath, ext: filePath.slice(filePath.lastIndexOf('.')), contentType: 'text' },
    options: {
      config: { rules: [{ id: rule.meta.id, rule: withoutWords(rule), options: {} }] },
      noPhysicFilePath: true,
    },
  });
  return messages.length > 0;
}

/** Assertions about what stands around: the generator knows none. Whether a sample has it, secretlint says. */
const AROUND = /\(\?<?!(?:\[[^\]]*\]|\\p\{L\}|\\w)\)|\\b/g;
const SAMPLES = 60;
const SEED = 20261115;

/** Some of what an expression matches, with each of its parts also as short and as long as it may be. */
function matching({ source, flags }: RegExp): string[] {
  const bare = source.replaceAll(AROUND, '');
  const drawn = [bare, bare, ...ends(bare)].flatMap((one, n) => {
    const whole = new RegExp(`^(?:${one})$`, flags.replaceAll(/[gi]/g, ''));
    const arbitrary = fc.stringMatching(whole, { size: n === 0 ? 'xsmall' : 'medium' });
    return fc.sample(arbitrary, { numRuns: n < 2 ? SAMPLES / 2 : 5, seed: SEED + n });
  });
  if (source.includes('[^')) drawn.push(...drawn.map((one) => one.replaceAll(/(?<=:\/\/\S*)[a-g]/g, '\u65e5')));
  return flags.includes('i') ? drawn.flatMap((one) => [one, one.toUpperCase(), mixed(one)]) : drawn;
}

function ends(source: string): string[] {
  return [...source.matchAll(/\{(\d+),(\d+)\}/g)].flatMap(({ 0: range, 1: least, 2: most, index }) =>
    [least, most].map((count) => `${source.slice(0, index)}{${count}}${source.slice(index + range.length)}`),
  );
}

const mixed = (text: string): string => [...text].map((char, n) => (n % 3 === 1 ? char.toUpperCase() : char)).join('');

/** What random characters do not become: these rules look at a match once more. */
const COMPLETED: Readonly<Record<string, (match: string, n: number) => string>> = {
  '1password': (_, n) => {
    const json = (more: string) => JSON.stringify({ key: `>>>???${madeUp(58 + n)}${more}` });
    const fitting = ['', 'a', 'ab'].map(json).find((one) => one.length % 3 === 1) ?? '';
    return `ops_${Buffer.from(fitting).toString('base64')}`;
  },
  privatekey: (match, n) => {
    const [, begin, end] = /^(-+[A-Z ]+-+)[\s\S]*?(-----END[A-Z ]+-+)$/.exec(match) ?? [];
    const body = `MI${madeUp(94 + (n >> 4))}+/==`;
    return [begin, n % 4 === 2 ? body.replaceAll('B', '\\nB') : body, end].join(n % 2 === 0 ? '' : '\n');
  },
  sendgrid: (_, n) =>
    `SG.${madeUp((n % 60) + 1)}.${madeUp(64 - (n % 60))}`.replace(/.(.)$/, n % 2 === 0 ? '_$1' : '-$1'),
};

/** At the beginning, in the middle, at the end, in quotes, beside characters of two bytes, in one piece with others. */
const PLACES: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => `${secret} and more`,
  (secret) => `some words\n\t${secret}`,
  (secret) => `{"key": "${secret}", "more": "\u65e5\u672c\u8a9e"}`,
  (secret) => `\u00e9\ud83d\ude00=${secret}\u00e9`,
  (secret) => `9_-.:/@${secret}@/:.-_`,
  (secret) => `${secret.slice(0, -1)} ${secret}${secret}`,
];

/** One character less, at some place: what is still found then has the least that is needed. */
const shorter = (text: string, n: number): string => {
  const at = (n * 7919) % text.length;
  return text.slice(0, at) + text.slice(at + 1);
};

/** Texts made from the rule's own expressions, for each the ones in which secretlint finds something by this rule. */
async function foundBy(rule: (typeof rules)[number], name: string): Promise<string[][]> {
  const complete = COMPLETED[name] ?? ((match: string) => match);
  const found: string[][] = [];
  for (const expression of await expressionsOf(rule)) {
    const secrets = matching(expression).map(complete);
    const texts = [...secrets, ...secrets.map(shorter)].flatMap((one) => PLACES.map((place) => place(one)));
    const reported = await Promise.all(texts.map((text) => reports(rule, text)));
    found.push(texts.filter((_, n) => reported[n]));
  }
  return found;
}

test.each(RULES.filter(({ name }) => name !== 'gcp'))(
  '$name: secretlint gets every text in which it finds something, and without one of the rows it does not',
  async ({ rule, name }) => {
    const found = await foundBy(rule, name);
    // Each of its expressions was tried, and found something.
    expect(found.length).toBeGreaterThan(0);
    for (const texts of found) expect(texts.length).toBeGreaterThan(SAMPLES);
    expect(found.flat().filter((text) => !mayHold(text))).toEqual([]);

    const rows = NEEDS[name] ?? [];
    expect(rows.length).toBeGreaterThan(0);
    const all = Object.values(NEEDS).flat();
    for (const row of rows) {
      const others = expressions(all.filter((one) => one !== row));
      const held = found.flat().filter((text) => !others.some((one) => one.test(text)));
      expect(held.length, `without ${row.join('')}`).toBeGreaterThan(0);
    }
  },
);

test('rules for files of a certain name find nothing in our texts, and would under that name', async () => {
  const account = JSON.stringify({ private_key_id: 'a', private_key: keyBlock('PRIVATE KEY') });
  const setting = `//registry.example.org/:${'_authToken'}=abc`;
  const address = `https://abc${':x-oauth-basic'}@github.com/`;
  for (const [name, text, file] of [
    ['gcp', account, '/a.json'],
    ['npm', setting, '/.npmrc'],
    ['npm', address, '/package.json'],
  ] as const) {
    const rule = RULES.find((one) => one.name === name)?.rule;
    if (rule === undefined) throw new Error(`secretlint has no rule ${name}`);
    expect(await reports(rule, text, file)).toBe(true);
    expect((await lint(text)).filter((one) => one.rule === name)).toEqual([]);
  }
});

test('secrets that only secretlint knows are removed from one text among many that it does not see', async () => {
  const theirs = ['tskey', 'abcd', 'a'.repeat(8), 'b'.repeat(16)].join('-');
  expect(findSecrets(theirs)).toEqual([]);
  const texts = Array.from({ length: 50 }, (_, n) => (n % 10 === 7 ? `${n} ${theirs} end` : `${n} plain words`));
  expect(await createRedactor()(texts)).toEqual(texts.map((text) => text.replace(theirs, '[redacted:tailscale]')));
});

test('ordinary source is hardly ever given to it', () => {
  const root = join(import.meta.dirname, '../../src');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const given = files.filter((name) => mayHold(readFileSync(join(root, name), 'utf8')));
  // 3 in 2026-11, all of them about secrets.
  expect(given.length, given.join(', ')).toBeLessThan(files.length / 50);
});

test('a megabyte of what is almost enough is looked through once', () => {
  const units = Object.values(NEEDS)
    .flat()
    .flatMap(([before, behind]) => {
      const plain = new RegExp(`^${(before + behind).replaceAll('(?i:', '(?:')}$`);
      const [whole = ''] = fc.sample(fc.stringMatching(plain), { numRuns: 1, seed: SEED });
      const almost = whole.slice(0, -1);
      return [almost, `${almost}\t`, whole.slice(0, whole.length >> 1), whole.slice(0, 3)];
    });
  const texts = units.map((unit) => unit.repeat(Math.ceil((1 << 20) / unit.length)));
  // All of them take half a second; with a row that walks a text again and again it takes more than a minute.
  const looked = runInNewContext('texts.map(mayHold).length', { texts, mayHold }, { timeout: 60_000 });
  expect(looked).toBe(texts.length);
}, 90_000);
