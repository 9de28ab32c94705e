/** A gate that only advises: what the base passes and the change does not, is a finding all the same. */
import { expect, test } from 'vitest';
import { Checks } from './checks.ts';

const LINT = ['sh', '-c', '! grep -rn "var " src'] as const;

async function lintOf(base: string, change: string, blocking: boolean) {
  await using checks = new Checks({ 'src/a.js': base, 'README.md': 'a\n' });
  checks.gates({ name: 'lint', command: [...LINT], blocking });
  const candidate = await checks.candidate({ 'src/b.js': change });
  const { status, findings, text } = await checks.check('lint', candidate);
  return { status, high: findings?.high ?? 0, told: text.includes('the base passes this gate') };
}

test('a check that was green at the base and is red now is a high finding', async () => {
  expect(await lintOf('let a = 1;\n', 'var b = 1;\n', false)).toEqual({ status: 'fail', high: 1, told: true });
});

test('not where the base is red too, where it passes, or where it blocks anyway', async () => {
  expect(await lintOf('var a = 1;\n', 'var b = 1;\n', false)).toEqual({ status: 'fail', high: 0, told: false });
  expect(await lintOf('let a = 1;\n', 'let b = 1;\n', false)).toEqual({ status: 'pass', high: 0, told: false });
  expect(await lintOf('let a = 1;\n', 'var b = 1;\n', true)).toEqual({ status: 'fail', high: 0, told: false });
});
