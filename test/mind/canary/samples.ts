/** A small project for each runner, whose tests are green. */
import type { TestRunner } from '../../../src/mind/canary/plant.ts';
import type { Tree } from './runs.ts';

export type Sample = { readonly tree: Tree; readonly tests: readonly string[] };

const SUM = 'export function sum(a, b) {\n  return a + b;\n}\n';

export const SAMPLES: Readonly<Record<TestRunner, Sample>> = {
  tap: {
    tests: ['test/sum.test.mjs', 'test/old.test.cjs', 'test/typed.test.ts'],
    tree: {
      'package.json': '{"type":"module"}',
      'src/sum.js': SUM,
      'test/sum.test.mjs': `import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import { sum } from '../src/sum.js';

test('adds', () => {
  assert.equal(sum(1, 2), 3);
});

test('adds #1 of \\\\ many', async (t) => {
  t.assert.strictEqual(await Promise.resolve(sum(1, 2)), 3);
  await t.test('inside', () => {});
});

test('waits', (t, done) => {
  setImmediate(done);
});

describe('sums', () => {
  before(() => {});
  after(() => {});
  it('of none', () => assert.equal(sum(0, 0), 0));
  describe('of many', () => {
    it('adds up', () => {
      assert.deepEqual([sum(1, 1)], [2]);
    });
    it.skip('later', () => {});
  });
});
`,
      'test/old.test.cjs': `'use strict';
const { test } = require('node:test');
const assert = require('node:assert');

test('subtracts', function () {
  assert.ok(1);
  assert(2);
});
test('throws', async () => {
  await assert.rejects(async () => {
    throw new Error('x');
  });
  assert.throws(() => {
    throw new Error('x');
  });
});
`,
      'test/typed.test.ts': `import { strictEqual as same } from 'node:assert';
import test, { type TestContext } from 'node:test';

test('is typed', async (t: TestContext): Promise<void> => {
  const one: number = 1;
  same(one, 1);
});
`,
    },
  },
  vitest: {
    tests: ['test/sum.test.ts', 'src/view.spec.tsx'],
    tree: {
      'package.json': '{"type":"module"}',
      'src/sum.ts': 'export const sum = (a: number, b: number): number => a + b;\n',
      'test/sum.test.ts': `import { assert, describe, expect, it, test } from 'vitest';
import { sum } from '../src/sum.ts';

test('adds', () => {
  expect(sum(1, 2)).toBe(3);
});

test('is equal', async () => {
  expect([sum(1, 2)]).toEqual([3]);
  expect(sum(1, 2)).not.toBe(4);
  assert.equal(sum(1, 2), 3);
}, 5_000);

describe('sums', () => {
  it('of none', () => expect(sum(0, 0)).toBe(0));
  it.concurrent('at once', async ({ expect }) => {
    expect(1).toBe(1);
  });
  it.fails('wrong', () => {
    expect(1).toBe(2);
  });
  it.each([1, 2])('many %i', (n) => {
    expect(n).toBeGreaterThan(0);
  });
});
`,
      'src/view.spec.tsx': `import { expect, it } from 'vitest';
it("shows", { timeout: 1000 }, () => {
  const name = \`a\${1}\`;
  expect({ name }).toMatchObject({ name: 'a1' });
});
it("hides", () => {
  expect(() => { throw new Error('x'); }).toThrow();
  expect('abc').toMatch(/b['"]?/);
});
`,
    },
  },
  jest: {
    tests: ['test/sum.test.js', 'src/__tests__/old.js'],
    tree: {
      'package.json': '{}',
      'src/sum.js': 'exports.sum = (a, b) => a + b;\n',
      'test/sum.test.js': `const { sum } = require('../src/sum');

describe('sums', () => {
  let x;
  beforeEach(() => {
    x = 1;
  });
  test('adds', () => {
    expect(sum(x, 2)).toBe(3);
  });
  describe('of many', () => {
    it('adds up', async () => {
      expect(await Promise.resolve([1])).toEqual([1]);
    });
    it('calls back', (done) => {
      expect(x).toBeTruthy();
      setTimeout(done, 1);
    });
  });
});
`,
      'src/__tests__/old.js': `const assert = require('assert');
it('is old', function () {
  assert.strictEqual(1, 1);
});
it.failing('fails', () => {
  throw new Error('x');
});
`,
    },
  },
  pytest: {
    tests: ['tests/test_sum.py', 'tests/sum_test.py'],
    tree: {
      'sums.py': 'def add(a, b):\n    return a + b\n',
      'conftest.py': '',
      'tests/test_sum.py': `import unittest
from unittest import mock

import pytest

from sums import add


def test_adds():
    """Adds."""
    assert add(1, 2) == 3


@mock.patch('sums.add')
def test_patched(patched, tmp_path):
    assert patched is not add


@pytest.mark.parametrize('a', [1, 2])
def test_many(a):
    assert add(a, 0) == a


class TestSums:
    def test_of_none(self):
        assert add(0, 0) == 0

    def test_adds(self):
        assert add(1, 1) == 2


class OldSums(unittest.TestCase):
    def setUp(self):
        self.one = 1

    def test_adds(self):
        self.assertEqual(add(self.one, 1), 2)
`,
      'tests/sum_test.py': 'def test_more():\n    assert [1]\n',
    },
  },
  unittest: {
    tests: ['tests/test_sum.py', 'tests/test_async.py'],
    tree: {
      'sums.py': 'def add(a, b):\n    return a + b\n',
      'tests/__init__.py': '',
      'tests/test_sum.py': `import unittest

from sums import add


class SumTest(unittest.TestCase):
    """Of sums."""

    def setUp(self):
        self.one = 1

    def test_adds(self):
        """Adds."""
        self.assertEqual(add(self.one, 2), 3)

    def test_is_in(self):
        self.assertIn(add(1, 1), [2])
        with self.assertRaises(TypeError):
            add(1, None)

    @unittest.skip('later')
    def test_later(self):
        self.fail()


class MoreTest(SumTest):
    def test_more(self):
        self.assertTrue(self.one)


if __name__ == '__main__':
    unittest.main()
`,
      'tests/test_async.py': `from unittest import IsolatedAsyncioTestCase


class AsyncTest(IsolatedAsyncioTestCase):
    async def test_waits(self):
        self.assertIsNone(None)
`,
    },
  },
  go: {
    tests: ['sum_test.go', 'deep/er/deep_test.go'],
    tree: {
      'go.mod': 'module example.com/demo\n\ngo 1.19\n',
      'sum.go': 'package demo\n\nfunc Sum(a, b int) int { return a + b }\n',
      'sum_test.go': `package demo

import "testing"

func TestSum(t *testing.T) {
	if Sum(1, 2) != 3 {
		t.Fatal("no")
	}
}

func TestTable(tt *testing.T) {
	tt.Parallel()
	for _, a := range []int{1, 2} {
		tt.Run("one", func(t *testing.T) {
			if Sum(a, 0) != a {
				t.Error("no")
			}
		})
	}
}
`,
      'deep/er/deep.go': 'package er\n',
      'deep/er/deep_test.go': `package er_test

import (
	"testing"
)

func TestDeep(t *testing.T) { t.Log("deep") }
`,
    },
  },
  cargo: {
    tests: ['src/lib.rs', 'src/deep/mod.rs', 'tests/sums.rs'],
    tree: {
      'Cargo.toml': '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/lib.rs': `#![deny(warnings)]
pub mod deep;

pub fn sum(a: i32, b: i32) -> i32 {
    a + b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(sum(1, 2), 3);
    }

    #[test]
    #[should_panic]
    fn panics() {
        panic!();
    }

    mod inner {
        #[test]
        fn is_inside() -> Result<(), String> {
            assert!(true);
            Ok(())
        }
    }
}
`,
      'src/deep/mod.rs': `#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_ne!(1, 2);
    }
}
`,
      'tests/sums.rs': `#![deny(warnings)]
use demo::sum;

#[test]
fn sums() {
    let text: &'static str = "#[test] fn x() {";
    assert_eq!(sum(1, 1), 2, "{text}");
}

#[test]
fn more() {}
`,
    },
  },
};
