/** UI-13 and UI-14: patterns of roles lead nowhere but into the repository, and cost no more than their length. */
import { describe, expect, test } from 'vitest';
import { matcher } from '../../../src/mind/fields/globs.ts';
import { VARIABLES } from '../../../src/mind/fields/variables.ts';
import { problemIn, ROOT, roleIn, shapeProblem } from './files.ts';

const LISTS = [
  'context: {include: [P]}',
  'context: {exclude: [P]}',
  'context: {always_include: [P]}',
  'write_scope: [P]',
  'grants: [P]',
];
const withPattern = (list: string, pattern: string) => `${list.replace('P', JSON.stringify(pattern))}\n`;

describe('UI-13: a pattern that leaves the repository', () => {
  test.each([
    '../../**',
    '../../../etc/passwd',
    '/etc/*',
    '~/.ssh/*',
    '~root/x',
    'src/../../x',
    'a/**/..',
    'src\\..\\x',
    '.',
    './../x',
  ])('is refused with its words: %s', (pattern) => {
    for (const list of LISTS) {
      const problem = shapeProblem(withPattern(list, pattern));
      expect(problem, list).toMatch(/^a\.yaml:1:\d+: /);
      if (pattern.length > 1)
        expect(problem, list).toContain(JSON.stringify(pattern.replace(/^\.\//, '')).slice(1, -1));
    }
  });

  test('a pattern that leaves the repository differs from one that stays inside', () => {
    for (const pattern of [
      'src/**',
      './README.md',
      '*.md',
      '.github/workflows/**',
      'app/[id]/page.tsx',
      'app/routes/$id.tsx',
      'a..b/c',
    ])
      for (const list of LISTS) expect(shapeProblem(withPattern(list, pattern)), pattern).toBe('no problem');
  });
});

describe('UI-14: patterns that would cost', () => {
  test('braces are refused, however many', () => {
    for (const list of LISTS) {
      expect(shapeProblem(withPattern(list, '{a,b}'.repeat(30))), list).toContain(
        'has braces: write one pattern for each case',
      );
      expect(shapeProblem(withPattern(list, 'x'.repeat(1_001))), list).toContain('is longer than 1000 characters');
    }
    expect(shapeProblem(`write_scope: [${'a, '.repeat(200)}b]\n`)).toContain('has more than 200 entries');
  });

  test('stars and what looks like a regular expression are matched in linear time', () => {
    const patterns = ['**/**/**/**/*', `${'**/a*a*a*'.repeat(20)}`, '(a+)+$'];
    for (const pattern of patterns) expect(shapeProblem(withPattern(LISTS[0] ?? '', pattern))).toBe('no problem');
    const role = roleIn({ a: `${ROOT}${withPattern(LISTS[0] ?? '', patterns[0] ?? '')}` }, 'a');
    // An expression that backtracks would not come back from these.
    expect(matcher(role.context.include)(`${'a/'.repeat(2_000)}!`)).toBe(true);
    expect(matcher(patterns.slice(1))(`${'a'.repeat(20_000)}!`)).toBe(false);
  });
});

describe('variables', () => {
  test('stand in the lists of context, and nowhere else', () => {
    for (const variable of VARIABLES) {
      for (const list of LISTS.slice(0, 3)) expect(shapeProblem(withPattern(list, variable)), list).toBe('no problem');
      for (const list of LISTS.slice(3))
        expect(shapeProblem(withPattern(list, variable)), list).toContain(
          'variables are only for the lists of `context`',
        );
    }
  });

  test('that there are not are refused', () => {
    expect(problemIn({ a: `${ROOT}context: {include: ["$TARGETS"]}\n` })).toContain(
      'there is no variable "$TARGETS", did you mean $TARGET?',
    );
    for (const pattern of ['$HOME', `\${TARGET}`, '$', '$target'])
      expect(shapeProblem(withPattern(LISTS[0] ?? '', pattern)), pattern).toContain('there is no variable');
  });
});
