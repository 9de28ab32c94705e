/** What a gate of tests asks beyond its exit code: lost tests, new tests that prove nothing, red that is green the next time. */
import { describe, expect, test } from 'vitest';
import { Checks } from './checks.ts';

const FILES = {
  'sum.mjs': 'export const sum = (a, b) => a + b;\nexport const cases = [1, 2, 3];\n',
  'test/sum.test.mjs': `import assert from 'node:assert';
import { test } from 'node:test';
import { cases, sum } from '../sum.mjs';
for (const one of cases) test(\`adds \${one}\`, { skip: one > 9 }, () => assert.equal(sum(one, 1), one + 1));
`,
};
const BY_OUTPUT = { name: 'tests', command: 'node --test --test-reporter=tap test/*.test.mjs', ids: 'tap' } as const;
/** Without its subtests' points, as a runner that prints totals only. */
const BY_NUMBER = { ...BY_OUTPUT, command: `${BY_OUTPUT.command} | sed 's/^ok \\([0-9]*\\) - .*/ok \\1/'` } as const;
const BY_REPORT = {
  name: 'tests',
  command: 'node --test --test-reporter=junit --test-reporter-destination="$REPORT_DIR/junit.xml" test/*.test.mjs',
  report: { format: 'junit', file: 'junit.xml' },
} as const;
/** Three tests of one name: only their number shows that one is gone. */
const SAME_NAME = { ...FILES, 'test/sum.test.mjs': FILES['test/sum.test.mjs'].replace(/`adds .*?`/, "'same'") };
const FEWER = { 'sum.mjs': FILES['sum.mjs'].replace('[1, 2, 3]', '[1, 2]') };
const SKIPPED = { 'sum.mjs': FILES['sum.mjs'].replace('[1, 2, 3]', '[1, 2, 30]') };

describe('tests of the base that no longer run', () => {
  test.each([
    ['by name, with a report', BY_REPORT, FEWER, /1 no longer run: .*adds 3: let them run again/],
    ['skipped now, with a report', BY_REPORT, SKIPPED, /1 no longer run: .*adds 3/],
    ['by name, in what it prints', BY_OUTPUT, FEWER, /1 no longer run: adds 3: let them run again/],
    ['skipped now, in what it prints', BY_OUTPUT, SKIPPED, /1 no longer run: adds 3/],
    ['by their number, where nothing lists them', BY_NUMBER, FEWER, /FEWER TESTS RAN THAN AT THE BASE: 2, there 3/],
  ])('make the gate red: %s', async (_, gate, change, text) => {
    await using checks = new Checks(FILES);
    checks.gates(gate as never);
    const found = await checks.check('tests', await checks.candidate(change));
    expect(found).toMatchObject({ status: 'fail', text: expect.stringMatching(text) });
  });

  test.each([
    ['in what it prints', BY_OUTPUT],
    ['in a report', BY_REPORT],
  ])('make the gate red where several tests share a name: %s', async (_, gate) => {
    await using checks = new Checks(SAME_NAME);
    checks.gates(gate as never);
    const hand = checks.hand();
    const found = await checks.check('tests', await checks.candidate(FEWER), { hand });
    expect(found, found.text).toMatchObject({
      status: 'fail',
      text: expect.stringContaining('FEWER TESTS RAN THAN AT THE BASE: 2, there 3'),
    });
    // The control: none is dropped.
    const same = { 'sum.mjs': FILES['sum.mjs'].replace('a + b', 'b + a') };
    const control = await checks.check('tests', await checks.candidate(same), { hand });
    expect(control, control.text).toMatchObject({ status: 'pass', tests: { run: 3, failed: 0, skipped: 0 } });
  });

  const NEW_ONE = "import { test } from 'node:test';\ntest('adds 3, or so', () => {});\n";

  test.each([
    ['by name', BY_OUTPUT, FEWER],
    ['by name, with a report', BY_REPORT, FEWER],
    ['by number', BY_NUMBER, FEWER],
    ['skipped', BY_OUTPUT, SKIPPED],
  ])('are seen although a new test takes the place of one: %s', async (_, gate, change) => {
    await using checks = new Checks(FILES);
    checks.gates(gate as never);
    const found = await checks.check('tests', await checks.candidate({ ...change, 'test/new.test.mjs': NEW_ONE }));
    expect(found, found.text).toMatchObject({ status: 'fail' });
    // The control: the new test alone takes nothing away.
    const control = await checks.check('tests', await checks.candidate({ 'test/new.test.mjs': NEW_ONE }));
    expect(control, control.text).toMatchObject({ status: 'pass' });
  });

  test.each([
    ['by name', BY_OUTPUT],
    ['by number', BY_NUMBER],
  ])('are only told where a test file that the task may change explains them: %s', async (_, gate) => {
    await using checks = new Checks(FILES);
    checks.gates(gate);
    const old = FILES['test/sum.test.mjs'];
    const candidate = await checks.candidate({ 'test/sum.test.mjs': old.replace('of cases', 'of cases.slice(1)') });
    expect(await checks.check('tests', candidate)).toMatchObject({
      status: 'pass',
      text: expect.stringContaining('the task may change tests, and changed test/sum.test.mjs'),
    });
  });

  test.each([
    ['by name', BY_OUTPUT],
    ['by name, with a report', BY_REPORT],
    ['by number', BY_NUMBER],
  ])('are red where a changed test file is only the excuse: %s', async (_, gate) => {
    await using checks = new Checks({ ...FILES, 'test/other.test.mjs': NEW_ONE.replace('3, or so', 'elsewhere') });
    checks.gates(gate as never);
    const candidate = await checks.candidate({
      ...FEWER,
      'test/other.test.mjs': `${NEW_ONE.replace('3, or so', 'elsewhere')}// why\n`,
    });
    expect(await checks.check('tests', candidate)).toMatchObject({
      status: 'fail',
      text: expect.stringContaining('the changes of test/other.test.mjs do not explain that'),
    });
  });

  describe('if the changed test file no longer loads in its old form', () => {
    const OTHER = `import { test } from 'node:test';\nimport { cases } from '../sum.mjs';\nfor (const one of cases) test(\`has \${one}\`, () => {});\n`;
    const RENAMED = FILES['sum.mjs'].replace('sum =', 'plus =');
    const TEST = FILES['test/sum.test.mjs'].replaceAll('sum }', 'plus }').replace('sum(', 'plus(');
    const NAMED_ANEW = TEST.replace('`adds ', '`plus ').replace('of cases', 'of cases.slice(1)');

    test.each([
      ['by name', BY_OUTPUT],
      ['by number', BY_NUMBER],
    ])('a test that it alone lost is reported, and one that others lost is red: %s', async (_, gate) => {
      await using checks = new Checks({ ...FILES, 'test/other.test.mjs': OTHER });
      checks.gates(gate);
      const honest = await checks.candidate({ 'sum.mjs': RENAMED, 'test/sum.test.mjs': NAMED_ANEW });
      const told = await checks.check('tests', honest);
      expect(told, told.text).toMatchObject({ status: 'pass', text: expect.stringContaining('the task may change') });
      const fewer = RENAMED.replace('[1, 2, 3]', '[1, 2]');
      const trick = await checks.candidate({ 'sum.mjs': fewer, 'test/sum.test.mjs': NAMED_ANEW });
      const red = await checks.check('tests', trick);
      expect(red, red.text).toMatchObject({ status: 'fail', text: expect.stringContaining('do not explain that') });
    });
  });
});

