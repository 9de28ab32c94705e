/** The built-in security gate, on real candidates: what a change adds counts, what was there before does not. */
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Checks } from './checks.ts';

const GATE = { name: 'security', kind: 'security' } as const;
const KEY = ['AKIA', 'Q3ZT7XJ5KWB2', 'PLMN'].join('');

test('a change that adds nothing dangerous passes, with a full score', async () => {
  await using checks = new Checks({ 'a.js': 'export const a = 1;\n' });
  checks.gates(GATE);
  const found = await checks.check('security', await checks.candidate({ 'a.js': 'export const a = 2;\n' }));
  expect(found).toMatchObject({ status: 'pass', score: 1, findings: { critical: 0, high: 0 } });
});

test('a secret in an added line fails; the same secret at the base does not', async () => {
  const secret = `const key = '${KEY}';\n`;
  await using checks = new Checks({ 'old.js': secret, 'a.js': 'export const a = 1;\n' });
  checks.gates(GATE);
  const old = await checks.check('security', await checks.candidate({ 'old.js': `${secret}// more\n` }));
  expect(old.status).toBe('pass');
  const fresh = await checks.check('security', await checks.candidate({ 'a.js': secret.replace('Q3', 'Z9') }));
  expect(fresh).toMatchObject({ status: 'fail', score: expect.any(Number), findings: { critical: 1 } });
  expect(fresh.text).toContain('a.js:1: the line holds what looks like a secret');
  expect(fresh.text).not.toContain(KEY.replace('Q3', 'Z9'));
});

test('a new dependency is found and counted, and does not fail the gate', async () => {
  const manifest = (dependencies: object) => `${JSON.stringify({ name: 'x', dependencies }, null, 2)}\n`;
  await using checks = new Checks({ 'package.json': manifest({}) });
  checks.gates(GATE);
  const found = await checks.check('security', await checks.candidate({ 'package.json': manifest({ zod: '4.0.0' }) }));
  expect(found).toMatchObject({ status: 'pass', findings: { medium: 1 } });
  expect(found.text).toContain('zod');
});

test('whether scanners are installed is asked once for each change, in a tree without files', async () => {
  await using checks = new Checks({ 'a.js': 'one\n' });
  checks.gates(GATE);
  const trees: string[][] = [];
  const sandbox = checks.sandboxThat((request) => {
    trees.push(request.policy.writable.flatMap(({ from }) => readdirSync(from)));
    return checks.sandbox.run(request);
  });
  const hand = checks.hand({ sandbox });
  for (const text of ['two\n', 'three\n'])
    expect(await checks.check('security', await checks.candidate({ 'a.js': text }), { hand })).toMatchObject({
      status: 'pass',
    });
  expect(trees).toEqual([[], []]);
});

/** Plays gitleaks: one leak for each line of `leaks.txt`, as its real report says it. */
const PLAYED = `#!/bin/sh
for word; do case $word in --report-path=*) report=\${word#*=};; esac; done
n=0; printf '[' >"$report"
[ ! -e leaks.txt ] || while read -r rule file line; do
  [ "$n" = 0 ] || printf ',' >>"$report"
  printf '{"RuleID":"%s","File":"%s","StartLine":%s}' "$rule" "$file" "$line" >>"$report"; n=1
done <leaks.txt
printf ']' >>"$report"
[ "$n" = 0 ] || exit 9
`;

function install(checks: Checks, script: string) {
  const dir = join(checks.world.root, 'scanners');
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'gitleaks'), script);
  chmodSync(join(dir, 'gitleaks'), 0o755);
  chmodSync(dir, 0o755);
  return checks.hand({ tools: { readable: [{ from: dir, to: '/opt/scanners' }], path: ['/opt/scanners'] } });
}

test('an installed scanner is run, and only what it does not find at the base counts', async () => {
  await using checks = new Checks({ 'a.js': 'one\ntwo\n', 'leaks.txt': 'aws a.js 1\n' });
  checks.gates(GATE);
  const hand = install(checks, PLAYED);
  const same = await checks.check('security', await checks.candidate({ 'b.js': 'x\n' }), { hand });
  expect(same).toMatchObject({ status: 'pass', text: expect.stringContaining('gitleaks: pass, found nothing') });
  const more = await checks.candidate({ 'leaks.txt': 'aws a.js 1\nslack a.js 2\n' });
  expect(await checks.check('security', more, { hand })).toMatchObject({
    status: 'fail',
    findings: { critical: 1 },
    text: expect.stringContaining('a.js:2'),
  });
});

test('a scanner that writes no report, or breaks, is a gate error, not a clean bill', async () => {
  for (const script of ['#!/bin/sh\nexit 0\n', '#!/bin/sh\nexit 3\n']) {
    await using checks = new Checks({ 'a.js': 'one\n' });
    checks.gates(GATE);
    const found = await checks.check('security', await checks.candidate({ 'a.js': 'two\n' }), {
      hand: install(checks, script),
    });
    expect(found).toMatchObject({ status: 'error', text: expect.stringContaining('could not run: ') });
  }
});
