/** `supervisor judge`: what it says of good and bad changes, however they are named. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSarif } from '../../src/mind/gates/security/sarif.ts';
import { namesIn } from '../../src/os/files/names-in.ts';
import { eventually, type Result, World } from '../support/cli.ts';

const world = new World();
const CONFIG = `gates:
  - { name: right, command: "! grep -rn WRONG src" }
  - { name: small, kind: lint, blocking: false, command: "test $(cat src/*.js | wc -l) -lt 20" }
`;
const TEST = `import test from 'node:test';
import assert from 'node:assert';
import { add } from '../src/add.js';
test('adds', () => { assert.equal(add(1, 2), 3); });
test('adds zero', () => { assert.equal(add(1, 0), 1); });
`;

type Said = {
  decision: string;
  score: number | null;
  reasons: string[];
  findings: { rule: string; path: string; line: number | null; blocks: boolean; severity: string }[];
  gate_results: Record<string, { status: string; ended: string }>;
  target: Record<string, string | null>;
  [name: string]: unknown;
};

async function judge(...args: string[]): Promise<Said & { code: number | null }> {
  const { code, stdout, stderr } = await world.run(['judge', ...args, '--json']);
  try {
    return { code, ...(JSON.parse(stdout) as Said) };
  } catch {
    throw new Error(`no JSON: ${stdout}${stderr}`);
  }
}

const hook = (said: unknown): Promise<Result> =>
  world.start(['judge', '--hook', 'claude'], {}, typeof said === 'string' ? said : JSON.stringify(said)).done;

const put = (path: string, text: string): void => {
  mkdirSync(join(world.repository, path, '..'), { recursive: true });
  writeFileSync(join(world.repository, path), text);
};

/** The repository as it is: HEAD, refs of the user, index, files that differ. */
const state = (): string =>
  [
    world.git('rev-parse', 'HEAD'),
    world.git('for-each-ref'),
    world.git('status', '--porcelain', '--untracked-files=all'),
    world.git('diff'),
    world.git('diff', '--cached'),
  ].join('\n--\n');

beforeAll(async () => {
  world.commit({
    'src/add.js': 'export const add = (a, b) => a + b;\n',
    'test/add.test.js': TEST,
    '.gitignore': 'out/\n',
    '.supervisor/config.yaml': CONFIG,
  });
  world.git('branch', '-M', 'main');
});
afterAll(() => world[Symbol.dispose]());

test('an untrusted configuration judges nothing', async () => {
  expect((await world.run(['judge', 'HEAD'])).code).toBe(3);
  expect((await world.run(['trust', '--yes'])).code).toBe(0);
});

test('the first commit, an unknown name and an unknown gate are refused with a sentence', async () => {
  const first = world.git('rev-list', '--max-parents=0', 'HEAD');
  const refused = async (...args: string[]): Promise<[number | null, string]> => {
    const { code, stderr } = await world.run(['judge', ...args]);
    return [code, stderr];
  };
  expect(await refused(first)).toEqual([2, expect.stringContaining('is the first commit')]);
  expect(await refused('no-such')).toEqual([2, expect.stringContaining('no commit, range or branch no-such')]);
  expect(await refused('HEAD', '--gate', 'rigth')).toEqual([2, expect.stringContaining('did you mean right?')]);
  expect(await refused('HEAD', '--sarif', 'no/such/dir.sarif')).toEqual([2, expect.stringContaining('no directory')]);
});

