/** All known ways to neuter a gate, through the real hand and sandbox: each ends with exit code 0, and each is refused. */
import { describe, expect, test } from 'vitest';
import { canaryOf } from '../../src/mind/gates/kinds.ts';
import { CARGO, GO } from '../fixtures/neutered/compiled.ts';
import { MORE_CARGO, MORE_GO, MORE_PYTEST, MORE_UNITTEST } from '../fixtures/neutered/more.ts';
import { MORE_JEST, MORE_MAKE, MORE_TAP, MORE_VITEST } from '../fixtures/neutered/more-script.ts';
import { PYTEST, UNITTEST } from '../fixtures/neutered/python.ts';
import { JEST, MAKE, TAP, VITEST } from '../fixtures/neutered/script.ts';
import type { Neutered, Trick } from '../fixtures/neutered/trick.ts';
import { untested } from '../support/untested.ts';
import { missing, runnerChecks } from './runners.ts';

const more = (one: Neutered, tricks: readonly Trick[]): Neutered => ({ ...one, tricks: [...one.tricks, ...tricks] });
const ALL = {
  tap: more(TAP, MORE_TAP),
  make: more(MAKE, MORE_MAKE),
  vitest: more(VITEST, MORE_VITEST),
  jest: more(JEST, MORE_JEST),
  pytest: more(PYTEST, MORE_PYTEST),
  unittest: more(UNITTEST, MORE_UNITTEST),
  go: more(GO, MORE_GO),
  cargo: more(CARGO, MORE_CARGO),
};
/** By whom each trick was seen. */
const seen = { gate: 0, canary: 0 };

describe.each(Object.entries(ALL))('%s', (_, { runner, command, base, broken, tricks }) => {
  const skips = untested(`all tricks of ${runner} in a sandbox`, missing(runner));

  test.skipIf(skips)('red without a trick', async () => {
    await using checks = runnerChecks(runner, base, command);
    const candidate = await checks.candidate(broken);
    expect(await checks.check('tests', candidate)).toMatchObject({ status: 'fail' });
  });

  test.skipIf(skips).each(tricks)('$kind: $how', async ({ files }) => {
    await using checks = runnerChecks(runner, base, command);
    const [own] = checks.settings.gates;
    checks.gates(...checks.settings.gates, { name: 'plain', command: own?.command });
    const hand = checks.hand();
    const candidate = await checks.candidate({ ...broken, ...files });
    // Without what we read of its output, and without the canary, it is green, or did not run a test.
    const plain = await checks.check('plain', candidate, { hand });
    expect(plain.text).toContain('exit code 0');
    const gate = await checks.check('tests', candidate, { hand });
    const canary = await checks.check(canaryOf('tests'), candidate, { hand });
    if (gate.status === 'pass') expect(canary, canary.text).toMatchObject({ status: 'fail' });
    seen[gate.status === 'pass' ? 'canary' : 'gate'] += 1;
  });
});

test('most tricks that the gate itself does not see are left to the canary', () => {
  console.log(`seen by the gate itself: ${seen.gate}; by the canary alone: ${seen.canary}`);
  expect(seen.canary).toBeGreaterThan(seen.gate / 3);
});
