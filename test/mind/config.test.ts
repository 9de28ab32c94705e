/** Files that people write: read strictly, and every problem is told with its place. */
import { describe, expect, test } from 'vitest';
import { parseFile, problemText } from '../../src/mind/config/parse-file.ts';
import { playFor, script } from '../../src/mind/config/script.ts';
import { userConfig } from '../../src/mind/config/user-config.ts';

const parse = (text: string) => parseFile(userConfig, text, 'config.yaml');
const problem = (text: string) => {
  const parsed = parse(text);
  return parsed.type === 'problem' ? `${parsed.line}:${parsed.column} ${parsed.message}` : parsed;
};

describe('a config file', () => {
  test('is a typed value with durations in milliseconds', () => {
    expect(parse('limits:\n  attempts: 2\n  wall: 5m\n')).toEqual({
      type: 'parsed',
      value: { limits: { attempts: 2, wall: 300_000 } },
    });
  });

  test.each([
    ['an unknown key', 'limits:\n  atempts: 2\n', /^2:3 unknown key `atempts`, did you mean `attempts`\?/],
    ['a wrong type', 'limits:\n  attempts: many\n', /^2:13 limits\.attempts: /],
    ['a repeated key', 'limits: {}\nlimits: {}\n', /^2:1 /],
    ['nothing at all', '', /^1:1 is empty/],
    ['two documents', 'limits: {}\n---\nlimits: {}\n', /more than one document/],
    ['a merge key', 'limits:\n  <<: {}\n', /^2:3 merge keys/],
    ['a key that reaches for prototypes', '__proto__: {}\n', /^1:1 `__proto__` is not a key/],
    ['bad syntax', 'limits: [\n', /^\d+:\d+ /],
    ['a list where a map belongs', '- a\n', /^1:\d+ /],
  ])('with %s is refused, with the place', (_, text, message) => {
    expect(problem(text)).toMatch(message);
  });

  test('can not blow up by aliases', () => {
    const rows = Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(', ')}]`);
    expect(problem(`a0: &a0 [x]\n${rows.join('\n')}\n`)).toMatch(/alias/);
  });

  test('has its problem shown with the line and a caret', () => {
    const parsed = parse('limits:\n  atempts: 2\n');
    expect(parsed.type === 'problem' ? problemText(parsed).split('\n').slice(1) : parsed).toEqual([
      '    atempts: 2',
      '    ^',
    ]);
  });
});

describe('a script for the scripted hands', () => {
  const parsed = parseFile(
    script,
    'steps:\n  build:\n    - outcome: crash\n      after: 200ms\n    - says: done\n',
    'script.yaml',
  );
  if (parsed.type === 'problem') throw new Error(problemText(parsed));

  test('plays one entry per attempt, and the last one again', () => {
    const plays = [1, 2, 3].map((attempt) => playFor(parsed.value, 'build', attempt));
    expect(plays).toEqual([{ outcome: 'crash', after: 200 }, { says: 'done' }, { says: 'done' }]);
  });

  test('lets a step that it does not name succeed', () => {
    expect(playFor(parsed.value, 'review', 1)).toEqual({});
  });
});
