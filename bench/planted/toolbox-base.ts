/** A toolbox in TypeScript, tested by vitest. */
import type { Tree } from './planted.ts';

export const OLD_SLUG = `/** Words of a title, as part of an address. */
export function slug(title: string, max = 60): string {
  const lower = title.toLowerCase();
  let result = '';
  for (const letter of lower) {
    if (letter >= 'a' && letter <= 'z') result += letter;
    else if (letter >= '0' && letter <= '9') result += letter;
    else if (!result.endsWith('-')) result += '-';
  }
  const trimmed = result.replace(/^-|-$/g, '');
  return trimmed.slice(0, max);
}
`;
const SLUG = `/** Words of a title, as part of an address. */
export function slug(title: string, max = 60): string {
  const words = title
    .normalize('NFKD')
    .replace(/[\\u0300-\\u036f]/g, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  let kept = words.join('-');
  while (kept.length > max && words.length > 1) {
    words.pop();
    kept = words.join('-');
  }
  return kept.slice(0, max);
}
`;

export const TOOLBOX: readonly Tree[] = [
  {
    'package.json': `{
  "name": "toolbox",
  "version": "0.4.0",
  "type": "module",
  "scripts": {
    "test": "vitest run --configLoader runner"
  },
  "dependencies": {},
  "devDependencies": {
    "vitest": "*"
  }
}
`,
    '.gitignore': 'node_modules\ndist\n',
    'tsconfig.json':
      '{\n  "compilerOptions": { "strict": true, "target": "es2022", "module": "nodenext", "allowImportingTsExtensions": true, "noEmit": true },\n  "include": ["src", "test"]\n}\n',
    'vitest.config.ts':
      "import { defineConfig } from 'vitest/config';\n\nexport default defineConfig({ test: { include: ['test/**/*.test.ts'] } });\n",
    LICENSE: 'MIT License\n\nCopyright (c) 2024 The toolbox authors\n',
    'README.md': `# toolbox

- \`LruCache\`: keeps the newest values.
- \`retry(work, options)\`: calls again after an error.
- \`slug(title)\`: a title as part of an address.
- \`Emitter\`: events with types.
`,
    'src/index.ts': `export { LruCache } from './lru-cache.ts';
export { retry, type RetryOptions } from './retry.ts';
export { slug } from './slug.ts';
export { Emitter } from './emitter.ts';
`,
    'src/lru-cache.ts': `/** Keeps at most so many values; the one that was not used for the longest time goes first. */
export class LruCache<K, V> {
  readonly #max: number;
  readonly #values = new Map<K, V>();

  constructor(max: number) {
    if (!Number.isInteger(max) || max < 1) throw new RangeError('max must be a positive integer');
    this.#max = max;
  }

  get size(): number {
    return this.#values.size;
  }

  get(key: K): V | undefined {
    if (!this.#values.has(key)) return undefined;
    const value = this.#values.get(key) as V;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > this.#max) {
      const [oldest] = this.#values.keys();
      this.#values.delete(oldest as K);
    }
  }

  delete(key: K): boolean {
    return this.#values.delete(key);
  }
}
`,
    'src/retry.ts': `export type RetryOptions = {
  readonly times: number;
  readonly wait?: (attempt: number) => Promise<void>;
  readonly isLasting?: (error: unknown) => boolean;
};

/** Calls again after an error, until it has been called so many times. The last error is thrown. */
export async function retry<T>(work: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { times, wait = async () => {}, isLasting = () => false } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt >= times || isLasting(error)) throw error;
      await wait(attempt);
    }
  }
}
`,
    'src/slug.ts': OLD_SLUG,
    'src/emitter.ts': `type Listener<T> = (value: T) => void;

export class Emitter<Events extends Record<string, unknown>> {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>();

  on<K extends keyof Events>(name: K, listener: Listener<Events[K]>): () => void {
    const all = this.#listeners.get(name) ?? new Set();
    all.add(listener as Listener<never>);
    this.#listeners.set(name, all);
    return () => {
      all.delete(listener as Listener<never>);
    };
  }

  /** All listeners are called, also after one that throws; the first error is thrown at the end. */
  emit<K extends keyof Events>(name: K, value: Events[K]): void {
    const errors: unknown[] = [];
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        (listener as Listener<Events[K]>)(value);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
`,
    'test/lru-cache.test.ts': `import { describe, expect, it } from 'vitest';
import { LruCache } from '../src/lru-cache.ts';

describe('LruCache', () => {
  it('drops what was not used for the longest time', () => {
    const cache = new LruCache<string, number>(2);
    cache.set('a', 1);
    cache.set('b', 2);
    expect(cache.get('a')).toBe(1);
    cache.set('c', 3);
    expect(cache.get('b')).toBeUndefined();
    expect(cache.get('a')).toBe(1);
    expect(cache.size).toBe(2);
  });

  it('replaces a value', () => {
    const cache = new LruCache<string, number>(2);
    cache.set('a', 1);
    cache.set('a', 2);
    expect(cache.get('a')).toBe(2);
    expect(cache.size).toBe(1);
  });

  it('refuses a size that is none', () => {
    expect(() => new LruCache(0)).toThrow(RangeError);
  });
});
`,
    'test/retry.test.ts': `import { expect, test, vi } from 'vitest';
import { retry } from '../src/retry.ts';

test('calls again after an error', async () => {
  const work = vi.fn().mockRejectedValueOnce(new Error('once')).mockResolvedValue('done');
  await expect(retry(work, { times: 3 })).resolves.toBe('done');
  expect(work).toHaveBeenCalledTimes(2);
});

test('throws the last error', async () => {
  const work = vi.fn().mockRejectedValue(new Error('always'));
  await expect(retry(work, { times: 2 })).rejects.toThrow('always');
  expect(work).toHaveBeenCalledTimes(2);
});

test('a lasting error is not tried again', async () => {
  const work = vi.fn().mockRejectedValue(new Error('lasting'));
  await expect(retry(work, { times: 5, isLasting: () => true })).rejects.toThrow('lasting');
  expect(work).toHaveBeenCalledTimes(1);
});
`,
    'test/slug.test.ts': `import { expect, test } from 'vitest';
import { slug } from '../src/slug.ts';

test.each([
  ['Hello, World', 'hello-world'],
  ['  two  spaces ', 'two-spaces'],
  ['100 ways', '100-ways'],
])('%s', (title, expected) => {
  expect(slug(title)).toBe(expected);
});

test('is not longer than asked', () => {
  expect(slug('one two', 3)).toBe('one');
});
`,
    'test/emitter.test.ts': `import { expect, test, vi } from 'vitest';
import { Emitter } from '../src/emitter.ts';

test('calls every listener until it is taken off', () => {
  const emitter = new Emitter<{ tick: number }>();
  const listener = vi.fn();
  const off = emitter.on('tick', listener);
  emitter.emit('tick', 1);
  off();
  emitter.emit('tick', 2);
  expect(listener.mock.calls).toEqual([[1]]);
});

test('an error of one listener does not keep the others from being called', () => {
  const emitter = new Emitter<{ tick: number }>();
  const second = vi.fn();
  emitter.on('tick', () => {
    throw new Error('first');
  });
  emitter.on('tick', second);
  expect(() => emitter.emit('tick', 1)).toThrow('first');
  expect(second).toHaveBeenCalledWith(1);
});
`,
  },
  { 'src/slug.ts': SLUG },
];
