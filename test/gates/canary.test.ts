/** The canary with real runners in real sandboxes: an honest change is proven, a gate that a change neutered is refused. */
import { expect, test } from 'vitest';
import { canaryOf } from '../../src/mind/gates/kinds.ts';
import { CARGO, GO } from '../fixtures/neutered/compiled.ts';
import { PYTEST, UNITTEST } from '../fixtures/neutered/python.ts';
import { MAKE, TAP, VITEST } from '../fixtures/neutered/script.ts';
import type { Neutered } from '../fixtures/neutered/trick.ts';
import { lacks, runnerChecks } from './runners.ts';

const CANARY = canaryOf('tests');

/** A change that keeps its tests green, and tricks of the table that the gate by itself does not see. */
const SHOWN: readonly (readonly [string, Neutered, Readonly<Record<string, string>>, readonly string[]])[] = [
  [
    'node --test',
    TAP,
    { 'src/sum.js': '/** The sum of two. */\nexport function sum(a, b) {\n  return b + a;\n}\n' },
    ['every comparison holds', 'that report has as many tests as the base'],
  ],
  [
    'make',
    MAKE,
    { 'src/sum.js': 'export const sum = (a, b) => b + a;\n', 'local.mk': 'CFLAGS := -O2\n' },
    ['a file that the Makefile includes names another shell', 'another Makefile is read first'],
  ],
  [
    'vitest',
    VITEST,
    {
      'src/sum.ts': 'export const sum = (a: number, b: number): number => b + a;\n',
      'vitest.config.ts': 'export default { test: { testTimeout: 20_000 } };\n',
    },
    ['product code replaces a matcher', 'a reporter prints a summary and leaves'],
  ],
  [
    'pytest',
    PYTEST,
    { 'sums.py': '"""Sums."""\n\n\ndef add(a, b):\n    return b + a\n', 'pytest.ini': '[pytest]\naddopts = -q\n' },
    ['a hook reports every test as passed', 'the compiled tests assert nothing'],
  ],
  [
    'unittest',
    UNITTEST,
    { 'sums.py': 'def add(a, b):\n    """Adds two."""\n    return b + a\n' },
    ['every comparison holds', 'a failure counts as a success'],
  ],
  [
    'go test',
    GO,
    { 'sums/sum.go': 'package sums\n\n// Sum adds two.\nfunc Sum(a, b int) int { return b + a }\n' },
    ['leaves while it is loaded', 'the library that the project brings along compares nothing'],
  ],
  [
    'cargo test',
    CARGO,
    { 'src/lib.rs': '//! Sums.\nmod sums;\npub use sums::sum;\n' },
    [
      "a macro of the project has the name of the library's",
      'that script prints a summary of as many tests as there are',
    ],
  ],
];

test.each(SHOWN)(
  '%s: an honest change is proven, and tricks that keep it green are refused',
  async (_, made, honest, tricks) => {
    const { runner, command, base, broken } = made;
    if (lacks(runner)) return;
    await using checks = runnerChecks(runner, base, command);
    const hand = checks.hand();
    const good = await checks.candidate(honest);
    const gate = await checks.check('tests', good, { hand });
    expect(gate, gate.text).toMatchObject({ status: 'pass' });
    expect(await checks.check(CANARY, good, { hand })).toMatchObject({
      status: 'pass',
      text: expect.stringMatching(
        /ended: proven: \d+ failing tests were planted in \d+ files, and it reported all of them/,
      ),
    });
    for (const how of tricks) {
      const trick = made.tricks.find((one) => one.how === how);
      const candidate = await checks.candidate({ ...broken, ...trick?.files });
      const gate = await checks.check('tests', candidate, { hand });
      expect(gate, `${how}\n${gate.text}`).toMatchObject({ status: 'pass' });
      const canary = await checks.check(CANARY, candidate, { hand });
      expect(canary, `${how}\n${canary.text}`).toMatchObject({
        status: 'fail',
        text: expect.stringMatching(/ended: NEUTERED: \d+ failing tests were planted/),
      });
    }
  },
);