test('a good commit is approved with exit code 0, and says what it rests on', async () => {
  world.commit({ 'src/sub.js': 'export const sub = (a, b) => a - b;\n' }, 'Add subtraction');
  const before = state();
  expect(await judge('HEAD')).toMatchObject({
    code: 0,
    decision: 'APPROVE',
    score: 1,
    reasons: [],
    task_from: 'commits',
    target: {
      kind: 'commit',
      name: 'HEAD',
      commit: world.git('rev-parse', 'HEAD'),
      base: world.git('rev-parse', 'HEAD~1'),
    },
    artifacts: [{ path: 'src/sub.js', diff_hash: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    gate_results: {
      right: { status: 'pass', kind: 'command', stage: 2, blocking: true, weight: 0.1 },
      small: { status: 'pass', kind: 'lint', stage: 1, blocking: false },
    },
    next_action: 'merge it',
    metrics_update: { gates_run: 2, gates_failed: 0, gates_not_run: 0 },
  });
  const people = await world.run(['judge', 'HEAD']);
  expect(people.stdout).toMatch(
    /^APPROVE {2}HEAD \([0-9a-f]{12}\), score 1\.00\n\nsmall passes \(cached\)\nright passes/,
  );
  expect(state()).toBe(before);
  expect(await world.tasks()).toEqual([]);
});

test('in a linked worktree, HEAD is its own commit and not that of the main checkout', async () => {
  const beside = join(world.dir, 'beside');
  world.git('worktree', 'add', '-q', beside, '-b', 'beside');
  writeFileSync(join(beside, 'src', 'beside.js'), '// WRONG\n');
  world.git('-C', beside, 'add', '.');
  world.git('-C', beside, 'commit', '-q', '-m', 'Add something');
  const own = world.git('rev-parse', 'beside');
  expect(own).not.toBe(world.git('rev-parse', 'HEAD'));
  for (const name of ['HEAD', 'HEAD~1..HEAD', 'main..', '@'])
    expect(await judge(name, '--project', beside), name).toMatchObject({
      code: 1,
      decision: 'REJECT',
      target: { commit: own },
    });
  expect(await judge('HEAD')).toMatchObject({ code: 0, target: { commit: world.git('rev-parse', 'main') } });
  world.git('worktree', 'remove', beside);
  world.git('branch', '-q', '-D', 'beside');
});

test('a bad commit is rejected with exit code 1; the gate and the finding are named', async () => {
  world.commit(
    { 'src/bad.js': '// WRONG\nexport const bad = () => {\n  throw new Error("not implemented");\n};\n' },
    'Add bad',
  );
  const said = await judge('HEAD');
  expect(said).toMatchObject({ code: 1, decision: 'REJECT', score: 0 });
  expect(said.reasons[0]).toBe('gate right failed: exit code 1');
  expect(said.findings.map(({ path, line }) => `${path}:${line}`)).toContain('src/bad.js:3');
  expect(said['feedback']).toContain('WRONG');
  const { code, stdout } = await world.run(['judge', 'HEAD']);
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(/REJECT[\s\S]*src\/bad\.js:3: [\s\S]*next: make right pass/),
  ]);
  world.git('reset', '-q', '--hard', 'HEAD~1');
});

