/** Tests that are taken away, weakened or switched off; the same in JavaScript, Python, Go and Rust. */
import { describe, expect, test } from 'vitest';
import { file, findings, rules, told } from './ask.ts';

const JS = `import { test, expect } from 'vitest';
test('adds', () => {
  expect(add(1, 2)).toBe(3);
  expect(add(0, 0)).toBe(0);
});
test('subtracts', () => {
  expect(sub(3, 2)).toEqual(1);
});
`;
const PYTHON = `import pytest

def test_adds():
    assert add(1, 2) == 3
    assert add(0, 0) == 0

class TestSub:
    def test_subtracts(self):
        self.assertEqual(sub(3, 2), 1)
`;
const GO = `package sum

import "testing"

func TestAdds(t *testing.T) {
	if Add(1, 2) != 3 {
		t.Errorf("wrong")
	}
	if Add(0, 0) != 0 {
		t.Fatal("wrong")
	}
}

func TestSubtracts(t *testing.T) {
	t.Run("small", func(t *testing.T) {
		require.Equal(t, 1, Sub(3, 2))
	})
}
`;
const RUST = `pub fn add(a: u8, b: u8) -> u8 { a + b }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
        assert_eq!(add(0, 0), 0);
    }

    #[test]
    fn subtracts() {
        assert_eq!(sub(3, 2), 1);
    }
}
`;
const SAMPLES = { 'a.test.js': JS, 'tests/test_a.py': PYTHON, 'a_test.go': GO, 'src/lib.rs': RUST } as const;
type Sample = keyof typeof SAMPLES;
const changed = (path: Sample, from: string | RegExp, to: string) => {
  const before = SAMPLES[path];
  const after = before.replace(from, to);
  if (after === before) throw new Error(`nothing to replace in ${path}`);
  return [file(path, before, after)];
};