describe('new tests', () => {
  const NEW = `import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { sum } from '../sum.mjs';\n`;
  const CHANGE = { 'sum.mjs': FILES['sum.mjs'].replace('a + b', 'Number(a) + Number(b)') };

  test('that pass on the base’s code too are a low finding, which blocks nothing', async () => {
    await using checks = new Checks(FILES);
    checks.gates(BY_OUTPUT);
    const candidate = await checks.candidate({
      ...CHANGE,
      'test/new.test.mjs': `${NEW}test('adds more', () => assert.equal(sum(4, 4), 8));\n`,
    });
    expect(await checks.check('tests', candidate)).toMatchObject({
      status: 'pass',
      findings: { critical: 0, high: 0, medium: 0, low: 1, info: 0 },
      text: expect.stringContaining("1 of 1 pass on the base's code too"),
    });
  });

  test('that are red there are evidence', async () => {
    await using checks = new Checks(FILES);
    checks.gates(BY_OUTPUT);
    const candidate = await checks.candidate({
      ...CHANGE,
      'test/new.test.mjs': `${NEW}test('adds texts', () => assert.equal(sum('4', '4'), 8));\n`,
    });
    expect(await checks.check('tests', candidate)).toMatchObject({
      status: 'pass',
      findings: null,
      text: expect.stringContaining("new tests: red on the base's code, as they should be"),
    });
  });
});