test('a secret and a weakened test are found in the diff, whatever gates say', async () => {
  world.commit(
    {
      'src/key.js': `export const key = '-----BEGIN RSA PRIVATE KEY-----\\n${'MIIEowIBAAKCAQEA7x'.repeat(8)}\\n-----END RSA PRIVATE KEY-----';\n`,
    },
    'Add a key',
  );
  const secret = await judge('HEAD');
  expect(secret).toMatchObject({ code: 1, decision: 'REJECT', gate_results: { right: { status: 'pass' } } });
  expect(secret.findings[0]).toMatchObject({ rule: 'secret', severity: 'critical', path: 'src/key.js', line: 1 });
  world.git('reset', '-q', '--hard', 'HEAD~1');
  world.commit({ 'test/add.test.js': TEST.replace(/test\('adds zero.*\n/, '') }, 'Speed up');
  const weak = await judge('HEAD');
  expect(weak).toMatchObject({ code: 1, decision: 'REJECT' });
  expect(weak.findings.filter(({ blocks }) => blocks).map(({ path }) => path)).toContain('test/add.test.js');
  const asked = await judge('HEAD', '--task', 'Remove the test "adds zero" from test/add.test.js');
  expect(asked).toMatchObject({ task_from: 'operator', decision: 'APPROVE' });
  world.git('reset', '-q', '--hard', 'HEAD~1');
});

test('uncommitted changes: new, changed, removed, executable and linked files; ignored ones are not looked at', async () => {
  put('src/add.js', 'export const add = (a, b) => b + a; // WRONG\n');
  put('src/new file.js', 'export const fresh = 1;\n');
  put('run.sh', '#!/bin/sh\n');
  chmodSync(join(world.repository, 'run.sh'), 0o755);
  put('out/big.txt', 'WRONG\n');
  symlinkSync('src', join(world.repository, 'link'));
  rmSync(join(world.repository, 'src/sub.js'));
  world.git('add', 'run.sh');
  const before = state();
  const said = await judge();
  expect(said).toMatchObject({
    code: 1,
    decision: 'REJECT',
    task_from: 'none',
    target: { kind: 'uncommitted', commit: null },
  });
  const paths = (said['artifacts'] as { path: string }[]).map(({ path }) => path);
  expect(paths).toEqual(['link', 'run.sh', 'src/add.js', 'src/new file.js', 'src/sub.js']);
  expect(state()).toBe(before);
  put('src/add.js', 'export const add = (a, b) => b + a;\n');
  expect(await judge()).toMatchObject({ code: 0, decision: 'APPROVE' });
  world.git('reset', '-q', '--hard');
  world.git('clean', '-qfd');
  expect(await judge()).toMatchObject({ code: 0, reasons: ['nothing was changed'] });
});

test('a directory that became a link does not lead out of the checkout', async () => {
  const outside = join(world.dir, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'add.js'), 'WRONG\n');
  rmSync(join(world.repository, 'src'), { recursive: true });
  symlinkSync(outside, join(world.repository, 'src'));
  const said = await judge();
  expect(said).toMatchObject({ code: 1, decision: 'REJECT', gate_results: {} });
  expect(said.reasons[0]).toMatch(/^src: .*link/);
  rmSync(join(world.repository, 'src'));
  world.git('reset', '-q', '--hard');
});

test('a range and a branch are judged against the commit where they began', async () => {
  const start = world.git('rev-parse', 'HEAD');
  world.git('checkout', '-q', '-b', 'feature');
  world.commit({ 'src/one.js': 'export const one = 1;\n' }, 'One');
  world.commit({ 'src/two.js': 'export const two = 2; // WRONG\n' }, 'Two');
  world.git('checkout', '-q', 'main');
  world.commit({ 'src/main.js': 'export const main = 0;\n' }, 'Main goes on');
  const paths = (said: Said) => (said['artifacts'] as { path: string }[]).map(({ path }) => path);
  const range = await judge('main..feature');
  expect([range.code, range.target['base'], paths(range)]).toEqual([1, start, ['src/one.js', 'src/two.js']]);
  const branch = await judge('feature');
  expect(branch).toMatchObject({ code: 1, target: { kind: 'branch', base: start } });
  expect(await judge('feature~1', '--onto', 'main')).toMatchObject({ code: 0, target: { kind: 'branch' } });
  expect(await judge('feature', '--onto', 'feature~1')).toMatchObject({ code: 1, artifacts: [{ path: 'src/two.js' }] });
  const none = await world.run(['judge', 'feature', '--onto', 'nope']);
  expect([none.code, none.stderr]).toEqual([
    2,
    expect.stringContaining('there is no branch nope here: fetch it, or see what there is with `git branch -a`'),
  ]);
  world.git('checkout', '-q', 'feature');
  put('src/three.js', 'export const three = 3;\n');
  expect(paths(await judge('--onto', 'main'))).toEqual(['src/one.js', 'src/three.js', 'src/two.js']);
  rmSync(join(world.repository, 'src/three.js'));
  world.git('checkout', '-q', 'main');
});

test('reports are written: SARIF that our own reader takes, and JUnit', async () => {
  const [sarif, junit] = [join(world.dir, 'a.sarif'), join(world.dir, 'a.xml')];
  await judge('feature', '--sarif', sarif, '--junit', junit);
  expect(readSarif(readFileSync(sarif, 'utf8'), 'x')).toMatchObject({ type: 'findings' });
  expect(readFileSync(junit, 'utf8')).toContain('<testcase classname="gates" name="right"');
});

test('a gate that cannot run escalates with exit code 4; without any gate nothing is judged', async () => {
  put('.supervisor/config.yaml', `${CONFIG}  - { name: absent, command: [no-such-program] }\n`);
  await world.run(['trust', '--yes']);
  const said = await judge('HEAD');
  expect(said).toMatchObject({ code: 4, decision: 'ESCALATE', score: null });
  expect(said.reasons[0]).toMatch(/^gate absent could not run/);
  expect(await judge('HEAD', '--gate', 'right')).toMatchObject({ code: 0 });
  put('.supervisor/config.yaml', 'gates: []\n');
  await world.run(['trust', '--yes']);
  expect((await world.run(['judge', 'HEAD'])).code).toBe(2);
  world.git('checkout', '-q', '.supervisor');
  await world.run(['trust', '--yes']);
});

test('a stop hook hears the verdict, and lets the agent go after three rounds', async () => {
  put('src/add.js', '// WRONG\n');
  const turn = async (active: boolean): Promise<Record<string, string>> => {
    const { code, stdout } = await hook({ session_id: 's-1', hook_event_name: 'Stop', stop_hook_active: active });
    expect(code).toBe(0);
    return JSON.parse(stdout) as Record<string, string>;
  };
  expect(await turn(false)).toMatchObject({ decision: 'block', reason: expect.stringContaining('gate right failed') });
  expect(await turn(true)).toMatchObject({ decision: 'block' });
  expect(await turn(true)).toMatchObject({ decision: 'block' });
  expect(await turn(true)).toEqual({ systemMessage: expect.stringContaining('still rejected after 3 rounds') });
  expect(await turn(false)).toMatchObject({ decision: 'block' });
  world.git('checkout', '-q', 'src');
  expect(await turn(true)).toEqual({});
  const wrong = await hook('no JSON');
  expect([wrong.code, JSON.parse(wrong.stdout)]).toEqual([0, { systemMessage: expect.stringContaining('no JSON') }]);
});

test('a fix task is started only on request', async () => {
  const asked = await world.run(['judge', 'feature', '--fix']);
  expect([asked.code, asked.stdout]).toEqual([3, expect.stringContaining('Repair the change feature')]);
  expect(asked.stderr).toContain('--yes');
  expect((await world.run(['judge', '--fix'])).code).toBe(2);
  expect(await world.tasks()).toEqual([]);
  const fence = '\\140\\140\\140';
  const answer = `printf '${fence}json\\n{"status":"SUCCESS","action_taken":"repaired","files_modified":["src/two.js"]}\\n${fence}\\n'`;
  const command = `cat > /dev/null; echo 'export const two = 2;' > src/two.js; ${answer}`;
  world.userConfig(`default_cli: [mend]\nclis:\n  mend:\n    command: [sh, -c, ${JSON.stringify(command)}]\n`);
  const fixed = await world.run(['judge', 'feature', '--fix', '--yes']);
  expect([fixed.code, await world.tasks()], fixed.stdout + fixed.stderr).toMatchObject([0, [{ status: 'accepted' }]]);
  expect(fixed.stdout).toMatch(/task +t-\w+: Repair the change feature/);
});

test('two at once, one of them killed: neither disturbs the other, and the next one clears up', async () => {
  put(
    '.supervisor/config.yaml',
    `gates:\n  - { name: slow, command: "sleep 20" }\n  - { name: quick, command: "true" }\n`,
  );
  await world.run(['trust', '--yes']);
  put('src/add.js', 'export const add = (a, b) => b + a;\n');
  const workspaces = () =>
    namesIn(join(world.state, 'workspaces')).flatMap((name) => namesIn(join(world.state, 'workspaces', name)));
  const slow = world.start(['judge', '--gate', 'slow', '--json']);
  // What a gate's tree is called says nothing about the gate.
  const ofGates = () => workspaces().filter((name) => name.includes('.gate-'));
  await eventually(() => ofGates().length > 0, 'a slow gate');
  const [slowly = ''] = ofGates();
  expect(await judge('--gate', 'quick')).toMatchObject({ code: 0, decision: 'APPROVE' });
  expect(workspaces()).toContain(slowly);
  slow.child.kill('SIGKILL');
  await slow.done;
  expect(await judge('--gate', 'quick')).toMatchObject({ code: 0 });
  await eventually(() => !workspaces().includes(slowly), 'the workspace of the killed one is gone');
  world.git('checkout', '-q', '.');
  expect(existsSync(join(world.repository, '.git', 'index.lock'))).toBe(false);
  expect(await world.health()).toMatchObject({ leased: false });
});

test('Ctrl-C ends it with 130 and leaves nothing', async () => {
  put('.supervisor/config.yaml', `gates:\n  - { name: slow, command: "sleep 20" }\n`);
  await world.run(['trust', '--yes']);
  put('src/add.js', 'export const add = (a, b) => b + a;\n');
  const before = world.git('for-each-ref');
  const started = world.start(['judge']);
  await eventually(
    () =>
      namesIn(join(world.state, 'workspaces'))
        .flatMap((name) => namesIn(join(world.state, 'workspaces', name)))
        .some((name) => name.includes('.gate-')),
    'a slow gate',
  );
  started.child.kill('SIGINT');
  const { code }: Result = await started.done;
  expect([code, world.git('for-each-ref')]).toEqual([130, before]);
});
