import { describe, expect, test } from 'vitest';
import { testFilesIn, testsOf } from '../../../src/mind/code/companions.ts';

const FILES: ReadonlySet<string> = new Set([
  ...['src/parse.ts', 'src/parse.test.ts', 'src/deep/walk.ts', 'src/deep/__tests__/walk.ts', 'test/deep/walk.spec.ts'],
  ...['packages/core/router/explore.ts', 'packages/core/test/router/explore.spec.ts', 'packages/ui/router/explore.ts'],
  ...['src/button/index.tsx', 'src/button/button.test.tsx', 'src/other.ts', 'fixtures/parse.test.ts'],
  ...[
    'app/models.py',
    'tests/test_models.py',
    'shop/utils/text.py',
    'tests/utils_tests/test_text.py',
    'blog/views.py',
    'blog/tests.py',
  ],
  ...['store/store.go', 'store/store_test.go', 'other/store.go', 'src/a.rs', 'tests/a.rs'],
  ...[
    'app/src/main/java/x/Cart.java',
    'app/src/test/java/x/CartTest.java',
    'app/src/test/java/x/CartIT.java',
    'app/src/main/java/x/Latest.java',
  ],
]);

describe('the tests for a file', () => {
  test.each([
    ['src/parse.ts', ['src/parse.test.ts']],
    ['src/deep/walk.ts', ['src/deep/__tests__/walk.ts', 'test/deep/walk.spec.ts']],
    ['packages/core/router/explore.ts', ['packages/core/test/router/explore.spec.ts']],
    ['packages/ui/router/explore.ts', []],
    ['src/button/index.tsx', ['src/button/button.test.tsx']],
    ['app/models.py', ['tests/test_models.py']],
    ['shop/utils/text.py', ['tests/utils_tests/test_text.py']],
    ['blog/views.py', ['blog/tests.py']],
    ['store/store.go', ['store/store_test.go']],
    ['other/store.go', []],
    ['src/a.rs', ['tests/a.rs']],
    ['app/src/main/java/x/Cart.java', ['app/src/test/java/x/CartIT.java', 'app/src/test/java/x/CartTest.java']],
    ['app/src/main/java/x/Latest.java', []],
    ['src/other.ts', []],
    ['not/there.ts', []],
  ])('%s', (path, tests) => {
    const paths = [...FILES];
    const tested = { paths, tests: testFilesIn(paths), has: (one: string) => FILES.has(one) };
    expect(testsOf(path, tested)).toEqual(tests);
  });
});