describe('each new test is judged by its own name', () => {
  const HEAD = `import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { sum } from '../sum.mjs';\n`;
  const WORTH = "test('adds texts', () => assert.equal(sum('4', '4'), 8));\n";
  const NOTHING = "test('adds more', () => assert.equal(sum(4, 4), 8));\n";
  const CHANGE = { 'sum.mjs': FILES['sum.mjs'].replace('a + b', 'Number(a) + Number(b)') };
  const RED_BEFORE = { ...FILES, 'test/old.test.mjs': `${HEAD}test('old', () => assert.equal(sum(1, 1), 3));\n` };
  const ADDED = { 'test/sum.test.mjs': `${FILES['test/sum.test.mjs']}${NOTHING}` };

  test.each([
    ['by output', BY_OUTPUT],
    ['by report', BY_REPORT],
  ])('of two, one is worthless: %s', async (_, gate) => {
    await using checks = new Checks(FILES);
    checks.gates(gate as never);
    const found = await checks.check(
      'tests',
      await checks.candidate({ ...CHANGE, 'test/new.test.mjs': HEAD + WORTH + NOTHING }),
    );
    expect(found, found.text).toMatchObject({ status: 'pass', findings: { low: 1 } });
    expect(found.text).toMatch(/new tests: 1 of 2 pass on the base's code too.*: [^,\n]*adds more$/m);
  });

  test('a red test of the base does not make a worthless one look red', async () => {
    await using checks = new Checks(RED_BEFORE);
    checks.gates(BY_OUTPUT);
    const found = await checks.check(
      'tests',
      await checks.candidate({ ...CHANGE, 'test/new.test.mjs': HEAD + NOTHING }),
    );
    expect(found, found.text).toMatchObject({ status: 'pass', findings: { low: 1 } });
    expect(found.text).toMatch(/new tests: 1 of 1 pass on the base's code too/);
  });

  test('without names, red on a base that is red itself says nothing', async () => {
    const old = `${HEAD}test('old', () => assert.equal(sum('1', '1'), 2));\n`;
    await using checks = new Checks({ ...FILES, 'test/old.test.mjs': old });
    checks.gates(BY_NUMBER);
    const found = await checks.check(
      'tests',
      await checks.candidate({ ...CHANGE, 'test/new.test.mjs': HEAD + NOTHING }),
    );
    expect(found, found.text).toMatchObject({ status: 'pass', findings: null });
    expect(found.text).toContain("new tests: whether they are red on the base's code is not known");
  });

  test('tests that are added to an existing file count as new ones', async () => {
    await using checks = new Checks(FILES);
    checks.gates(BY_OUTPUT);
    const found = await checks.check('tests', await checks.candidate({ ...CHANGE, ...ADDED }));
    expect(found, found.text).toMatchObject({ status: 'pass', findings: { low: 1 } });
    expect(found.text).toMatch(/new tests: 1 of 1 pass on the base's code too.*: adds more$/m);
  });

  test('a new file that does not load on the base is red there, and its neighbour is judged alone', async () => {
    await using checks = new Checks(FILES);
    checks.gates(BY_OUTPUT);
    const twice = `import { test } from 'node:test';\nimport { twice } from '../sum.mjs';\ntest('twice', () => twice(1));\n`;
    const change = {
      'sum.mjs': `${FILES['sum.mjs']}export const twice = (a) => a + a;\n`,
      'test/twice.test.mjs': twice,
    };
    const good = await checks.check('tests', await checks.candidate(change));
    expect(good, good.text).toMatchObject({
      status: 'pass',
      findings: null,
      text: expect.stringContaining('as they should be'),
    });
    const both = await checks.check(
      'tests',
      await checks.candidate({ ...change, 'test/new.test.mjs': HEAD + NOTHING }),
    );
    expect(both, both.text).toMatchObject({ status: 'pass', findings: { low: 1 } });
    expect(both.text).toMatch(/new tests: 1 of 2 pass on the base's code too.*: adds more$/m);
  });
});

describe('red, and green the next time', () => {
  const FLAKY = {
    ...FILES,
    'test/sum.test.mjs': `${FILES['test/sum.test.mjs']}test('by chance', () => assert.notEqual(process.env.RUN, '1'));\n`,
  };
  /** Each run knows which one it is. */
  async function checked(reruns: number | undefined, isRed: (run: number) => boolean) {
    await using checks = new Checks(FLAKY);
    checks.gates({ ...BY_OUTPUT, ...(reruns === undefined ? {} : { reruns }) });
    let runs = 0;
    const sandbox = checks.sandboxThat((request) => {
      runs += 1;
      const env = { ...request.policy.env, RUN: isRed(runs) ? '1' : '0' };
      return checks.sandbox.run({ ...request, policy: { ...request.policy, env } });
    });
    const candidate = await checks.candidate({ 'more.txt': 'x\n' });
    return { found: await checks.check('tests', candidate, { hand: checks.hand({ sandbox }) }), runs };
  }

  test('is unstable, and stays red', async () => {
    // The candidate, its base, the candidate once more.
    const { found, runs } = await checked(undefined, (run) => run === 1);
    expect(found).toMatchObject({ status: 'fail', flaky: true, text: expect.stringContaining('UNSTABLE: red first') });
    expect(found.text).toContain('by chance');
    expect(runs).toBe(3);
  });

  test('is looked for as often as reruns says', async () => {
    const late = (run: number) => run === 1 || run === 3;
    expect((await checked(2, late)).found).toMatchObject({ status: 'fail', flaky: true });
    expect((await checked(1, late)).found).toMatchObject({ status: 'fail', flaky: false });
    const none = await checked(0, (run) => run === 1);
    expect(none).toMatchObject({ runs: 2, found: { status: 'fail', flaky: null } });
  });
});