describe('blocks', () => {
  test.each<[Sample, string, RegExp | string, string, string]>([
    ['a.test.js', 'a test gone', /test\('sub[\s\S]*/, '', '!tests-removed'],
    ['tests/test_a.py', 'a test gone', /class TestSub[\s\S]*/, '', '!tests-removed'],
    ['a_test.go', 'a test gone', /func TestSub[\s\S]*/, '', '!tests-removed'],
    ['src/lib.rs', 'a test gone', / {4}#\[test\]\n {4}fn sub[\s\S]*?\n {4}\}\n/, '', '!tests-removed'],
    ['a.test.js', 'a test commented out', /test\('sub[\s\S]*/, (text: string) => text.replace(/^/gm, '// ')] as never,
    ['a.test.js', 'an assertion gone', '  expect(add(0, 0)).toBe(0);\n', '', '!assertions-removed'],
    ['tests/test_a.py', 'an assertion gone', '    assert add(0, 0) == 0\n', '', '!assertions-removed'],
    ['a_test.go', 'an assertion gone', '\t\tt.Fatal("wrong")\n', '', '!assertions-removed'],
    ['src/lib.rs', 'an assertion gone', '        assert_eq!(add(0, 0), 0);\n', '', '!assertions-removed'],
    ['a.test.js', 'always true', 'expect(add(0, 0)).toBe(0)', 'expect(true).toBe(true)', '!assertions-removed'],
    [
      'a.test.js',
      'or true',
      'expect(add(0, 0)).toBe(0)',
      'expect(add(0, 0) === 0 || true).toBe(true)',
      '!assertions-removed',
    ],
    ['tests/test_a.py', 'always true', 'add(0, 0) == 0', 'True', '!assertions-removed'],
    ['tests/test_a.py', 'or true', 'add(0, 0) == 0', 'add(0, 0) == 0 or True', '!assertions-removed'],
    ['src/lib.rs', 'always true', 'assert_eq!(add(0, 0), 0)', 'assert!(true)', '!assertions-removed'],
    ['a.test.js', 'never reached', "'adds', () => {\n", "'adds', () => {\n  return;\n", '!assertions-removed'],
    ['tests/test_a.py', 'never reached', 'adds():\n', 'adds():\n    return\n', '!assertions-removed'],
    [
      'a_test.go',
      'never reached',
      'TestAdds(t *testing.T) {\n',
      'TestAdds(t *testing.T) {\n\treturn\n',
      '!assertions-removed',
    ],
    ['a.test.js', 'an assertion commented out', '  expect(add(0', '  // expect(add(0', '!assertions-removed'],
    ['a.test.js', 'a weaker matcher', '.toBe(3)', '.toBeDefined()', '!assertions-weakened'],
    ['tests/test_a.py', 'a weaker comparison', 'add(1, 2) == 3', 'add(1, 2) is not None', '!assertions-weakened'],
    ['a.test.js', 'skip', "test('sub", "test.skip('sub", '!tests-skipped'],
    ['a.test.js', 'todo', "test('sub", "test.todo('sub", '!tests-skipped'],
    ['a.test.js', 'only', "test('adds", "test.only('adds", '!tests-only'],
    ['a.test.js', 'xtest', "test('sub", "xtest('sub", '!tests-skipped'],
    ['a.test.js', 'an option', "test('subtracts', ", "test('subtracts', { skip: true }, ", '!tests-skipped'],
    ['tests/test_a.py', 'skip', 'def test_adds', '@pytest.mark.skip(reason="x")\ndef test_adds', '!tests-skipped'],
    ['tests/test_a.py', 'xfail', 'def test_adds', '@pytest.mark.xfail\ndef test_adds', '!tests-skipped'],
    ['tests/test_a.py', 'skip inside', 'adds():\n', 'adds():\n    pytest.skip("later")\n', '!tests-skipped'],
    [
      'tests/test_a.py',
      'whole file',
      'import pytest\n',
      'import pytest\npytestmark = pytest.mark.skip\n',
      '!tests-skipped',
    ],
    [
      'a_test.go',
      'skip',
      'TestAdds(t *testing.T) {\n',
      'TestAdds(t *testing.T) {\n\tt.Skip("later")\n',
      '!tests-skipped',
    ],
    ['src/lib.rs', 'ignore', '#[test]\n    fn sub', '#[test]\n    #[ignore]\n    fn sub', '!tests-skipped'],
  ])('%s: %s', (path, _, from, to, rule = '!tests-removed') => {
    expect(rules(changed(path, from, to))).toContain(rule);
  });

  test('also in a file that the task may change, whatever the text says', () => {
    const files = changed('a.test.js', /test\('sub[\s\S]*/, '');
    expect(rules(files, { grants: ['a.test.js'] })).toEqual(['!tests-removed']);
    expect(rules(files, { task: 'Refactor the parser. Do not remove tests.' })).toEqual(['!tests-removed']);
    expect(rules(files, { task: 'Refactor sub() without breaking the tests' })).toEqual(['!tests-removed']);
    expect(rules(files, { task: 'Remove duplicates in the list and add tests' })).toEqual(['!tests-removed']);
  });

  test('a deleted file of tests', () => {
    expect(told([file('a.test.js', JS, null)])).toEqual(['!tests-removed a.test.js:']);
  });
});

describe('lets pass', () => {
  test.each<[Sample, string, RegExp | string, string]>([
    ['a.test.js', 'a renamed test', "'subtracts'", "'takes away'"],
    ['a.test.js', 'another expected value', '.toBe(3)', '.toBe(4)'],
    ['a.test.js', 'another exact matcher', '.toBe(3)', '.toStrictEqual(3)'],
    [
      'a.test.js',
      'a new test',
      "test('subtracts'",
      "test('new', () => {\n  expect(1 + x).toBe(2);\n});\ntest('subtracts'",
    ],
    [
      'a.test.js',
      'a return in a callback',
      '  expect(add(0',
      '  list.map((x) => {\n    return;\n  });\n  expect(add(0',
    ],
    ['tests/test_a.py', 'a new test', 'class TestSub', 'def test_more():\n    assert add(2, 2) == 4\n\nclass TestSub'],
    ['tests/test_a.py', 'other arguments', 'add(1, 2) == 3', 'add(2, 2) == 4'],
    [
      'a_test.go',
      'a new test',
      'func TestSub',
      'func TestMore(t *testing.T) {\n\trequire.Equal(t, 4, Add(2, 2))\n}\n\nfunc TestSub',
    ],
    ['src/lib.rs', 'other product code', 'a + b', 'b + a'],
  ])('%s: %s', (path, _, from, to) => {
    expect(rules(changed(path, from, to))).toEqual([]);
  });

  test('a test that moved to another file', () => {
    const at = JS.indexOf("test('sub");
    expect(rules([file('a.test.js', JS, JS.slice(0, at)), file('b.test.js', null, JS.slice(at))])).toEqual([]);
  });

  test.each([
    'Remove the tests of sub()',
    'Delete obsolete tests',
    'Remove `sub` and its tests',
    'test: drop what is covered elsewhere',
    'Merge the two tests of the parser',
    'Revert "Add sub"',
  ])('a loss that the task asks for is reported and does not block: %s', (task) => {
    expect(rules(changed('a.test.js', /test\('sub[\s\S]*/, ''), { task })).toEqual(['tests-removed']);
  });

  test('tests of what the task removes from the product', () => {
    const product = file(
      'a.js',
      'export function sub(a, b) {\n  return a - b;\n}\nexport const x = 1;\n',
      'export const x = 1;\n',
    );
    const tests = changed('a.test.js', /test\('sub[\s\S]*/, '');
    expect(rules([product, ...tests], { task: 'Remove subtraction' })).toEqual(['tests-removed']);
    // Nothing goes from the product: the test has no reason to go.
    expect(rules(tests, { task: 'Remove subtraction' })).toEqual(['!tests-removed']);
  });

  test('skips under a condition, skips of new tests, and skips that the task asks for, warn', () => {
    const go = changed(
      'a_test.go',
      'TestAdds(t *testing.T) {\n',
      'TestAdds(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n',
    );
    expect(rules(go)).toEqual(['tests-skipped']);
    const python = changed(
      'tests/test_a.py',
      'def test_adds',
      '@pytest.mark.skipif(sys.platform == "win32", reason="")\ndef test_adds',
    );
    expect(rules(python)).toEqual(['tests-skipped']);
    expect(rules([file('b.test.js', null, "test.skip('later', () => {});\n")])).toEqual(['tests-skipped']);
    const asked = changed('a.test.js', "test('sub", "test.skip('sub");
    expect(rules(asked, { task: 'Skip the flaky subtraction test' })).toEqual(['tests-skipped']);
  });
});

test('a task that asks for fewer tests gets no contradicting note', () => {
  const before = "test('a', () => {\n  expect(f()).toBe(1);\n});\ntest('b', () => {\n  expect(f()).toBe(2);\n});\n";
  const after = before.slice(0, before.indexOf("test('b'"));
  const said = (task: string) => findings([file('a.test.js', before, after)], { task }).map(({ message }) => message);
  expect(said('Drop a test')).toEqual(['1 test removed: `b`']);
  expect(said('Fix the parser')).toEqual(['1 test removed: `b`. The task does not ask for fewer tests: restore it']);
});
