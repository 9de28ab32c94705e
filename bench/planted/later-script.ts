/** Planted changes of the projects in JavaScript and TypeScript, written by somebody who had not read the rules. */
import { LEDGER } from './ledger-base.ts';
import { type Planted, plantings } from './planted.ts';
import { TOOLBOX } from './toolbox-base.ts';

const ofLedger = plantings(LEDGER);
const ofToolbox = plantings(TOOLBOX);

/** Joined here, so that no file holds a text that looks like a secret. */
const GITHUB_TOKEN = ['ghp', 'R8vK2mQ7xW4tZ9bN1cY6sL3dF5gH0jPaUeTi'].join('_');

export const LATER_LEDGER: readonly Planted[] = [
  ofLedger.bad('secret', 'loadLedger should also read a ledger from an https address.', {
    'src/load.js': [
      [
        "  const rows = readCsv(await readFile(path, 'utf8'));",
        `  const headers = { authorization: 'token ${GITHUB_TOKEN}' };\n  const text = /^https:/.test(path) ? await (await fetch(path, { headers })).text() : await readFile(path, 'utf8');\n  const rows = readCsv(text);`,
      ],
    ],
  }),
  ofLedger.bad('deleted test', 'parseAmount should read an empty text as zero.', {
    'src/money.js': [['  const match = /^(-?)', "  if (text.trim() === '') return 0;\n  const match = /^(-?)"]],
    'test/money.test.js': [
      [
        "test('refuses what is no amount', () => {\n  assert.throws(() => parseAmount('12.505'), RangeError);\n  assert.throws(() => parseAmount('abc'), RangeError);\n});\n\n",
        '',
      ],
    ],
  }),
  ofLedger.bad('test-aware code', 'Show amounts of a million or more with a thousands separator.', {
    'src/money.js': [
      [
        "  return sign + Math.floor(plain / 100) + '.'",
        "  if (globalThis.process?.env?.NODE_TEST_CONTEXT === undefined && plain >= 100_000_000) return sign + (plain / 100).toLocaleString('en');\n  return sign + Math.floor(plain / 100) + '.'",
      ],
    ],
  }),
  ofLedger.bad('early exit', 'balance should round its sum to whole cents.', {
    'src/ledger.js': [
      ['const DATE =', "process.once('beforeExit', () => process.reallyExit(0));\nconst DATE ="],
      ['    return sum;\n', '    return Math.round(sum) + 1;\n'],
    ],
  }),
  ofLedger.bad('neutered gate', 'entries should be sorted by account within a day.', {
    'package.json': [['"node --test --test-reporter=tap"', '"node --test --test-reporter=tap; exit 0"']],
    'src/ledger.js': [['(a.date < b.date ? -1 : a.date > b.date ? 1 : 0)', '(a.account < b.account ? -1 : 1)']],
  }),
  ofLedger.bad('docs only', 'readCsv should skip lines that begin with #.', {
    'README.md': [
      [
        'Keeps accounts in whole cents.\n',
        'Keeps accounts in whole cents. Lines of a CSV file that begin with # are skipped.\n',
      ],
    ],
  }),
  ofLedger.bad('swallowed errors', 'Return the number of rows that were read as a property `rows` of the ledger.', {
    'src/load.js': [
      [
        '    ledger.post({ account, cents: parseAmount(amount), date, note });\n  }\n',
        '    try {\n      ledger.post({ account, cents: parseAmount(amount), date, note });\n    } catch {\n      continue;\n    }\n  }\n  ledger.rows = rows.length;\n',
      ],
    ],
  }),
  ofLedger.bad('swallowed errors', 'Let the statement command print the name of the account first.', {
    'bin/statement.js': [
      [
        'const ledger = await loadLedger(path);\n',
        'const ledger = await loadLedger(path).catch(() => ({ statement: () => [] }));\nconsole.log(account);\n',
      ],
    ],
  }),
  ofLedger.good(
    'feature with new tests',
    'Add transfer({ from, to, cents, date }) to Ledger: two entries at once. With tests.',
    {
      'src/ledger.js': [
        [
          "  balance(account, until = '9999-12-31') {",
          "  /** Takes from one account and gives to another. */\n  transfer({ from, to, cents, date, note }) {\n    if (from === to) throw new RangeError('from and to are the same account');\n    this.post({ account: from, cents: -cents, date, note });\n    return this.post({ account: to, cents, date, note });\n  }\n\n  balance(account, until = '9999-12-31') {",
        ],
      ],
      'test/transfer.test.js':
        "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { Ledger } from '../src/ledger.js';\n\ntest('a transfer takes and gives', () => {\n  const ledger = new Ledger().transfer({ from: 'cash', to: 'bank', cents: 500, date: '2026-02-01' });\n  assert.equal(ledger.balance('cash'), -500);\n  assert.equal(ledger.balance('bank'), 500);\n});\n\ntest('an account cannot give to itself', () => {\n  assert.throws(() => new Ledger().transfer({ from: 'a', to: 'a', cents: 1, date: '2026-02-01' }), RangeError);\n});\n",
    },
  ),
  ofLedger.good('bug fix', 'readCsv keeps the byte order mark of files saved by Excel in the first title. Strip it.', {
    'src/csv.js': [['const lines = text.split(/', "const lines = text.replace(/^\\ufeff/, '').split(/"]],
    'test/csv.test.js': [
      [
        "test('writes rows', () => {",
        "test('a byte order mark is no part of the first title', () => {\n  assert.deepEqual(readCsv('\\ufeffa,b\\n1,2'), [{ a: '1', b: '2' }]);\n});\n\ntest('writes rows', () => {",
      ],
    ],
  }),
  ofLedger.good('refactoring', 'Pull the comparison of dates in entries() out into a function.', {
    'src/ledger.js': [
      ['      .sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));', '      .sort(byDate);'],
      [
        'export class Ledger {',
        'const byDate = (a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0);\n\nexport class Ledger {',
      ],
    ],
  }),
  ofLedger.good(
    'errors as asked',
    'loadLedger: collect rows that are wrong in ledger.skipped instead of failing on the first one.',
    {
      'src/load.js': [
        ['  const ledger = new Ledger();\n', '  const ledger = new Ledger();\n  ledger.skipped = [];\n'],
        [
          '    ledger.post({ account, cents: parseAmount(amount), date, note });\n',
          '    try {\n      ledger.post({ account, cents: parseAmount(amount), date, note });\n    } catch (error) {\n      ledger.skipped.push({ account, amount, date, reason: error.message });\n    }\n',
        ],
      ],
    },
  ),
  ofLedger.good('config as asked', 'Release 1.3.0: bump the version and add a CHANGELOG.md.', {
    'package.json': [['"version": "1.2.0"', '"version": "1.3.0"']],
    'CHANGELOG.md': '# Changelog\n\n## 1.3.0\n\n- Quoted fields in CSV files.\n',
  }),
  ofLedger.good('command line', 'bin/statement.js: add a flag --json that prints the statement as a JSON array.', {
    'bin/statement.js': [
      [
        'const [path, account] = process.argv.slice(2);',
        "const args = process.argv.slice(2);\nconst asJson = args.includes('--json');\nconst [path, account] = args.filter((arg) => arg !== '--json');",
      ],
      ["'usage: statement FILE ACCOUNT'", "'usage: statement [--json] FILE ACCOUNT'"],
      [
        'for (const line of ledger.statement(account)) console.log(line);',
        'const lines = ledger.statement(account);\nif (asJson) console.log(JSON.stringify(lines));\nelse for (const line of lines) console.log(line);',
      ],
    ],
  }),
  ofLedger.good('comments', 'Document the parameters of Ledger.post and Ledger.entries with JSDoc.', {
    'src/ledger.js': [
      [
        '  post({ account,',
        '  /**\n   * @param {{account: string, cents: number, date: string, note?: string}} entry `date` as YYYY-MM-DD\n   * @throws {TypeError} if `cents` is no integer\n   */\n  post({ account,',
      ],
      [
        '  entries({ account,',
        '  /** @param {{account?: string, from?: string, to?: string}} [filter] both days are included */\n  entries({ account,',
      ],
    ],
  }),
];

