/** The worlds of the pages, by name: which files are there, and what the model that Claude Code asks says, turn by turn. */
import type { ScenarioInput } from '../../src/mind/stand-in/scenario.ts';
import { findingId } from '../../src/mind/verdict/open-findings.ts';

export type Recipe = {
  /** This checkout can be cloned, and `supervisor` is not installed yet. */
  readonly checkout?: true;
  readonly commits?: readonly { readonly message: string; readonly files: Readonly<Record<string, string>> }[];
  readonly home?: Readonly<Record<string, string>>;
  readonly programs?: Readonly<Record<string, string>>;
  readonly turns?: ScenarioInput['turns'];
  /** False: the page sets the key itself. */
  readonly key?: false;
  /** `supervisor init` was run on the first commit, and what it wrote was committed. */
  readonly ready?: true;
};

type Turns = ScenarioInput['turns'];

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: the source of a template
const PRICE = (body: string) => `export function price(cents) {\n${body}}\n`;
const PLAIN = '  return `${cents / 100} EUR`;\n';
const FIXED = '  return `${(cents / 100).toFixed(2)} EUR`;\n';
const NO_NEGATIVE = "  if (cents < 0) throw new RangeError('a price is not negative');\n";

const test = (name: string, body: string) => `test('${name}', () => ${body});\n`;
const HEAD = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { price } from '../src/price.js';

`;
const CENTS = test('euros and cents', "assert.equal(price(1234), '12.34 EUR')");
const WHOLE = test('whole euros', "assert.equal(price(500), '5.00 EUR')");
const NEGATIVE = test('a negative price is refused', 'assert.throws(() => price(-1), RangeError)');

const SHOP = {
  'package.json': `${JSON.stringify({ name: 'shop', version: '1.0.0', type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
  'src/price.js': PRICE(PLAIN),
  'test/price.test.js': `${HEAD}${CENTS}`,
};
const shop = [{ message: 'a shop', files: SHOP }];

/** What a worker says at the end, in words and as its packet asks for. */
const answer = (words: string, more: object = {}): Turns[number] => ({
  text: `${words}\n\n\`\`\`json\n${JSON.stringify({ status: 'SUCCESS', action_taken: words, ...more })}\n\`\`\`\n`,
  usage: { input: 2400, output: 210 },
});
const writes = (path: string, text: string, replace = true): Turns[number] => ({
  write: { path, text, replace },
  usage: { input: 1800, output: 120 },
});
/** Claude Code hands in an answer of a form by a tool. */
const reviews = (verdict: Record<string, unknown>): Turns => [
  { call: { tool: 'StructuredOutput', input: verdict }, usage: { input: 3100, output: 160 } },
];

const PASSES = {
  severity: 'high',
  file: 'src/price.js',
  line: 2,
  message: 'a price that is no number passes this check',
} as const;

const TWO_DECIMALS: Turns = [
  writes('src/price.js', PRICE(FIXED)),
  writes('test/decimals.test.js', `${HEAD}${WHOLE}`, false),
  answer('Prices always have two decimals now; a test covers whole euros.', {
    files_modified: ['src/price.js'],
    files_created: ['test/decimals.test.js'],
  }),
];

const REFUSES: Turns = [
  writes('src/price.js', PRICE(NO_NEGATIVE + PLAIN)),
  writes('test/negative.test.js', `${HEAD}${NEGATIVE}`, false),
  answer('A negative price is refused, with a test.', {
    files_modified: ['src/price.js'],
    files_created: ['test/negative.test.js'],
  }),
];

const VAT: Turns = [
  writes('src/vat.js', 'export const withVat = (cents) => Math.round(cents * 1.19);\n', false),
  writes(
    'test/vat.test.js',
    `${HEAD.replaceAll('price', 'vat').replace('{ vat }', '{ withVat }')}${test('adds 19 percent', 'assert.equal(withVat(1000), 1190)')}`,
    false,
  ),
  answer('Amounts with VAT, and a test.', { files_created: ['src/vat.js', 'test/vat.test.js'] }),
];

const wrong = (body: string, words: string): Turns => [
  writes('src/price.js', PRICE(body)),
  answer(words, { files_modified: ['src/price.js'] }),
];

export const RECIPES: Readonly<Record<string, Recipe>> = {
  readme: { checkout: true, commits: shop, turns: TWO_DECIMALS, key: false },
  shop: { commits: shop, turns: [...TWO_DECIMALS, ...VAT], ready: true },
  /** Three attempts that break a test, and a good one. */
  failing: {
    commits: shop,
    turns: [
      ...wrong('  return `${Math.round(cents / 100)}.00 EUR`;\n', 'Prices have two decimals now.'),
      ...wrong('  return `${Math.floor(cents / 100)}.00 EUR`;\n', 'Rounded down, so that nobody pays too much.'),
      ...wrong('  return `${cents.toFixed(2)} EUR`;\n', 'Used toFixed, which is exact.'),
      ...TWO_DECIMALS,
    ],
    ready: true,
  },
  /** A test fails before anybody begins. */
  red: {
    commits: [{ message: 'a shop', files: { ...SHOP, 'test/price.test.js': `${HEAD}${CENTS}${WHOLE}` } }],
    turns: [...REFUSES, ...wrong(NO_NEGATIVE + FIXED, 'Whole euros have two decimals.')],
    ready: true,
  },
  /** A reviewer who finds something, and is content with the second change. */
  reviewed: {
    commits: shop,
    turns: [
      ...REFUSES,
      ...reviews({ status: 'CHANGES_REQUESTED', issues: [PASSES] }),
      writes(
        'src/price.js',
        PRICE(`  if (!(cents >= 0)) throw new RangeError('a price is a number from 0');\n${PLAIN}`),
      ),
      answer('What is no number is refused, too.', { files_modified: ['src/price.js'] }),
      ...reviews({
        status: 'APPROVED',
        earlier: [{ finding: findingId(PASSES), became: 'fixed', reason: 'what is no number is refused' }],
      }),
    ],
    ready: true,
  },
  empty: {},
  /** No CLI at all. */
  bare: { commits: shop, ready: true },
  /** The newest commit is a good change. */
  judged: {
    commits: [
      ...shop,
      {
        message: 'Whole euros have two decimals',
        files: { 'src/price.js': PRICE(FIXED), 'test/price.test.js': `${HEAD}${CENTS}${WHOLE}` },
      },
    ],
    ready: true,
  },
};
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: the source of a template
