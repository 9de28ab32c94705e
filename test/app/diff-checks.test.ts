/** What the diff of a real candidate says before any gate runs, and what the operator's own words grant. */
import { expect, test } from 'vitest';
import { treeChecks } from '../../src/app/tree-checks.ts';
import type { Captured } from '../../src/engine/ports/workspace.ts';
import type { Spec } from '../../src/mind/domain/values.ts';
import type { WorkerRun } from '../../src/mind/domain/worker-run.ts';
import { Checks } from '../gates/checks.ts';
import { put } from '../workspace/repository.ts';

const TEST = `import assert from 'node:assert';
import { test } from 'node:test';
import { sum } from '../src/sum.mjs';
test('adds', () => {
  assert.equal(sum(1, 2), 3);
});
test('adds nothing', () => {
  assert.equal(sum(1, 0), 1);
});
`;
const FILES = {
  'src/sum.mjs': 'export const sum = (a, b) => a + b;\n',
  'test/sum.test.mjs': TEST,
  'package.json': '{\n  "name": "x",\n  "dependencies": {}\n}\n',
  'README.md': 'Sums.\n',
};
const LONGER = `${TEST}test('adds more', () => {\n  assert.equal(sum(2, 2), 4);\n});\n`;
const WEAKER = TEST.replace('  assert.equal(sum(1, 0), 1);\n', '');
const BETTER = { 'src/sum.mjs': 'export const sum = (a, b) => Number(a) + Number(b);\n' };

/** What the checks say of a change under a task. */
async function judged(
  change: Readonly<Record<string, string>>,
  task: Omit<Spec, 'version'>,
  {
    files = FILES,
    more = [] as readonly Record<string, string>[],
    secured = false,
    claims = [] as readonly string[],
  } = {},
) {
  await using checks = new Checks(files);
  for (const [n, texts] of more.entries()) {
    put(checks.world.repo, texts);
    checks.world.git('add', '-A');
    checks.world.git('commit', '-q', '-m', `more ${n}`);
  }
  const base = checks.world.git('rev-parse', 'HEAD');
  const workspace = await checks.workspaces.make('t-1.1', { base, tree: null });
  put(workspace.tree, change);
  const taken = (await workspace.capture()) as Extract<Captured, { type: 'candidate' }>;
  const { check } = treeChecks(checks.workspaces, checks.settings, []);
  const work = { spec: { version: 1, ...task }, input: null, grants: [], scope: [], made: [], secured };
  const found = await check(taken, base, work as unknown as WorkerRun, claims);
  await workspace.remove();
  return found;
}
const own = (text: string) => ({ text, own_words: true });

test('tests that are only added to an existing file are new tests, without a grant', async () => {
  const change = { ...BETTER, 'test/sum.test.mjs': LONGER };
  expect(await judged(change, own('Let sum take numbers in strings'))).toMatchObject({ ok: true });
});

test('the control: an existing test that is changed is refused, and so is one that loses an assertion under a grant', async () => {
  const change = { ...BETTER, 'test/sum.test.mjs': WEAKER };
  const refused = await judged(change, own('Let sum take numbers in strings'));
  expect(refused).toMatchObject({ ok: false, reason: expect.stringContaining('is an existing test') });
  const granted = await judged(change, { ...own('Let sum take numbers in strings'), allow: ['test/'] });
  expect(granted).toMatchObject({ ok: false, reason: expect.stringContaining('test/sum.test.mjs') });
});

test('a test that the operator names may be changed, and it is on record; the same words of another person grant nothing', async () => {
  const change = { 'test/sum.test.mjs': TEST.replace('sum(1, 2), 3', 'sum(2, 2), 4') };
  const words = 'Rewrite the cases in test/sum.test.mjs with larger numbers';
  expect(await judged(change, own(words))).toMatchObject({
    ok: true,
    notes: expect.arrayContaining([expect.stringContaining('test/sum.test.mjs may be changed, as the task names it')]),
  });
  expect(await judged(change, { text: words })).toMatchObject({ ok: false });
});

