/** The order of files does not matter, and size is bounded. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cpuSeconds } from '../../support/cpu.ts';
import '../../support/property-seed.ts';
import { file, findings, told } from './ask.ts';

const TEST = "test('a', () => {\n  expect(f(1)).toBe(2);\n  expect(f(2)).toBe(3);\n});\n";
const FILES = [
  file('a.test.js', TEST, TEST.replace('  expect(f(2)).toBe(3);\n', '')),
  file('b.test.js', TEST, null),
  file('c.test.js', TEST.replace("'a'", "'c'"), null),
  file('d.test.js', null, TEST.replace("'a'", "'c'")),
  file('src/a.js', 'export const gone = 1;\n', 'if (process.env.CI) f();\n'),
  file('package.json', '{}', '{\n  "dependencies": {\n    "evil": "1"\n  }\n}\n'),
  file('README.md', 'a\n', 'b\n'),
  file('tool.exe', null, 'MZ\0\0'),
  file('src/b.js', 'oldOne(1);\n', '// TODO\nf().catch(() => {});\n'),
];

test('property: the order in which files arrive changes nothing', () => {
  const expected = findings(FILES);
  expect(expected.length).toBeGreaterThan(6);
  fc.assert(
    fc.property(fc.shuffledSubarray([...FILES], { minLength: FILES.length }), (files) => {
      expect(findings(files)).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test('blocking findings come first', () => {
  const blocks = findings(FILES).map((one) => one.blocks);
  expect(blocks).toEqual([...blocks].sort((a, b) => Number(b) - Number(a)));
});

test('a file of more than a megabyte is not read, and that is said', () => {
  const large = file('a.js', null, 'process.exit(0);\n'.repeat(70_000));
  expect(told([large])).toEqual(['not-checked a.js:']);
});

test('beyond 2,000 files the rest is named as not checked', () => {
  const files = Array.from({ length: 2_003 }, (_, i) => file(`src/f${String(i).padStart(4, '0')}.txt`, 'a\n', 'b\n'));
  const [first] = findings(files);
  expect(first).toMatchObject({ rule: 'not-checked', path: 'src/f2000.txt' });
  expect(first?.message).toContain('3 of them');
});

test('at most 1,000 findings, the blocking ones among them', () => {
  const notes = file('src/a.js', null, '// TODO: more\n'.repeat(3_000));
  const found = findings([notes, file('b.test.js', TEST, null)]);
  expect(found).toHaveLength(1_000);
  expect(found[0]).toMatchObject({ rule: 'tests-removed', blocks: true });
  expect(found.at(-1)).toMatchObject({ rule: 'not-checked', message: expect.stringContaining('more findings') });
});

test('grants never reach .supervisor/', () => {
  const tool = file('.supervisor/tool.exe', null, 'MZ\0\0');
  expect(findings([tool], { grants: ['**', '.supervisor/'] })[0]).toMatchObject({ blocks: true });
});

test.each([
  ['a.test.js', "test('a', () => { expect(1).toBe(1); });\n"],
  ['a.test.js', "test('a', "],
  ['a.test.js', 'describe.skip('],
  ['src/a.js', 'process.env.CI '],
  ['src/a.js', 'try { f(); } catch (error) { }\n'],
  ['src/a.js', 'catch '],
  ['src/a.js', 'export function f(a, b) { return a; }\n'],
  ['tests/test_a.py', 'def test_a():\n    assert True\n'],
  ['tests/test_a.py', '@pytest.mark.skip\n'],
  ['pkg/a.py', 'except Exception:\n'],
  ['a_test.go', 'func TestA(t *testing.T) {\n\tt.Run("x", func() { t.Fatal("x") })\n}\n'],
  ['src/a.rs', '#[test]\n'],
  ['src/a.rs', '#[test]\nfn f() { assert_eq!(1, 2); }\n'],
  ['requirements.txt', 'a @ b\n'],
  ['go.mod', 'replace a => b\n'],
  ['Cargo.toml', '[dependencies]\na = { path = "b" }\n'],
  ['a.txt', '(c) '],
  ['src/a.js', ' '.repeat(500)],
])('a megabyte of %s with %j is read in seconds', (path, unit) => {
  const text = unit.repeat(Math.floor(1_000_000 / unit.length));
  const lines = text.split('\n');
  const half = lines.slice(0, lines.length / 2).join('\n');
  for (const [before, after] of [
    [null, text],
    [text, null],
    [half, text],
    [text, `${unit}\n`],
  ] as const)
    expect(cpuSeconds(() => findings([file(path, before, after)]))).toBeLessThan(6);
});

test('a change of 1,000 lines takes milliseconds', () => {
  const before = Array.from({ length: 1_000 }, (_, i) => `  const value${i} = compute(${i}, "text ${i}");`).join('\n');
  const after = before.replaceAll('compute', 'derive');
  const work = () => findings([file('src/a.ts', before, after), file('a.test.ts', TEST, TEST)]);
  work();
  expect(cpuSeconds(() => Array.from({ length: 20 }, work)) / 20).toBeLessThan(0.05);
});
