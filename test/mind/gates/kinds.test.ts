/** What the kind of a gate gives it: the numbers of stages, weights and time-outs, and the commands that it runs. */
import { describe, expect, test } from 'vitest';
import type { GateConfig } from '../../../src/mind/gates/gate-config.ts';
import {
  canaryState,
  checksOf,
  gateKind,
  gateStage,
  gateTimeout,
  gateWeight,
  provenBy,
} from '../../../src/mind/gates/kinds.ts';

const gate = (name: string, more: Partial<GateConfig> = {}): GateConfig =>
  ({ name, blocking: true, on_fail: 'retry', ...more }) as GateConfig;

test.each([
  ['syntax', 1, 0.15, 30_000],
  ['lint', 1, 0.1, 300_000],
  ['types', 1, 0.15, 300_000],
  ['tests', 2, 0.3, 300_000],
  ['security', 2, 0.25, 180_000],
  ['command', 2, 0.1, 300_000],
  ['coverage', 3, 0.1, 300_000],
] as const)('kind %s: stage %d, weight %d, %d ms', (kind, stage, weight, timeout) => {
  const one = gate('some', { kind, command: 'true' });
  expect([gateKind(one), gateStage(one), gateWeight(one), gateTimeout(one)]).toEqual([kind, stage, weight, timeout]);
});

test("the config's settings beat the kind; 0 is a weight", () => {
  const one = gate('a', { kind: 'tests', command: 'true', stage: 5, weight: 0, timeout: 7 });
  expect([gateStage(one), gateWeight(one), gateTimeout(one)]).toEqual([5, 0, 7]);
});

test.each<[string, Partial<GateConfig>, string]>([
  ['tests', { command: 'make test' }, 'tests'],
  ['lint', { command: 'make lint' }, 'lint'],
  ['types', { command: 'tsc' }, 'types'],
  ['syntax', { command: 'sh -n a.sh' }, 'syntax'],
  ['syntax', { kind: 'command', command: 'a' }, 'command'],
  ['unit', { command: 'make unit' }, 'command'],
  ['unit', { command: 'make unit', ids: 'go' }, 'tests'],
  ['unit', { command: 'make unit', report: { format: 'junit', file: 'a.xml' } }, 'tests'],
  ['unit', { checks: [{ name: 'a', command: 'a' }] }, 'command'],
  ['unit', { checks: [{ name: 'a', command: 'a', ids: 'tap' }] }, 'tests'],
  // With a command of its own it is that command, and does not look for secrets.
  ['security', { command: './audit' }, 'command'],
  ['coverage', { command: './cover' }, 'command'],
])('gate %s with %j is of kind %s', (name, more, kind) => {
  expect(gateKind(gate(name, more))).toBe(kind);
});

test.each([
  ['security', 180_000],
  ['review', 180_000],
  ['constructor', 300_000],
])('a gate that is only called %s has %d ms', (name, timeout) => {
  expect(gateTimeout(gate(name, { command: 'a' }))).toBe(timeout);
});

describe('checks', () => {
  const usual = { ids: undefined, report: undefined, keeps: null, exitCodes: [0], appliesTo: [], each: false };

  test('one command is one check of the name of its gate', () => {
    expect(checksOf(gate('tests', { command: 'make test', ids: 'go', weight: 0.5 }))).toEqual([
      { ...usual, label: 'tests', gate: 'tests', command: 'make test', weight: 1, ids: 'go', timeoutMs: 300_000 },
    ]);
  });

  test('several have their own weights, and each its own time', () => {
    const one = gate('tests', {
      timeout: 9,
      checks: [
        { name: 'unit_tests', command: './run unit', weight: 0.6, ids: 'tap' },
        { name: 'integration_tests', command: './run integration', weight: 0.4, applies_to: ['*.sh'], each: true },
        { name: 'more', command: ['true'] },
      ],
    });
    const all = { ...usual, gate: 'tests', timeoutMs: 9 };
    expect(checksOf(one)).toEqual([
      { ...all, label: 'tests/unit_tests', command: './run unit', weight: 0.6, ids: 'tap' },
      {
        ...all,
        label: 'tests/integration_tests',
        command: './run integration',
        weight: 0.4,
        appliesTo: ['*.sh'],
        each: true,
      },
      { ...all, label: 'tests/more', command: ['true'], weight: 1 },
    ]);
  });

  test('kind syntax has checks of its own, unless it says what runs', () => {
    expect(
      checksOf(gate('a', { kind: 'syntax' })).map(({ label, appliesTo, each }) => [label, appliesTo, each]),
    ).toEqual([
      ['a/shell_syntax', ['*.sh', '*.bash'], true],
      ['a/python_syntax', ['*.py'], false],
    ]);
    expect(checksOf(gate('a', { kind: 'syntax', command: 'b' })).map(({ label }) => label)).toEqual(['a']);
    expect(
      checksOf(gate('a', { kind: 'syntax', checks: [{ name: 'b', command: 'b' }] })).map(({ label }) => label),
    ).toEqual(['a/b']);
  });

  test('kind security runs no command of the project, and coverage keeps its report', () => {
    expect(checksOf(gate('security', { kind: 'security' }))).toEqual([]);
    const coverage = { format: 'lcov', file: 'lcov.info' } as const;
    expect(checksOf(gate('coverage', { kind: 'coverage', command: 'a', coverage }))).toMatchObject([
      { keeps: 'lcov.info' },
    ]);
  });
});

describe('the canary', () => {
  test.each<[Partial<GateConfig>, string]>([
    [{ command: 'a', ids: 'tap' }, 'on'],
    [{ command: 'a', report: { format: 'junit', file: 'a.xml' } }, 'on'],
    [
      {
        checks: [
          { name: 'x', command: 'a' },
          { name: 'y', command: 'b', ids: 'go' },
        ],
      },
      'on',
    ],
    [{ command: 'a', ids: 'tap', canary: 'off' }, 'off'],
    [{ command: 'a', canary: { file: 'NAME.sh', text: 'exit 1' } }, 'on'],
    [{ command: 'a' }, 'unknown'],
    [{ kind: 'security' }, 'unknown'],
  ])('of %j is %s', (more, state) => {
    expect(canaryState(gate('a', more))).toBe(state);
  });

  test('its gate is named after the one that it proves', () => {
    expect([provenBy('tests-canary'), provenBy('tests'), provenBy('canary')]).toEqual(['tests', null, null]);
  });
});