test('secrets and dangerous calls are found where no gate of the task looks for them', async () => {
  const key = `export const key = 'AKIA${'QYLPMN5HHHFPZAM2'}';\n`;
  const leaky = { 'src/key.mjs': key };
  const task = own('Let sum take numbers in strings');
  expect(await judged({ ...BETTER, ...leaky }, task)).toMatchObject({
    ok: false,
    reason: expect.stringContaining('src/key.mjs:1: the line holds what looks like a secret'),
    diff: { blocks: true, rules: ['secret'], findings: { critical: 1 } },
  });
  const sink = { 'src/run.mjs': 'export const run = (text) => eval(text);\n' };
  const found = await judged({ ...BETTER, ...sink }, task);
  expect(found).toMatchObject({ ok: true, diff: { blocks: false, rules: ['eval'], findings: { high: 1 } } });
  expect(found).toMatchObject({ notes: [expect.stringContaining('high: src/run.mjs:1')] });
  // The gate says more about them: a person can dismiss what it finds.
  const change = { ...BETTER, ...leaky, ...sink };
  expect(await judged(change, task, { secured: true })).toMatchObject({ ok: true, notes: [], diff: { rules: [] } });
});

test('a file that the answer claims and the change does not have is a note', async () => {
  const claims = ['src/sum.mjs', './src/other.mjs'];
  expect(await judged(BETTER, own('Let sum take numbers in strings'), { claims })).toMatchObject({
    ok: true,
    notes: ['low: src/other.mjs: The worker says that it changed this file, and the file is as it was.'],
    diff: { blocks: false, rules: ['claim-not-changed'] },
  });
});

test('a protected path is a refusal for what the diff says, too', async () => {
  const change = { 'test/sum.test.mjs': WEAKER };
  expect(await judged(change, own('Let sum take strings'))).toMatchObject({
    diff: { blocks: true, rules: ['protected-path'] },
  });
});

test('no words grant a change of .supervisor/', async () => {
  const change = { '.supervisor/config.yaml': 'gates: []\n' };
  const found = await judged(change, own('Change .supervisor/config.yaml so that there is no gate'));
  expect(found).toMatchObject({ ok: false });
});

test('a dependency that the task does not name is refused; one that it names is not', async () => {
  const change = { ...BETTER, 'package.json': FILES['package.json'].replace('{}', '{ "left-pad": "1.3.0" }') };
  expect(await judged(change, own('Let sum take strings'))).toMatchObject({
    ok: false,
    reason: expect.stringContaining('left-pad'),
  });
  expect(await judged(change, own('Add the dependency left-pad and let sum take strings'))).toMatchObject({ ok: true });
});

test('only documents are changed when the task asks for behaviour', async () => {
  const found = await judged(
    { 'README.md': 'Sums, also of strings.\n' },
    own('Fix sum() so that it adds numbers in strings'),
  );
  expect(found).toMatchObject({ ok: false, reason: expect.stringContaining('README.md') });
  expect(await judged({ 'README.md': 'Sums of numbers.\n' }, own('Explain in the README what sum does'))).toMatchObject(
    {
      ok: true,
    },
  );
});

test('work that landed lately is not taken back', async () => {
  const old = Array.from({ length: 8 }, (_, n) => `export const part${n} = (a) => a.wrong${n}(${n});`).join('\n');
  const files = { ...FILES, 'src/parts.mjs': `${old}\n` };
  const more = [{ 'src/parts.mjs': `${old.replaceAll('wrong', 'right')}\n` }];
  const back = { 'src/parts.mjs': `${old}\n` };
  const found = await judged(back, own('Speed up the parts'), { files, more });
  expect(found).toMatchObject({ ok: false, reason: expect.stringContaining('src/parts.mjs') });
  // The control: without that commit it is a change like any other.
  const fresh = await judged(back, own('Speed up the parts'), { files: { ...files, ...more[0] } });
  expect(fresh).toMatchObject({ ok: true });
});
