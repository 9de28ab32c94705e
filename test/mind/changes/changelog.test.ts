/** Which paths are a changelog, and what a change without an entry is told. */
import { expect, test } from 'vitest';
import { isChangelog, missingEntry } from '../../../src/mind/changes/changelog.ts';

test.each([
  ...[
    'CHANGELOG.md',
    'CHANGELOG',
    'docs/changelog.rst',
    'CHANGES.txt',
    'HISTORY.md',
    'NEWS',
    'NEWS.md',
    'release-notes.md',
  ],
  ...[
    'packages/a/CHANGELOG.md',
    'CHANGELOG-2.x.md',
    '.changeset/brave-cat.md',
    'changelog.d/123.feature',
    'changes/12.md',
  ],
  ...['newsfragments/45.bugfix', 'changelogs/fragments/12.yml'.replace('fragments/', '')],
])('%s is one', (path) => {
  expect(isChangelog(path)).toBe(true);
});

test.each([
  ...[
    'src/history.ts',
    'src/changes/changed-file.ts',
    'news/feed.py',
    'changelog.js',
    'README.md',
    'docs/exchange-log.md',
  ],
  ...['data/changes.json', 'CHANGELOG.md/x.png'],
])('%s is none', (path) => {
  expect(isChangelog(path)).toBe(false);
});

test('an entry counts where the file is still there; without one, the file to write is named', () => {
  const all = ['a.ts', 'docs/CHANGELOG.md', 'CHANGELOG.md'];
  expect(
    missingEntry(
      [
        { path: 'a.ts', after: '1' },
        { path: 'CHANGELOG.md', after: '2' },
      ],
      all,
    ),
  ).toBeNull();
  expect(missingEntry([{ path: 'CHANGELOG.md', after: null }], ['a.ts'])).toContain('write CHANGELOG.md with one');
  expect(missingEntry([{ path: 'a.ts', after: '1' }], all)).toMatch(
    /has no changelog entry.*: add one to CHANGELOG\.md$/,
  );
});
