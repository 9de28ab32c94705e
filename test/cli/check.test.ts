/** `supervisor check`: what gates say of HEAD, before any task. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { World } from '../support/cli.ts';

const world = new World();
const CONFIG = `gates:
  - { name: tests, command: grep -qx right a.txt }
  - { name: lint, command: grep -q two b.txt }
  - { name: absent, command: [no-such-program] }
`;

beforeAll(async () => {
  world.commit({ 'a.txt': 'wrong\n', 'b.txt': 'two\n', '.supervisor/config.yaml': CONFIG });
});
afterAll(() => world[Symbol.dispose]());

test('an untrusted configuration runs nothing', async () => {
  expect((await world.run(['check'])).code).toBe(3);
  expect((await world.run(['trust', '--yes'])).code).toBe(0);
});

test('each gate says how it stands: green, red with what it printed, or unable to run', async () => {
  const { code, stdout } = await world.run(['check', '--json']);
  expect([code, JSON.parse(stdout)]).toMatchObject([
    5,
    {
      commit: world.git('rev-parse', 'HEAD'),
      gates: [
        { gate: 'tests', status: 'fail' },
        { gate: 'lint', status: 'pass' },
        { gate: 'absent', status: 'error' },
      ],
    },
  ]);
  const people = await world.run(['check', '--gate', 'tests', '--gate', 'lint']);
  expect([people.code, people.stdout]).toEqual([1, expect.stringMatching(/tests\s+red: .*\n[\s\S]*lint\s+passes/)]);
});

test('a gate that looks at changed files only has nothing to do, and those after it run all the same', async () => {
  using other = new World();
  other.userConfig(
    'gates:\n  - { name: syntax, kind: syntax }\n  - { name: security, kind: security }\n  - { name: tests, command: "false" }\n',
  );
  const { code, stdout } = await other.run(['check']);
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(/syntax +nothing to do: it looks at changed files only\nsecurity +nothing[^\n]*\ntests +red/),
  ]);
  expect(await other.json(['check', '--gate', 'syntax'])).toMatchObject({
    gates: [{ gate: 'syntax', status: 'pass' }],
  });
});

test('it checks the commit and says so when files differ; green is exit code 0', async () => {
  writeFileSync(join(world.repository, 'a.txt'), 'right\n');
  const dirty = await world.run(['check', '--gate', 'tests']);
  expect([dirty.code, dirty.stderr]).toEqual([1, expect.stringContaining('Not committed, so not checked: a.txt')]);
  world.commit({ 'a.txt': 'right\n' });
  expect((await world.run(['check', '--gate', 'tests', '--gate', 'lint'])).code).toBe(0);
  expect((await world.run(['check', '--gate', 'nope'])).code).toBe(2);
  expect(await world.health()).toMatchObject({ leased: false });
});

test('people read what the gate printed, and no list that is kept for later runs', async () => {
  using other = new World();
  const body = "import { test } from 'node:test';\ntest('adds', () => { throw new Error('wrong sum'); });\n";
  other.commit({ 'test/a.test.mjs': body });
  const gate = { name: 'tests', command: 'node --test --test-reporter=tap test/*.mjs', ids: 'tap' };
  other.userConfig(JSON.stringify({ gates: [gate] }));
  const { code, stdout } = await other.run(['check']);
  expect([code, stdout]).toEqual([1, expect.stringContaining('wrong sum')]);
  expect(stdout).not.toMatch(/\{"ran"|\["test\//);
});
