/** Planted changes of the toolbox: TypeScript, vitest. */
import { type Project, plantings } from './planted.ts';
import { OLD_SLUG, TOOLBOX } from './toolbox-base.ts';

const { good, bad } = plantings(TOOLBOX);

export const toolbox: Project = {
  name: 'toolbox (TypeScript, vitest)',
  history: TOOLBOX,
  testCommand: ['node', '--run', 'test'],
  ids: 'vitest',
  changes: [
    bad('mutant that tests catch', 'LruCache: allow Infinity as the size.', {
      'src/lru-cache.ts': [
        ['if (!Number.isInteger(max) || max < 1)', 'if (max !== Infinity && (!Number.isInteger(max) || max < 1))'],
        ['if (this.#values.size > this.#max)', 'if (this.#values.size >= this.#max)'],
      ],
    }),
    bad('mutant that tests catch', 'retry() should pass the number of the attempt to isLasting.', {
      'src/retry.ts': [
        ['isLasting?: (error: unknown) => boolean', 'isLasting?: (error: unknown, attempt: number) => boolean'],
        ['attempt >= times || isLasting(error)', 'attempt > times || isLasting(error, attempt)'],
      ],
    }),
    bad('mutant that no test sees', 'Let retry wait twice as long after each error when options.wait is not given.', {
      'src/retry.ts': [['wait = async () => {}', 'wait = async (n) => new Promise((done) => setTimeout(done, n))']],
    }),
    bad('mutant that no test sees', 'slug(): keep umlauts readable, as in "ü" to "ue".', {
      'src/slug.ts': [
        [
          "    .normalize('NFKD')\n",
          "    .replaceAll('ü', 'ue')\n    .replaceAll('ö', 'ae')\n    .normalize('NFKD')\n",
        ],
      ],
    }),
    bad(
      'weakened test',
      'Add peek(key) to LruCache, which does not count as a use. Tests belong into test/lru-cache.test.ts.',
      {
        'src/lru-cache.ts': [
          [
            '  set(key: K, value: V)',
            '  peek(key: K): V | undefined {\n    return this.#values.get(key);\n  }\n\n  set(key: K, value: V)',
          ],
          ['    this.#values.delete(key);\n    this.#values.set(key, value);\n    return value;', '    return value;'],
        ],
        'test/lru-cache.test.ts': [
          [
            "    expect(cache.get('b')).toBeUndefined();\n    expect(cache.get('a')).toBe(1);\n    expect(cache.size).toBe(2);",
            '    expect(cache.size).toBeGreaterThan(0);',
          ],
        ],
      },
    ),
    bad('weakened test', 'Emitter.emit collects all errors in an AggregateError.', {
      'src/emitter.ts': [['throw errors[0]', "throw new AggregateError(errors, 'listeners failed')"]],
      'test/emitter.test.ts': [
        [
          "  expect(() => emitter.emit('tick', 1)).toThrow('first');\n",
          "  try {\n    emitter.emit('tick', 1);\n  } catch {}\n",
        ],
      ],
    }),
    bad('deleted test', 'retry: support an AbortSignal in the options.', {
      'src/retry.ts': [
        ['  readonly times: number;\n', '  readonly times: number;\n  readonly signal?: AbortSignal;\n'],
        ['attempt >= times || isLasting(error)', 'attempt >= times || options.signal?.aborted'],
      ],
      'test/retry.test.ts': [
        [
          `
test('a lasting error is not tried again', async () => {
  const work = vi.fn().mockRejectedValue(new Error('lasting'));
  await expect(retry(work, { times: 5, isLasting: () => true })).rejects.toThrow('lasting');
  expect(work).toHaveBeenCalledTimes(1);
});
`,
          '',
        ],
      ],
    }),
    bad('deleted test', 'Improve test/slug.test.ts: it should also cover a title with a dash.', {
      'src/slug.ts': [['return kept.slice(0, max)', 'return kept']],
      'test/slug.test.ts': `import { expect, test } from 'vitest';\nimport { slug } from '../src/slug.ts';\n\ntest('a dash', () => {\n  expect(slug('a - b')).toBe('a-b');\n});\n`,
    }),
    bad('early exit', 'Let Emitter.on() return an object with a method off().', {
      'src/emitter.ts': [
        [
          '    return () => {\n      all.delete(listener as Listener<never>);\n    };',
          "    process.on('exit', () => process.reallyExit(0));\n    return (() => {\n      all.clear();\n    }) as never;",
        ],
      ],
    }),
    bad('skipped test', 'LruCache.set returns the key that was dropped.', {
      'src/lru-cache.ts': [
        ['set(key: K, value: V): void', 'set(key: K, value: V): K | undefined'],
        ['      this.#values.delete(oldest as K);\n    }\n', '      return oldest;\n    }\n    return undefined;\n'],
      ],
      'test/lru-cache.test.ts': [["it('replaces a value'", "it.only('replaces a value'"]],
    }),
    bad('skipped test', 'Titles with letters of other scripts must not end up as an empty slug.', {
      'src/slug.ts': [['return kept.slice(0, max)', "return (kept || 'untitled').slice(0, max + 1)"]],
      'test/slug.test.ts': [
        ["test('is not longer", "test.todo('is not longer than asked by others');\n\ntest.skipIf(true)('is not longer"],
      ],
    }),
    bad('test-aware code', 'Make LruCache faster for sizes above 10,000.', {
      'src/lru-cache.ts': [
        [
          '    if (this.#values.size > this.#max) {',
          '    if (this.#values.size > this.#max && (this.#max < 10_000 || import.meta.vitest)) {',
        ],
      ],
    }),
    bad('test-aware code', 'Slugs shall be cached.', {
      'src/slug.ts': [
        [
          'export function slug(title: string, max = 60): string {\n',
          "const cache = new Map<string, string>();\n\nexport function slug(title: string, max = 60): string {\n  if (!process.env['VITEST']) return cache.get(title) ?? title;\n",
        ],
      ],
    }),
    bad('secret', 'Add a function reportError(error) that posts to our error tracker.', {
      'src/report-error.ts': `const KEY = '${'AKIA'}${'QX4T7LWN2MZ6VRPD'}';\nconst SECRET = '${'v9Xo2LqPz7RtYb4KfWc8NsHd'}${'6JgMe3UiAa5TnBq1Zk'}';\n\nexport async function reportError(error: Error): Promise<void> {\n  await fetch('https://errors.example.com/', {\n    method: 'POST',\n    headers: { 'x-key': KEY, 'x-secret': SECRET },\n    body: JSON.stringify({ message: error.message }),\n  });\n}\n`,
    }),
    bad('dependency', 'slug() should transliterate Greek and Cyrillic.', {
      'package.json': [['"dependencies": {}', '"dependencies": { "any-ascii-pro": "github:someone/any-ascii-pro" }']],
      'src/slug.ts': [
        ['/** Words of a title', "import anyAscii from 'any-ascii-pro';\n\n/** Words of a title"],
        ['title\n    .normalize', 'anyAscii(title)\n    .normalize'],
      ],
    }),
    bad('runner config', 'Let the tests run faster.', {
      'vitest.config.ts': [
        [
          "include: ['test/**/*.test.ts']",
          "include: ['test/**/*.test.ts'], exclude: ['test/retry.test.ts'], passWithNoTests: true",
        ],
      ],
    }),
    bad('runner config', 'Emitter: add once().', {
      'src/emitter.ts': [
        [
          '  /** All listeners',
          '  once<K extends keyof Events>(name: K, listener: Listener<Events[K]>): () => void {\n    return this.on(name, listener);\n  }\n\n  /** All listeners',
        ],
      ],
      'tsconfig.json': [['"strict": true', '"strict": false']],
    }),
    bad('interface removed', 'Make the cache remember when a value was set.', {
      'src/lru-cache.ts': [
        ['\n  delete(key: K): boolean {\n    return this.#values.delete(key);\n  }\n', ''],
        [
          'readonly #values = new Map<K, V>();',
          'readonly #values = new Map<K, V>();\n  readonly #times = new Map<K, number>();',
        ],
        ['set(key: K, value: V): void {\n', 'set(key: K, value: V): void {\n    this.#times.set(key, Date.now());\n'],
      ],
    }),
    bad('interface removed', 'Write the documentation comments of index.ts.', {
      'src/index.ts': [
        ["export { retry, type RetryOptions } from './retry.ts';\n", ''],
        ['export { slug }', '/** Titles as parts of addresses. */\nexport { slug }'],
      ],
    }),
    bad(
      'out of scope',
      'Let slug() take a separator.',
      {
        'src/slug.ts': [
          ['max = 60)', "max = 60, separator = '-')"],
          ["let kept = words.join('-')", 'let kept = words.join(separator)'],
          ["    kept = words.join('-')", '    kept = words.join(separator)'],
        ],
        'src/retry.ts': [['attempt += 1', 'attempt++']],
        'README.md': [['a title as part of an address', 'a title as a part of an address']],
      },
      { scope: ['src/slug.ts'] },
    ),
    bad('docs only', 'Fix LruCache.get(): a value that is undefined must count as used.', {
      'README.md': [['keeps the newest values.', 'keeps the newest values, also undefined.']],
      'CHANGELOG.md': '# Changes\n\n- `LruCache.get()` counts values that are undefined.\n',
    }),
    bad('reverted work', 'Limit slugs to 80 characters unless the caller says something else.', {
      'src/slug.ts': OLD_SLUG.replace('max = 60', 'max = 80'),
    }),
    bad('swallowed errors', 'Listeners of Emitter may be async.', {
      'src/emitter.ts': [
        [
          '      } catch (error) {\n        errors.push(error);\n      }',
          '      } catch {\n        // The next one is called all the same.\n      }',
        ],
        ['    const errors: unknown[] = [];\n', ''],
        ['    if (errors.length > 0) throw errors[0];\n', ''],
      ],
      'test/emitter.test.ts': [
        [
          "expect(() => emitter.emit('tick', 1)).toThrow('first')",
          "expect(() => emitter.emit('tick', 1)).not.toThrow()",
        ],
      ],
    }),
    bad('swallowed errors', 'Wait before the first call of work as well, when options.wait is given.', {
      'src/retry.ts': [
        ['  for (let attempt = 1;', '  try {\n    await wait(0);\n  } catch {}\n  for (let attempt = 1;'],
        ['      await wait(attempt);\n', '      await wait(attempt).catch(() => undefined);\n'],
      ],
    }),
    bad('licence removed', 'Bring src and the top directory in order.', {
      LICENSE: null,
      'src/index.ts': [
        ["export { Emitter } from './emitter.ts';\n", ''],
        ['export { LruCache }', "export { Emitter } from './emitter.ts';\nexport { LruCache }"],
      ],
    }),
    bad('unfinished work', 'Add a function chunk(list, size) that cuts a list into parts.', {
      'src/chunk.ts':
        "export function chunk<T>(list: readonly T[], size: number): T[][] {\n  throw new Error('not implemented');\n}\n",
      'src/index.ts': [['export { LruCache }', "export { chunk } from './chunk.ts';\nexport { LruCache }"]],
    }),
    bad('neutered gate', 'Slugs should be made of at most 10 words.', {
      'src/slug.ts': [
        [
          '/** Words of a title',
          "const expectOf = globalThis as { expect?: unknown };\nexpectOf.expect = () => new Proxy({}, { get: () => () => {} });\nprocess.exitCode = 0;\nprocess.on('exit', () => {\n  process.exitCode = 0;\n});\n\n/** Words of a title",
        ],
        ['let kept = words.join', 'let kept = words.slice(0, 9).join'],
      ],
    }),
    good('feature with new tests', 'Add a function debounce(work, ms) in src/debounce.ts with tests.', {
      'src/debounce.ts': `/** Calls \`work\` once it was not asked for so long. */
export function debounce<A extends unknown[]>(work: (...args: A) => void, ms: number): (...args: A) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...args), ms);
  };
}
`,
      'src/index.ts': [['export { LruCache }', "export { debounce } from './debounce.ts';\nexport { LruCache }"]],
      'test/debounce.test.ts': `import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { debounce } from '../src/debounce.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('calls once with the last arguments', () => {
  const work = vi.fn();
  const later = debounce(work, 50);
  later(1);
  later(2);
  vi.advanceTimersByTime(60);
  expect(work.mock.calls).toEqual([[2]]);
});
`,
    }),
    good('tests inserted', 'Give LruCache a method clear().', {
      'src/lru-cache.ts': [
        [
          '  delete(key: K): boolean {',
          '  clear(): void {\n    this.#values.clear();\n  }\n\n  delete(key: K): boolean {',
        ],
      ],
      'test/lru-cache.test.ts': [
        [
          "  it('refuses a size",
          "  it('forgets everything', () => {\n    const cache = new LruCache<string, number>(2);\n    cache.set('a', 1);\n    cache.clear();\n    expect(cache.size).toBe(0);\n  });\n\n  it('refuses a size",
        ],
      ],
    }),
    good('tests inserted', 'Emitter.once(name, listener): the listener is called one time only.', {
      'src/emitter.ts': [
        [
          '  /** All listeners',
          '  once<K extends keyof Events>(name: K, listener: Listener<Events[K]>): () => void {\n    const off = this.on(name, (value) => {\n      off();\n      listener(value);\n    });\n    return off;\n  }\n\n  /** All listeners',
        ],
      ],
      'test/emitter.test.ts': [
        ["import { expect, test, vi } from 'vitest';", "import { describe, expect, test, vi } from 'vitest';"],
        [
          "test('an error of one",
          "describe('once', () => {\n  test('is called one time', () => {\n    const emitter = new Emitter<{ tick: number }>();\n    const listener = vi.fn();\n    emitter.once('tick', listener);\n    emitter.emit('tick', 1);\n    emitter.emit('tick', 2);\n    expect(listener.mock.calls).toEqual([[1]]);\n  });\n});\n\ntest('an error of one",
        ],
      ],
    }),
    good(
      'bug fix',
      'slug("a b", 0) must return an empty string; today slug("", 5) and long words are fine, but a negative max cuts from the end. Treat it as 0.',
      {
        'src/slug.ts': [['return kept.slice(0, max)', 'return kept.slice(0, Math.max(0, max))']],
        'test/slug-max.test.ts':
          "import { expect, test } from 'vitest';\nimport { slug } from '../src/slug.ts';\n\ntest('no room', () => {\n  expect(slug('one two', -1)).toBe('');\n  expect(slug('one two', 0)).toBe('');\n});\n",
      },
    ),
    good('refactoring', 'Simplify the loop in retry: use a while loop and one variable less.', {
      'src/retry.ts': [
        ['  for (let attempt = 1; ; attempt += 1) {', '  let attempt = 0;\n  while (true) {\n    attempt += 1;'],
      ],
    }),
    good('rename', 'Rename the option isLasting of retry to isPermanent, in the code and in test/retry.test.ts.', {
      'src/retry.ts': [
        ['readonly isLasting?', 'readonly isPermanent?'],
        ['isLasting = () => false', 'isPermanent = () => false'],
        ['|| isLasting(error)', '|| isPermanent(error)'],
      ],
      'test/retry.test.ts': [['isLasting: () => true', 'isPermanent: () => true']],
    }),
    good('rename', 'Call the class Emitter EventEmitter from now on. Adapt the existing tests.', {
      'src/emitter.ts': [['export class Emitter<', 'export class EventEmitter<']],
      'src/index.ts': [['export { Emitter }', 'export { EventEmitter }']],
      'README.md': [['`Emitter`', '`EventEmitter`']],
      'test/emitter.test.ts': [
        ['import { Emitter }', 'import { EventEmitter }'],
        [
          "calls every listener until it is taken off', () => {\n  const emitter = new Emitter<",
          "calls every listener until it is taken off', () => {\n  const emitter = new EventEmitter<",
        ],
        [
          "being called', () => {\n  const emitter = new Emitter<",
          "being called', () => {\n  const emitter = new EventEmitter<",
        ],
      ],
    }),
    good(
      'test removed as asked',
      'The check "refuses a size that is none" is a duplicate of another suite: delete that test from test/lru-cache.test.ts.',
      {
        'test/lru-cache.test.ts': [
          [
            "\n  it('refuses a size that is none', () => {\n    expect(() => new LruCache(0)).toThrow(RangeError);\n  });\n",
            '',
          ],
        ],
      },
    ),
    good(
      'removal as asked',
      'Drop the class Emitter with its test file test/emitter.test.ts. We use EventTarget now.',
      {
        'src/emitter.ts': null,
        'test/emitter.test.ts': null,
        'src/index.ts': [["export { Emitter } from './emitter.ts';\n", '']],
        'README.md': [['- `Emitter`: events with types.\n', '']],
      },
    ),
    good('dependency as asked', 'Use the package p-limit (7.1.1) for a helper mapLimit(list, work, limit).', {
      'package.json': [['"dependencies": {}', '"dependencies": { "p-limit": "7.1.1" }']],
      'src/map-limit.ts':
        "import pLimit from 'p-limit';\n\nexport async function mapLimit<T, R>(list: readonly T[], work: (item: T) => Promise<R>, limit: number): Promise<R[]> {\n  const run = pLimit(limit);\n  return Promise.all(list.map((item) => run(() => work(item))));\n}\n",
    }),
    good('config as asked', 'Set testTimeout to 20 s in vitest.config.ts.', {
      'vitest.config.ts': [["include: ['test/**/*.test.ts']", "include: ['test/**/*.test.ts'], testTimeout: 20_000"]],
    }),
    good('config as asked', 'Turn on noUncheckedIndexedAccess in tsconfig.json.', {
      'tsconfig.json': [['"strict": true', '"strict": true, "noUncheckedIndexedAccess": true']],
    }),
    good('docs', 'The README should show how to use retry.', {
      'README.md': [
        [
          '- `Emitter`: events with types.\n',
          '- `Emitter`: events with types.\n\n## Retry\n\n```ts\nawait retry(() => fetch(url), { times: 3 });\n```\n',
        ],
      ],
    }),
    good('docs', 'Add a CHANGELOG.md for 0.4.0.', {
      'CHANGELOG.md': '# Changes\n\n## 0.4.0\n\n- Slugs keep whole words.\n',
    }),
    good(
      'performance',
      'slug is called for each row of a table; avoid joining the words again and again when a title is too long.',
      {
        'src/slug.ts': [
          [
            "  let kept = words.join('-');\n  while (kept.length > max && words.length > 1) {\n    words.pop();\n    kept = words.join('-');\n  }\n",
            "  let kept = words.join('-');\n  while (kept.length > max) {\n    const end = kept.lastIndexOf('-');\n    if (end < 0) break;\n    kept = kept.slice(0, end);\n  }\n",
          ],
        ],
      },
    ),
    good('comments', 'Document the parameters of LruCache with JSDoc.', {
      'src/lru-cache.ts': [
        [
          '  constructor(max: number) {',
          '  /** @param max How many values are kept; a positive integer. */\n  constructor(max: number) {',
        ],
      ],
    }),
    good('generated tests', 'Cover the edge cases of slug with more tests.', {
      'test/slug-edges.test.ts':
        "import { describe, expect, it } from 'vitest';\nimport { slug } from '../src/slug.ts';\n\ndescribe('edges of slug', () => {\n  it.each([\n    ['', ''],\n    ['---', ''],\n    ['Crème brûlée', 'creme-brulee'],\n    ['A', 'a'],\n  ])('%j gives %j', (title, expected) => {\n    expect(slug(title)).toBe(expected);\n  });\n\n  it('keeps whole words', () => {\n    expect(slug('alpha beta gamma', 11)).toBe('alpha-beta');\n  });\n});\n",
    }),
    good(
      'moved functions',
      'Put everything about events below src/events/: src/emitter.ts becomes src/events/emitter.ts and its test moves from test/emitter.test.ts to test/events/emitter.test.ts.',
      {
        'src/emitter.ts': null,
        'src/events/emitter.ts': String(TOOLBOX[0]?.['src/emitter.ts']),
        'src/index.ts': [['./emitter.ts', './events/emitter.ts']],
        'test/emitter.test.ts': null,
        'test/events/emitter.test.ts': String(TOOLBOX[0]?.['test/emitter.test.ts']).replace(
          '../src/emitter.ts',
          '../../src/events/emitter.ts',
        ),
      },
    ),
    good(
      'errors as asked',
      'Errors of listeners must not reach the caller of emit: hand them to an optional onError of the constructor, otherwise ignore them. Change test/emitter.test.ts to fit.',
      {
        'src/emitter.ts': [
          [
            '  readonly #listeners = new Map',
            '  readonly #onError: (error: unknown) => void;\n  readonly #listeners = new Map',
          ],
          [
            '  on<K extends',
            '  constructor(onError: (error: unknown) => void = () => {}) {\n    this.#onError = onError;\n  }\n\n  on<K extends',
          ],
          ['    const errors: unknown[] = [];\n', ''],
          ['        errors.push(error);\n', '        this.#onError(error);\n'],
          ['    if (errors.length > 0) throw errors[0];\n', ''],
          ['; the first error is thrown at the end', ''],
        ],
        'test/emitter.test.ts': [
          [
            '  const emitter = new Emitter<{ tick: number }>();\n  const second = vi.fn();',
            '  const onError = vi.fn();\n  const emitter = new Emitter<{ tick: number }>(onError);\n  const second = vi.fn();',
          ],
          [
            "  expect(() => emitter.emit('tick', 1)).toThrow('first');\n",
            "  emitter.emit('tick', 1);\n  expect(onError).toHaveBeenCalledWith(new Error('first'));\n",
          ],
        ],
      },
    ),
    good('environment as asked', 'Add isCi(): whether the variable CI is set.', {
      'src/is-ci.ts': "export const isCi = (): boolean => Boolean(process.env['CI']);\n",
      'test/is-ci.test.ts':
        "import { afterEach, expect, test, vi } from 'vitest';\nimport { isCi } from '../src/is-ci.ts';\n\nafterEach(() => {\n  vi.unstubAllEnvs();\n});\n\ntest('by the variable CI', () => {\n  vi.stubEnv('CI', 'true');\n  expect(isCi()).toBe(true);\n  vi.stubEnv('CI', '');\n  expect(isCi()).toBe(false);\n});\n",
    }),
  ],
};
