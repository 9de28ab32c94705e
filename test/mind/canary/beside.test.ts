/** Failed tests beside planted ones: suites above a plant and cases below it belong to it, other tests do not. */
import { expect, test } from 'vitest';
import { failedBeside } from '../../../src/mind/canary/failed-beside-plants.ts';

const plant = (path: string, name: string) => ({ kind: 'inside', path, test: name }) as const;

test.each([
  [
    plant('test/a.test.js', 'adds'),
    ['test/a.test.js > sums > adds', 'test/a.test.js > more'],
    ['test/a.test.js > more'],
  ],
  [plant('test/a.test.js', 'adds'), ['test/a.test.js > adds', 'test/a.test.js > adds > in parts'], []],
  [plant('test/a.test.js', 'adds'), ['test/b.test.js > adds'], ['test/b.test.js > adds']],
  [
    plant('tests/test_a.py', 'test_adds'),
    ['tests/test_a.py::test_adds[1-2]', 'tests/test_a.py::test_adds_more'],
    ['tests/test_a.py::test_adds_more'],
  ],
  [
    plant('a_test.go', 'TestAdd'),
    ['demo > TestAdd', 'demo > TestAdd/small', 'demo > TestAddMore'],
    ['demo > TestAddMore'],
  ],
  [plant('src/sums.rs', 'tests::adds'), ['sums::tests::adds', 'sums::tests::adds_more'], ['sums::tests::adds_more']],
])('of a plant in %o', (one, failed, beside) => expect(failedBeside([one], failed)).toEqual(beside));

test('without plants every failure is one of the tests themselves', () => {
  expect(failedBeside([], ['a > b'])).toEqual(['a > b']);
});
