/** package.json: dependencies are a task's business, what gates run is not. */
import { describe, expect, test } from 'vitest';
import { textsWanted } from '../../../src/mind/candidates/check.ts';
import { change, check } from './check.ts';

const BASE = {
  name: 'a',
  version: '1.0.0',
  type: 'module',
  scripts: { test: 'vitest run' },
  jest: { moduleNameMapper: { '^a$': 'x', '^(.*)$': 'y' } },
  dependencies: { left: '1.0.0' },
};
const edited = (change: Record<string, unknown>): string => JSON.stringify({ ...BASE, ...change });

function problem(words: string, before: string | null, after: string | null): string | null {
  const [one, ...more] = check([words], { texts: { [words.slice(2)]: [before, after] } }).violations;
  expect(more).toEqual([]);
  return one === undefined ? null : `${one.kind}: ${one.reason}`;
}

describe.each(['package.json', 'packages/a/package.json', 'Package.JSON'])('%s', (path) => {
  test.each([
    // WT-01, WT-22
    ['the test script', edited({ scripts: { test: 'exit 0' } }), '`scripts`'],
    ['a script of an installer', edited({ scripts: { ...BASE.scripts, prepare: 'husky' } }), '`scripts`'],
    ['a script before or behind the tests', edited({ scripts: { ...BASE.scripts, posttest: 'true' } }), '`scripts`'],
    ['a script of the same family', edited({ scripts: { ...BASE.scripts, 'test:unit': 'x' } }), '`scripts`'],
    ['a new script and an old one', edited({ scripts: { test: 'true', format: 'x' } }), '`scripts`'],
    ['no scripts any more', edited({ scripts: undefined }), '`scripts`'],
    ['a section of a tool', edited({ eslintIgnore: ['**/*'] }), '`eslintIgnore`'],
    ['a section of a tool that nobody knows yet', edited({ 'tool-of-2030': {} }), '`tool-of-2030`'],
    ['coverage', edited({ nyc: { 'check-coverage': false } }), '`nyc`'],
    ['hooks', edited({ 'lint-staged': {}, 'simple-git-hooks': {} }), '`lint-staged`, `simple-git-hooks`'],
    ['what packages are replaced by', edited({ overrides: { vitest: 'file:./fake' } }), '`overrides`'],
    ['how files are read', edited({ type: 'commonjs' }), '`type`'],
    ['what imports mean', edited({ imports: { '#assert': './fake.js' } }), '`imports`'],
    ['which manager runs', edited({ packageManager: 'npm@1.0.0' }), '`packageManager`'],
    ['the order of rules', edited({ jest: { moduleNameMapper: { '^(.*)$': 'y', '^a$': 'x' } } }), '`jest`'],
    ['a key twice', `{"scripts":{"test":"vitest run"},${JSON.stringify(BASE).slice(1)}`, 'twice'],
    ['a prototype', `{"__proto__":{"scripts":{}},${JSON.stringify(BASE).slice(1)}`, 'never allowed'],
    ['no JSON', '{', 'plain JSON'],
    ['a list', '[]', 'no JSON object'],
    ['nothing that can be read', null, 'no regular file'],
  ])('may not change: %s', (_, after, expected) => {
    const told = problem(`~ ${path}`, JSON.stringify(BASE), after);
    expect(told).toContain('gate_config: ');
    expect(told).toContain(expected);
  });

  test.each([
    ['a dependency', edited({ dependencies: { left: '1.0.0', right: '2.0.0' } })],
    ['a description', edited({ description: 'b', version: '1.1.0', keywords: ['x'] })],
    ['an entry of its own', edited({ exports: { '.': './a.js' }, bin: './b.js' })],
    ['a script that no gate of the base can run', edited({ scripts: { format: 'prettier .', ...BASE.scripts } })],
    ['white space', JSON.stringify(BASE, null, 4)],
    ['the order of sections', JSON.stringify(Object.fromEntries(Object.entries(BASE).reverse()))],
  ])('may change: %s', (_, after) => {
    expect(problem(`~ ${path}`, JSON.stringify(BASE), after)).toBe(null);
  });
});

test.each([
  ['~ package.json', 'not { json', '{}', 'cannot be compared'],
  ['~ package.json', null, '{}', 'cannot be compared'],
  ['- package.json', JSON.stringify(BASE), null, '`type`, `scripts`, `jest`'],
  ['+ sub/package.json', null, '{"scripts":{"test":"x"}}', '`scripts`'],
  ['+ src/package.json', null, '{"type":"commonjs"}', '`type`'],
  ['@ package.json', JSON.stringify(BASE), JSON.stringify(BASE), 'no regular file'],
  ['+ sub/package.json', null, '{"name":"b","private":true,"dependencies":{}}', null],
  ['x package.json', JSON.stringify(BASE), JSON.stringify(BASE), null],
  ['- sub/package.json', '{"name":"b"}', null, null],
])('%s, %s to %s: %s', (words, before, after, expected) => {
  const told = problem(words, before, after);
  if (expected === null) expect(told).toBe(null);
  else expect(told).toContain(expected);
});

test('a hundred new sections make no endless message', () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${i}-${'x'.repeat(500)}`, i]));
  expect(problem('~ package.json', JSON.stringify(BASE), edited(many))?.length).toBeLessThan(500);
});

test('these are read whatever their number, and a grant lifts the rule', () => {
  const changed = ['~ package.json', '+ a/Package.json', '~ src/a.js', '- package.json.bak', '~ xpackage.json'].map(
    change,
  );
  expect(textsWanted(changed)).toEqual(['package.json', 'a/Package.json', 'src/a.js', 'xpackage.json']);
  expect(textsWanted(Array.from({ length: 500 }, (_, i) => change(`+ ${i}.js`)))).toHaveLength(200);
  expect(textsWanted(Array.from({ length: 500 }, (_, i) => change(`- ${i}/package.json`)))).toHaveLength(500);
  const texts = { 'package.json': [JSON.stringify(BASE), '{}'] as const };
  expect(check(['~ package.json'], { texts }).violations).toHaveLength(1);
  expect(check(['~ package.json'], { texts, allow: ['package.json'] }).violations).toEqual([]);
});

test('a new script counts where tools run scripts by a pattern', () => {
  const base = { ...BASE, scripts: { test: 'run-s check:*' } };
  const after = { ...base, scripts: { ...base.scripts, format: 'true' } };
  expect(problem('~ package.json', JSON.stringify(base), JSON.stringify(after))).toContain('`scripts`');
});