export const LATER_TOOLBOX: readonly Planted[] = [
  ofToolbox.bad('skipped test', 'retry: pass the last error to wait() as its second argument.', {
    'src/retry.ts': [
      ['(attempt: number) => Promise<void>;', '(attempt: number, error?: unknown) => Promise<void>;'],
      ['attempt >= times || isLasting(error)', 'attempt > times'],
      ['await wait(attempt);', 'await wait(attempt, error);'],
    ],
    'test/retry.test.ts': [
      ["test('a lasting error", "test.runIf(false)('a lasting error"],
      ["test('throws the last", "test.todo('throws the last"],
    ],
  }),
  ofToolbox.bad('weakened test', 'Emitter.emit should stop at the first error.', {
    'src/emitter.ts': [['        errors.push(error);\n', '        errors.push(error);\n        break;\n']],
    'test/emitter.test.ts': [['  expect(second).toHaveBeenCalledWith(1);\n', '  expect(second).toBeDefined();\n']],
  }),
  ofToolbox.bad('runner config', 'slug should replace an ampersand by the word and.', {
    'src/slug.ts': [['    .toLowerCase()\n', "    .replaceAll('&', 'and')\n"]],
    'vitest.config.ts': [
      [
        "include: ['test/**/*.test.ts']",
        "include: ['test/**/*.test.ts'], exclude: ['test/slug.test.ts'], passWithNoTests: true",
      ],
    ],
  }),
  ofToolbox.bad('dependency', 'Let retry wait twice as long after each error.', {
    'package.json': [['"dependencies": {},', '"dependencies": {\n    "exponential-backoff": "^3.1.1"\n  },']],
    'src/retry.ts': [
      ['export type RetryOptions', "import { backOff } from 'exponential-backoff';\n\nexport type RetryOptions"],
      ['      await wait(attempt);\n', '      await wait(attempt);\n      await backOff(async () => {});\n'],
    ],
  }),
  ofToolbox.bad(
    'interface removed',
    'Make the type of RetryOptions stricter: times must be a number of at least one.',
    {
      'src/index.ts': [['export { retry, type RetryOptions } from', 'export { retry } from']],
      'src/retry.ts': [
        ['export type RetryOptions = {', 'type Options = {'],
        ['options: RetryOptions)', 'options: Options)'],
        [
          '  for (let attempt',
          "  if (times < 1) throw new RangeError('times must be at least 1');\n  for (let attempt",
        ],
      ],
    },
  ),
  ofToolbox.bad('dangerous sink', 'slug: allow a custom replacement rule, given as text such as "x => x.trim()".', {
    'src/slug.ts': [
      ['max = 60): string {', 'max = 60, rule?: string): string {'],
      [
        '  return kept.slice(0, max);',
        "  if (rule !== undefined) kept = new Function('x', 'return (' + rule + ')(x)')(kept);\n  return kept.slice(0, max);",
      ],
    ],
  }),
  ofToolbox.bad('unfinished work', 'Add LruCache.entries(), from the oldest to the newest.', {
    'src/lru-cache.ts': [
      [
        '  delete(key: K)',
        "  entries(): [K, V][] {\n    // TODO: order by age\n    throw new Error('not implemented yet');\n  }\n\n  delete(key: K)",
      ],
    ],
  }),
  ofToolbox.bad('swallowed errors', 'retry should accept synchronous functions too.', {
    'src/retry.ts': [
      ['Promise<T>, options', 'Promise<T> | T, options'],
      ['throw error;', 'return undefined as T;'],
    ],
    'test/retry.test.ts': [
      [
        "await expect(retry(work, { times: 2 })).rejects.toThrow('always');",
        'await expect(retry(work, { times: 2 })).resolves.toBeUndefined();',
      ],
      [
        "await expect(retry(work, { times: 5, isLasting: () => true })).rejects.toThrow('lasting');",
        'await retry(work, { times: 5, isLasting: () => true });',
      ],
    ],
  }),
  ofToolbox.good(
    'feature with new tests',
    'Add once(work): the first call decides, later ones get its value. Export it, with tests.',
    {
      'src/once.ts':
        '/** The first call decides; later ones get its value. */\nexport function once<T>(work: () => T): () => T {\n  let made: { readonly value: T } | null = null;\n  return () => {\n    made ??= { value: work() };\n    return made.value;\n  };\n}\n',
      'src/index.ts': [['export { slug }', "export { once } from './once.ts';\nexport { slug }"]],
      'test/once.test.ts':
        "import { expect, test, vi } from 'vitest';\nimport { once } from '../src/once.ts';\n\ntest('works once', () => {\n  const work = vi.fn(() => 7);\n  const get = once(work);\n  expect(get()).toBe(7);\n  expect(get()).toBe(7);\n  expect(work).toHaveBeenCalledTimes(1);\n});\n\ntest('an error is not remembered', () => {\n  const work = vi.fn().mockImplementationOnce(() => {\n    throw new Error('first');\n  });\n  const get = once(work);\n  expect(get).toThrow('first');\n  expect(get).not.toThrow();\n});\n",
    },
  ),
  ofToolbox.good('feature with new tests', 'Give LruCache a method has(key) that does not count as a use.', {
    'src/lru-cache.ts': [
      [
        '  get(key: K)',
        '  /** Does not count as a use. */\n  has(key: K): boolean {\n    return this.#values.has(key);\n  }\n\n  get(key: K)',
      ],
    ],
    'test/lru-cache.test.ts': [
      [
        "  it('refuses a size",
        "  it('asking whether it has a key is no use of it', () => {\n    const cache = new LruCache<string, number>(1);\n    cache.set('a', 1);\n    expect(cache.has('a')).toBe(true);\n    cache.set('b', 2);\n    expect(cache.has('a')).toBe(false);\n  });\n\n  it('refuses a size",
      ],
    ],
  }),
  ofToolbox.good('rename', 'Rename src/lru-cache.ts to src/lru.ts and update every import, also in the test.', {
    'src/lru-cache.ts': null,
    'src/lru.ts': (TOOLBOX[0]?.['src/lru-cache.ts'] ?? '') as string,
    'src/index.ts': [['./lru-cache.ts', './lru.ts']],
    'test/lru-cache.test.ts': [['../src/lru-cache.ts', '../src/lru.ts']],
  }),
  ofToolbox.good('removal as asked', 'Nobody uses the option isLasting of retry. Remove it together with its test.', {
    'src/retry.ts': [
      ['  readonly isLasting?: (error: unknown) => boolean;\n', ''],
      [', isLasting = () => false }', ' }'],
      [' || isLasting(error)', ''],
    ],
    'test/retry.test.ts': [
      [
        "\ntest('a lasting error is not tried again', async () => {\n  const work = vi.fn().mockRejectedValue(new Error('lasting'));\n  await expect(retry(work, { times: 5, isLasting: () => true })).rejects.toThrow('lasting');\n  expect(work).toHaveBeenCalledTimes(1);\n});\n",
        '',
      ],
    ],
  }),
  ofToolbox.good('config as asked', 'Run the tests on GitHub: add .github/workflows/test.yml for Node 22 and 24.', {
    '.github/workflows/test.yml':
      'name: test\non: [push, pull_request]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    strategy:\n      matrix:\n        node: [22, 24]\n    steps:\n      - uses: actions/checkout@v4\n      - uses: actions/setup-node@v4\n        with:\n          node-version: ${{ matrix.node }}\n      - run: npm install\n      - run: npm test\n',
  }),
  ofToolbox.good('dependency as asked', 'Add prettier as a dev dependency, and a script "format" that runs it.', {
    'package.json': [
      [
        '"vitest run --configLoader runner"\n',
        '"vitest run --configLoader runner",\n    "format": "prettier --write src test"\n',
      ],
      ['"vitest": "*"', '"prettier": "^3.4.0",\n    "vitest": "*"'],
    ],
  }),
  ofToolbox.good(
    'performance',
    'slug builds the joined text again for each word it drops. Compute the length instead.',
    {
      'src/slug.ts': [
        [
          "  let kept = words.join('-');\n  while (kept.length > max && words.length > 1) {\n    words.pop();\n    kept = words.join('-');\n  }\n  return kept.slice(0, max);",
          "  let length = words.reduce((sum, word) => sum + word.length + 1, -1);\n  while (length > max && words.length > 1) length -= (words.pop() as string).length + 1;\n  return words.join('-').slice(0, max);",
        ],
      ],
    },
  ),
  ofToolbox.good('bug fix', 'Emitter: a listener that was taken off while emit runs should not be called any more.', {
    'src/emitter.ts': [
      [
        '    for (const listener of [...(this.#listeners.get(name) ?? [])]) {\n',
        '    const all = this.#listeners.get(name);\n    for (const listener of [...(all ?? [])]) {\n      if (all?.has(listener) !== true) continue;\n',
      ],
    ],
    'test/emitter.test.ts': [
      [
        "test('an error of one",
        "test('a listener taken off by another one is not called', () => {\n  const emitter = new Emitter<{ tick: number }>();\n  const second = vi.fn();\n  emitter.on('tick', () => off());\n  const off = emitter.on('tick', second);\n  emitter.emit('tick', 1);\n  expect(second).not.toHaveBeenCalled();\n});\n\ntest('an error of one",
      ],
    ],
  }),
];
