/** First lines of commits in the conventional form. */
import { describe, expect, test } from 'vitest';
import { conventionalSubject, isConventional } from '../../src/mind/protocol/subject.ts';

test.each([
  ['Fix the parser.', 'fix: fix the parser'],
  ['Prevent a crash on empty input', 'fix: prevent a crash on empty input'],
  ['Add user authentication', 'feat: add user authentication'],
  ['Document the API', 'docs: document the API'],
  ['API keys can be rotated', 'feat: API keys can be rotated'],
  ['Rename Foo to Bar', 'refactor: rename Foo to Bar'],
  ['Undo "Add user authentication"', 'revert: undo "Add user authentication"'],
  ['Upgrade lodash', 'build: upgrade lodash'],
  ['feat(auth): Add login', 'feat(auth): Add login'],
])('%s becomes %s', (title, subject) => {
  expect(conventionalSubject(title)).toBe(subject);
});

describe('the habit of a project', () => {
  test.each([
    [['feat: a', 'fix(x): b', 'docs!: c', 'chore: d', 'ci: e'], true],
    [['feat: a', 'fix: b', 'Add c', 'Add d', 'Merge branch x', 'feat: e'], true],
    [['feat: a', 'fix: b', 'Add c', 'Add d', 'Add e'], false],
    [['feat: a', 'fix: b'], false],
    [[], false],
  ])('%o: %s', (subjects, conventional) => {
    expect(isConventional(subjects)).toBe(conventional);
  });
});
