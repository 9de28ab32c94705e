/** YAML that is read without the library: what is taken is exactly what the library makes of it. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainYaml } from '../../src/mind/config/plain-yaml.ts';
import { readByLibrary, readYaml } from '../../src/mind/config/yaml.ts';

const TEMPLATES = join(import.meta.dirname, '../../templates');

function byLibrary(text: string): unknown {
  const read = readByLibrary(text, 'a.yaml');
  return read.type === 'problem' ? read.message : read.value;
}

test('all files that are shipped, and most of them without the library', () => {
  const files = globSync('**/*.yaml', { cwd: TEMPLATES }).map((file) => readFileSync(join(TEMPLATES, file), 'utf8'));
  const plain = files.filter((text) => plainYaml(text) !== null);
  expect(files.length).toBeGreaterThan(40);
  for (const text of plain) expect(plainYaml(text)).toEqual(byLibrary(text));
  expect(plain.length).toBeGreaterThan(files.length * 0.8);
});

test.each([
  ...['k:\n  [a\n\n   b]\n', 'k:\n  [a\n# c\n   b]\n', 'k:\n  [a,\n   # c\n   b]\n', 'k:\n  ["a\n   b"]\n'],
  ...['k:\n  ["a\n\n   b"]\n', 'k:\n  [a,\n\n   b]\n', `${'a'.repeat(1100)}: 1\n`, 'k:\n  [\n  ]\n'],
  ...['k:\n  [\n    src/a\n    # t\n    test/b\n  ]\n', 'k:\n  [\n    src/a\n    test/b\n  ]\n'],
  ...['k:\n  [\n    "a,\n\n    b",\n    c\n  ]\n', 'k:\n  [\n    "a,\n# x\n    b",\n    c\n  ]\n'],
  ...['k:\n  [\n    a\n# x\n  ]\n', 'k:\n  [\n    a,\n    b\n  ]\n', 'k:\n  [\n    "a\n# x\n    ]"\n  ]\n'],
])('a list on lines of its own: %j', (text) => {
  const plain = plainYaml(text);
  if (plain !== null) expect(plain).toEqual(byLibrary(text));
  expect(readYaml(text, 'a.yaml').type).toBe(readByLibrary(text, 'a.yaml').type);
});

test('what is nested too deeply is refused as ever', () => {
  const text = Array.from({ length: 80 }, (_, n) => `${' '.repeat(n)}a:`).join('\n');
  expect(readYaml(`${text} 1\n`, 'a.yaml')).toEqual(readByLibrary(`${text} 1\n`, 'a.yaml'));
  expect(readYaml(`${text} 1\n`, 'a.yaml').type).toBe('problem');
});

test('whatever is put together of such pieces: the same as the library, or left to it', () => {
  const value = fc.constantFrom(
    ...['a', 'word', "it's, so", 'a b', 'a  b', 'true', 'True', 'null', '~', '0', '7', '007', '-1', '1.5', '.5', '1e3'],
    ...['0x1f', '0o7', '.inf', '.nan', '...', '---', '- a', 'a: b', 'a:', ': a', 'a #b', '#b', 'a# b', '"q"', '"a\\n"'],
    ...[
      "'s'",
      "'s",
      '"',
      '|',
      '|-',
      '>',
      '&a',
      '*a',
      '*a*',
      '!t',
      '@a',
      '`a',
      '%a',
      '?',
      '? a',
      '-',
      '[',
      ']',
      '{',
      '}',
    ],
    ...[
      '[]',
      '[a]',
      '[a, b]',
      '[a b, c - d]',
      '[a -, b]',
      '{ a: b c }',
      'a; b',
      '[- a]',
      '[a,b]',
      '["a", b]',
      '["a" b]',
      '[ a ]',
      '[a, ]',
      '[a: b]',
      '[[a]]',
      '{}',
      '{ a: 1 }',
    ],
    ...[
      '{a: 1, b: x}',
      '{ a: 1, a: 2 }',
      '{ a:1 }',
      '{ a: }',
      '[$A, ./b/*.c]',
      '<<',
      '=',
      '1_000',
      '2001-01-01',
      'yes',
    ],
    ...['', ' ', 'a ', '12345678901', '0.1', '1.', '+1', 'NaN', 'a\tb', 'é', '[null]', '[true, 1]', '{ a: null }'],
  );
  const key = fc.constantFrom(
    'a',
    'b',
    'c_d',
    'null',
    'true',
    '__proto__',
    'a b',
    '"a"',
    '1',
    '- a',
    '<<',
    'constructor',
  );
  const indent = fc.constantFrom('', '', '  ', '    ', ' ');
  const line = fc.oneof(
    fc.tuple(indent, key, value).map(([before, name, one]) => `${before}${name}: ${one}`),
    fc.tuple(indent, key).map(([before, name]) => `${before}${name}:`),
    fc.tuple(indent, value).map(([before, one]) => `${before}- ${one}`),
    fc.tuple(indent, value).map(([before, one]) => `${before}${one}`),
    fc.constantFrom('', '  ', '# a', '  # a', '[', ']', '  [', '  ]', '    a,', '  a,', 'a:', 'a: |', '  b: |'),
  );
  // Nearly right, so that many are taken: each key once, and one odd value at most in a few lines.
  const entry = fc
    .tuple(
      fc.constantFrom('x: ', 'x:\n  y: ', 'x:\n  - ', 'x: |\n  ', 'x:\n  y:\n    z: ', 'x: [a, ', 'x: { a: '),
      value,
    )
    .map(([before, one]) => `${before}${one}${/\[/.test(before) ? ']' : /\{/.test(before) ? ' }' : ''}`);
  const orderly = fc.array(entry, { minLength: 1, maxLength: 3 }).map((all) =>
    all
      .map((one, n) => one.replace('x', `x${n}`))
      .join('\n')
      .split('\n'),
  );
  const wild = fc.array(line, { minLength: 1, maxLength: 7 });
  let taken = 0;
  fc.assert(
    fc.property(fc.oneof(orderly, wild), fc.constantFrom('\n', ''), (lines, end) => {
      const text = lines.join('\n') + end;
      const plain = plainYaml(text);
      if (plain === null) return;
      taken += 1;
      expect(plain).toEqual(byLibrary(text));
    }),
    { numRuns: 20_000 },
  );
  expect(taken).toBeGreaterThan(1_000);
});

test('a mistake that the schema sees is shown at its place all the same', () => {
  const text = 'name: a\nparts:\n  map: { share: 2 }\n';
  expect(plainYaml(text)).not.toBeNull();
  const read = readYaml(text, 'a.yaml');
  expect(read.type === 'yaml' && read.locate(['parts', 'map', 'share'], 'value')).toMatchObject({
    line: 3,
    column: 17,
  });
});
