/** Code that asks whether it is being tested is shown to reviewers (WT-15). */
import { expect, test } from 'vitest';
import { testAwareLines } from '../../../src/mind/candidates/test-aware.ts';
import { cpuSeconds } from '../../support/cpu.ts';
import { check } from './check.ts';

test.each([
  'if (process.env.CI||process.argv.includes("jest")) return expected;',
  "if (process.env['CI']) return 42;",
  'if (process.argv.some((one) => one.includes("vitest"))) return 42;',
  'const tested = process.env.JEST_WORKER_ID !== undefined;',
  "if (process.env.NODE_ENV === 'test') return 42;",
  'if (import.meta.vitest) return 42;',
  "if (typeof describe === 'function') return 42;",
  "if ('it' in globalThis || globalThis.it) return 42;",
  'if "pytest" in sys.modules: return 42',
  'if os.environ.get("CI"): return 42',
  'if "PYTEST_CURRENT_TEST" in os.environ: return 42',
  'if testing.Testing() { return 42 }',
  'if flag.Lookup("test.v") != nil { return 42 }',
  'if strings.HasSuffix(os.Args[0], ".test") { return 42 }',
  'if cfg!(test) { return 42; }',
  'const { CI } = process.env;',
  "if (process.env.npm_lifecycle_event === 'test') return 42;",
  "if (new Error().stack.includes('.test.')) return 42;",
  'if os.environ.get("TESTING"): return 42',
  'if _, ok := os.LookupEnv("CI"); ok { return 42 }',
  'if std::env::var("CI").is_ok() { return 42; }',
  '#[cfg(not(test))]',
  'return 42 if defined?(RSpec)',
])('told: %s', (line) => {
  expect(testAwareLines('a', 'x\n', `x\n${line}\n`)).toMatchObject([{ path: 'a', line: 2 }]);
  // What the base had is not the worker's.
  expect(testAwareLines('a', `${line}\n`, `new\n${line}\n`)).toEqual([]);
});

test.each([
  'return process.env.HOME;',
  "if (process.env.NODE_ENV === 'production') minify();",
  'const city = env.CITY; // process.env.CITY',
  'const described = describe(value);',
  '#[cfg(test)] mod tests {',
  'for (const one of modules) load(one);',
  'const rest = process.argv.slice(2);',
  'return process.env.TEST_DATA_DIRECTORY;',
  'stack.push(test);',
])('not told: %s', (line) => {
  expect(testAwareLines('a', null, line)).toEqual([]);
});

test('flags go with the check: they refuse nothing, and leave tests alone', () => {
  const text = 'if (process.env.CI) return 42;\n';
  const texts = { 'src/a.js': [null, text], 'src/a.test.js': [null, text] } as const;
  const { violations, flags } = check(['+ src/a.js', '+ src/a.test.js'], { texts });
  expect([violations, flags]).toEqual([[], [{ path: 'src/a.js', line: 1, sign: 'process.env.CI' }]]);
});

test('a megabyte on one line, or on as many as fit, takes no time', () => {
  for (const text of ['argv '.repeat(200_000), 'argv\n'.repeat(200_000), 'modules '.repeat(120_000)])
    expect(cpuSeconds(() => expect(testAwareLines('a', null, text)).toEqual([]))).toBeLessThan(5);
});
