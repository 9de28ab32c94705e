/** `gates:` of a config file: every refusal with its place, and what a gate becomes. */
import { describe, expect, test } from 'vitest';
import { config } from '../../src/mind/config/project-config.ts';
import { parseFile } from '../../src/mind/fields/parse-file.ts';

const parse = (text: string) => parseFile(config, text, 'config.yaml');
const problem = (gate: string) => {
  const parsed = parse(`gates:\n  - ${gate}\n`);
  return parsed.type === 'problem' ? `${parsed.line}:${parsed.column} ${parsed.message}` : 'no problem';
};
const gates = (...written: string[]) => {
  const parsed = parse(`gates:\n${written.map((gate) => `  - ${gate}\n`).join('')}`);
  return parsed.type === 'parsed' ? parsed.value.gates : parsed.message;
};

describe('refused', () => {
  test.each([
    [
      '{file} in a command line',
      '{name: a, command: "bash -n {file}"}',
      /^2:24 .*puts \{file\} into a command: use applies_to/,
    ],
    ['{file} in a list of words', '{name: a, command: [bash, -n, "{file}"]}', /^2:24 .*\{file\}/],
    ['{file} in a check', '{name: a, checks: [{name: b, command: "x {file}"}]}', /^2:\d+ .*\{file\}/],
    ['command and checks', '{name: a, command: x, checks: [{name: b, command: y}]}', /^2:24 .*both command and checks/],
    ['neither', '{name: a, ids: tap}', /^2:12 .*needs a command, or checks/],
    ['a gate that is only called security', '{name: security}', /^2:12 .*only the kinds syntax, security and mutation/],
    ['no checks', '{name: a, checks: []}', /^2:23 /],
    ['a check without a command', '{name: a, checks: [{name: b}]}', /^2:\d+ .*command/],
    [
      'two checks of one name',
      '{name: a, checks: [{name: b, command: x}, {name: b, command: y}]}',
      /^2:\d+ .*two checks named b/,
    ],
    [
      'ids beside checks',
      '{name: a, ids: tap, checks: [{name: b, command: x}]}',
      /^2:\d+ .*write ids, report, applies_to and each/,
    ],
    [
      'each beside checks',
      '{name: a, each: true, checks: [{name: b, command: x}]}',
      /^2:\d+ .*write ids, report, applies_to and each/,
    ],
    ['each without applies_to', '{name: a, command: x, each: true}', /^2:33 .*each without applies_to/],
    [
      'the same in a check',
      '{name: a, checks: [{name: b, command: x, each: true}]}',
      /^2:\d+ .*each without applies_to/,
    ],
    ['a name that ends with -canary', '{name: a-canary, command: x}', /^2:12 .*end with -canary/],
    ['a name too long for its canary', `{name: ${'a'.repeat(58)}, command: x}`, /^2:12 .*longer than 57 characters/],
    ['coverage without a report', '{name: a, kind: coverage, command: x}', /^2:21 .*add coverage: \{format, file\}/],
    ['an unknown kind', '{name: a, kind: test, command: x}', /^2:21 .*kind/],
    ['an unknown reader', '{name: a, command: x, ids: mocha}', /^2:32 .*ids/],
    ['an unknown format', '{name: a, command: x, report: {format: xunit, file: a.xml}}', /^2:44 .*format/],
    [
      'a report elsewhere',
      '{name: a, command: x, report: {format: junit, file: ../a.xml}}',
      /^2:\d+ .*in \$REPORT_DIR/,
    ],
    [
      'a report in a folder',
      '{name: a, command: x, report: {format: junit, file: a/b.xml}}',
      /^2:\d+ .*in \$REPORT_DIR/,
    ],
    ['a stage of 0', '{name: a, command: x, stage: 0}', /^2:34 /],
    ['a stage of 10', '{name: a, command: x, stage: 10}', /^2:34 /],
    ['many reruns', '{name: a, command: x, reruns: 4}', /^2:35 /],
    ['an unknown consequence', '{name: a, command: x, on_fail: ignore}', /^2:36 /],
    ['a negative weight', '{name: a, command: x, weight: -1}', /^2:35 /],
    [
      'a target above 100',
      '{name: a, kind: coverage, command: x, coverage: {format: go, file: c, line: 101}}',
      /^2:\d+ /,
    ],
    ['a canary that is on', '{name: a, command: x, canary: on}', /^2:35 .*must be off, or a file with a failing test/],
    ['a canary outside', '{name: a, command: x, canary: {file: ../x, text: y}}', /^2:\d+ /],
    ['applies_to outside', '{name: a, command: x, applies_to: [../x]}', /^2:\d+ /],
  ])('%s', (_, gate, message) => {
    expect(problem(gate)).toMatch(message);
  });
});

test('checks that are left out', () => {
  expect(
    gates('{name: tests, command: x}', '{name: syntax, kind: syntax}', '{name: security, kind: security}'),
  ).toEqual([
    { name: 'tests', command: 'x', blocking: true, on_fail: 'retry' },
    { name: 'syntax', kind: 'syntax', blocking: true, on_fail: 'retry' },
    { name: 'security', kind: 'security', blocking: true, on_fail: 'retry' },
  ]);
});

test('coverage only informs, unless the config wants it to block', () => {
  const coverage = '{name: c, kind: coverage, command: x, coverage: {format: lcov, file: lcov.info}';
  expect(gates(`${coverage}}`)).toMatchObject([{ blocking: false }]);
  expect(gates(`${coverage}, blocking: true}`)).toMatchObject([{ blocking: true }]);
});

test('a gate with all of its keys', () => {
  const text = [
    '{name: all, kind: tests, stage: 2, timeout: 5m, weight: .3, on_fail: block, reruns: 2,',
    'checks: [{name: unit, command: x, weight: .6, report: {format: junit, file: "*.xml"}},',
    '{name: shell, command: [bash, -n], applies_to: ["*.sh"], each: true, weight: .4}],',
    'canary: {file: test/NAME_test.sh, text: "exit 1\\n"}}',
  ].join(' ');
  expect(gates(text)).toEqual([
    {
      name: 'all',
      kind: 'tests',
      stage: 2,
      timeout: 300_000,
      weight: 0.3,
      on_fail: 'block',
      reruns: 2,
      blocking: true,
      checks: [
        { name: 'unit', command: 'x', weight: 0.6, report: { format: 'junit', file: '*.xml' } },
        { name: 'shell', command: ['bash', '-n'], applies_to: ['*.sh'], each: true, weight: 0.4 },
      ],
      canary: { file: 'test/NAME_test.sh', text: 'exit 1\n' },
    },
  ]);
});
