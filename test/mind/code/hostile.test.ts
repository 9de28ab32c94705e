/** Whatever a repository holds, reading it ends, and soon: time grows with the text, not with its square (UI-14). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskOf } from '../../../src/mind/code/mask.ts';
import { nearMisses, worst } from './hostile-texts.ts';
import { readAll, readAs, resolveWith } from './read-all.ts';

// As large as a file may be. In the square of that, none of these would end in the time a test has: some took 10 s a reader.
test.each(worst(1024 * 1024))('%s: a MiB of %s', (path, _unit, text) => {
  readAs(path, text);
});

// `hostile.long.ts` tries many more, and longer ones.
test.each(nearMisses(32 * 1024))('a text that almost fits: %s', (_what, text) => {
  readAll(text);
});

/** Pieces of the languages, put together at random: more of their corners than random letters reach. */
const PIECES = fc.constantFrom(
  ...[
    'import ',
    'from ',
    'export ',
    'class A',
    ' {',
    '}',
    '(',
    ')',
    "'",
    '"',
    '`',
    '${',
    '/*',
    '*/',
    '//',
    '\n',
    '  ',
    'def a',
    ':',
    ';',
  ],
  ...[
    'use ',
    'mod ',
    '::',
    'fn a',
    'impl ',
    'func ',
    'type ',
    '"""',
    '#',
    '\\',
    '=',
    '=>',
    '<',
    '>',
    ',',
    '.',
    '@a',
    'pub ',
    '/',
    'require(',
    '[',
    ']',
  ],
);
const TEXT = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.array(PIECES, { maxLength: 60 }).map((all) => all.join('')),
);

describe('any text', () => {
  test('is read without an error, and nothing outside of the repository is found', () => {
    fc.assert(
      fc.property(TEXT, TEXT, (text, specifier) => {
        readAll(text);
        expect(resolveWith(text, specifier)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('keeps its length and its lines when masked', () => {
    fc.assert(
      fc.property(TEXT, fc.constantFrom('typescript', 'python', 'go', 'rust', 'java', 'other'), (text, language) => {
        const code = maskOf(language, text);
        expect(code.length).toBe(text.length);
        for (let i = 0; i < text.length; i += 1) expect(code[i] === text[i] || code[i] === ' ').toBe(true);
        expect(code.split('\n').length).toBe(text.split('\n').length);
      }),
      { numRuns: 500 },
    );
  });

  test('is masked to nothing new when masked again, where strings are closed', () => {
    const code = maskOf('typescript', `const a = 'b'; /* c */ \`d\${e}f\` // g\n`);
    expect(code).toBe(`const a = ' ';         \` \${e} \`     \n`);
    expect(maskOf('typescript', code)).toBe(code);
  });
});
