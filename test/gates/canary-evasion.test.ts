/** Candidates that know the canary, and behave as soon as something looks like a planted test. */
import { expect, test } from 'vitest';
import { canaryOf } from '../../src/mind/gates/kinds.ts';
import { CUNNING_CASES, UNSEEN } from '../fixtures/neutered/cunning.ts';
import { PYTEST } from '../fixtures/neutered/python.ts';
import { lacks, runnerChecks } from './runners.ts';

test.each(CUNNING_CASES)('$runner, $kind: $how', async ({ neutered, runner, files }) => {
  if (lacks(runner)) return;
  const { base, broken, command } = neutered;
  await using checks = runnerChecks(runner, base, command);
  const hand = checks.hand();
  const candidate = await checks.candidate({ ...broken, ...files });
  const gate = await checks.check('tests', candidate, { hand });
  expect(gate, gate.text).toMatchObject({ status: 'pass' });
  const canary = await checks.check(canaryOf('tests'), candidate, { hand });
  expect(canary, canary.text).toMatchObject({ status: 'fail' });
});

test.each(UNSEEN)('not seen: $how', async ({ files }) => {
  if (lacks('pytest')) return;
  await using checks = runnerChecks('pytest', PYTEST.base);
  const candidate = await checks.candidate({ ...PYTEST.broken, ...files });
  expect(await checks.check('tests', candidate)).toMatchObject({ status: 'pass' });
  expect(await checks.check(canaryOf('tests'), candidate)).toMatchObject({ status: 'pass' });
});
