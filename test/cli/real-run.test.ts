/** UI-13, 19, 21..23 and "no sandbox, no run" for real tasks: what is asked wrongly costs nothing, what is asked is recorded. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { RunReport } from '../../src/mind/protocol/run-report.ts';
import { withOnly, withoutNamespaces } from '../real/limited-machine.ts';
import { accepted, digest, quiet, refused, run, script } from '../real/task.ts';
import { World } from '../support/cli.ts';

const ANY = [{ files: { 'a.txt': 'x\n' } }];
const GATE = ['--gate', 'tests=true'];

describe('UI-13, UI-19: refused with exit 2 before anything runs', () => {
  const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['a file outside', [...GATE, '--files', '../x'], ['--files ../x', 'inside the repository']],
    ['a file of a home', [...GATE, '--files', 'src/a,~/.ssh/id'], ['--files ~/.ssh/id']],
    ['an absolute file', [...GATE, '--files', '/etc/passwd'], ['--files /etc/passwd']],
    ['a grant outside', [...GATE, '--allow', 'a/../../b'], ['--allow a/../../b']],
    ['a grant of a home', [...GATE, '--allow', '~/x'], ['--allow ~/x', 'inside the repository']],
    ['a grant above', [...GATE, '--allow', '/a/../../b'], ['--allow /a/../../b', 'leaves the repository']],
    ['a grant of nothing', [...GATE, '--allow', './'], ['--allow ./: names nothing']],
    ['a grant with an exception', [...GATE, '--allow', '!a'], ['--allow !a: starts with `!`']],
    ['no such branch', [...GATE, '--onto', 'nope'], ['--onto nope', 'git branch --list']],
    ['a revision is no branch', [...GATE, '--onto', 'HEAD~0'], ['--onto HEAD~0']],
    ['a flag for a branch', [...GATE, '--onto=--help'], ['--onto --help: there is no such branch']],
    ['no such gate', ['--gate', 'x'], ['gate x']],
    ['a gate without a command', ['--gate', 'x='], ['--gate x=', 'NAME=COMMAND']],
    ['a gate with an odd name', ['--gate', 'a b;$(id)=true'], ['--gate a b;$(id)=true', 'NAME=COMMAND']],
    ['a gate named like a canary', ['--gate', 'tests-canary=true'], ['--gate tests-canary', 'canaries of other gates']],
    ['a gate named twice', ['--gate', 'a=true', '--gate', 'a=false'], ['--gate a: is named twice']],
    ['a configured gate named twice', ['--gate', 'a', '--gate', 'a'], ['--gate a: is named twice']],
    ['gates and none', ['--gate', 'a=b', '--no-gates'], ['contradict each other']],
    ['no gate at all', [], ['nothing would check step implement', 'supervisor init', '--no-gates']],
    ['no such CLI', [...GATE, '--cli', 'nope'], ['there is no CLI nope', 'clis:']],
    ['a CLI that is nearly one', [...GATE, '--cli', 'scriptd'], ['did you mean scripted?']],
    ['no such workflow', [...GATE, '--workflow', 'nope'], ['nope']],
    ['no such strategy', [...GATE, '--strategy', 'explorer'], ['did you mean explore?']],
    ['a flag nearly right', [...GATE, '--unsafe-nosandbox'], ['did you mean --unsafe-no-sandbox?']],
  ];
  // One world for all: none of them may leave a trace in it.
  const world = new World();
  const before = digest(world.repository);
  afterAll(() => world[Symbol.dispose]());
  test.each(cases)('%s', async (_, flags, parts) => {
    refused(await run(world, ANY, flags), 2, ...parts);
    expect(digest(world.repository)).toBe(before);
    expect(await world.tasks()).toEqual([]);
  });
});

test('UI-19: without a worker, the message says how to get one; a CLI that is not installed is named: exit 5, no task', async () => {
  using world = new World();
  refused(await world.run(['run', 'x', ...GATE]), 5, 'no worker is ready', 'default_cli:');
  world.userConfig('clis: {acme: {command: [acme-agent-that-is-nowhere]}}\ndefault_cli: [acme]\n');
  refused(await world.run(['run', 'x', ...GATE]), 5, 'acme-agent-that-is-nowhere is not installed');
  expect(await world.tasks()).toEqual([]);
});

test('UI-22, UI-23: a command line or an escape as title, branch, gate and file name is only a text', async () => {
  using world = new World();
  const odd = '$(id>rt);`id>rt`&&x|y';
  world.commit({ [`${odd}.txt`]: 'old\n', 'a.txt': 'old\n' });
  world.git('branch', odd);
  const text = '"; touch rt; `touch rt` $(touch rt) && x | y > z\u001b]52;c;x\u0007\u001b[2J\nsecond line';
  const plays = script(world, [{ files: { [`${odd}.txt`]: 'x\n', 'a.txt': 'x\n' } }]);
  const gate = `odd=test "$(cat a.txt)" = x && test -e '${odd}.txt'`;
  const args = ['run', text, '--script', plays, '--gate', gate, '--onto', odd, '--files', `${odd}.txt,a.txt`];
  const result = await world.run(args);
  refused(result, 0, 'touch rt', 'supervisor land');
  const [task] = await world.json<{ tasks: { task_id: string }[] }>(['status']).then(({ tasks }) => tasks);
  const report = await world.json<RunReport>(['show', task?.task_id ?? '']);
  expect(report).toMatchObject({ status: 'accepted', onto: odd });
  expect(report.branch).toMatch(/^ai\/t-[a-z0-9]+(-[a-z0-9]+)*$/);
  expect(world.git('log', '-1', '--format=%s', `${report.branch}`)).toContain('"; touch rt; `touch rt` $(touch rt) &&');
  expect(world.git('show', '--name-only', '--format=', `${report.branch}`)).toContain(odd);
  for (const dir of [world.dir, world.repository, world.home]) expect(existsSync(join(dir, 'rt'))).toBe(false);
  for (const flag of ['--evidence', '--said', '--records'])
    quiet((await world.run(['show', report.task_id, flag])).stdout);
});

test('UI-21: no program of a repository runs before its .supervisor/ is trusted, nor after it was changed', async () => {
  using world = new World();
  const breach = join(world.dir, 'breach');
  const config = join(world.repository, '.supervisor', 'config.yaml');
  mkdirSync(join(world.repository, '.supervisor'));
  writeFileSync(
    config,
    `gates: [{name: tests, command: "touch ${breach}; true"}]\nenvironment: {prepare: "touch ${breach}", outputs: [x]}\n`,
  );
  refused(await run(world, ANY, []), 3, 'supervisor trust');
  refused(await run(world, ANY, GATE), 3, 'supervisor trust');
  expect([existsSync(breach), await world.tasks()]).toEqual([false, []]);
  expect((await world.run(['trust', '--yes'])).code).toBe(0);
  writeFileSync(config, readFileSync(config, 'utf8').replace('true', 'false'));
  refused(await run(world, ANY, []), 3, 'supervisor trust');
  expect([existsSync(breach), await world.tasks()]).toEqual([false, []]);
});

test('--no-gates: accepted, and loudly not verified', async () => {
  using world = new World();
  const report = await accepted(world, ANY, ['--no-gates']);
  expect(report).toMatchObject({ verified: false, steps: [{ evidence: [] }] });
  const { stdout } = await world.run(['show', report.task_id]);
  expect(stdout).toMatch(/NOT VERIFIED[\s\S]*--unverified/);
});

test('a change outside of --files is refused with a message; so is a new file outside', async () => {
  using world = new World();
  world.commit({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  const plays = [{ files: { 'a.txt': 'x\n', 'b.txt': 'x\n' } }, { files: { 'a.txt': 'x\n' } }];
  const report = await accepted(world, plays, [...GATE, '--files', './a.txt']);
  expect(report.steps).toMatchObject([{ attempts: 2 }]);
  expect(world.git('diff', '--name-only', 'main', report.branch)).toBe('a.txt');
});

test('a grant that says where it starts is for the top alone', async () => {
  using world = new World();
  world.commit({ Makefile: 'x:\n', 'sub/Makefile': 'x:\n' });
  const both = [{ files: { Makefile: 'y:\n', 'sub/Makefile': 'y:\n' } }, { files: { Makefile: 'y:\n' } }];
  const top = ['./Makefile', '/Makefile', join(world.repository, 'Makefile')];
  const first = await accepted(world, both, [...GATE, '--allow', top.join()]);
  expect(first.steps).toMatchObject([{ attempts: 2 }]);
  const second = await accepted(world, both, [...GATE, '--allow', `Makefile,${join(world.repository, 'sub')}/`]);
  expect(second.steps).toMatchObject([{ attempts: 1 }]);
  const created = (await world.events()).filter(({ type }) => type === 'task.created.1');
  const granted = created.map(({ data }) => (data as { spec: { allow: string[] } }).spec.allow);
  expect(granted).toEqual([top.map(() => '/Makefile'), ['Makefile', '/sub/']]);
});

describe('no sandbox, no run', () => {
  const NO_SANDBOX = ['git', 'sh', 'setpriv', 'mkfifo', 'mkdir', 'head', 'touch'];
  const ask = (world: World, ...more: string[]) => [
    ...['run', 'x', '--script', script(world, [{ files: { 'a.txt': 'x\n' }, run: `touch ${world.dir}/ran` }])],
    ...[...GATE, ...more],
  ];
  const nothingRan = async (world: World, before: string) => {
    expect([existsSync(join(world.dir, 'ran')), digest(world.repository)]).toEqual([false, before]);
    expect(await world.tasks()).toEqual([]);
  };

  test('bubblewrap is not installed: exit 5, how to install it, nothing run; so says `doctor`', async () => {
    using world = new World();
    const before = digest(world.repository);
    refused(
      await withOnly(world, NO_SANDBOX, ask(world)),
      5,
      'nothing is run',
      'bubblewrap is not installed',
      'apt-get install',
    );
    await nothingRan(world, before);
    refused(await withOnly(world, NO_SANDBOX, ['doctor']), 5, 'bubblewrap is not installed', 'fix:');
  });

  test('no namespace can be made: exit 5 with a reason and a fix, nothing run', async () => {
    using world = new World();
    const before = digest(world.repository);
    refused(await withoutNamespaces(world, ask(world)), 5, 'no sandbox, so nothing is run');
    await nothingRan(world, before);
  });

  test('--unsafe-no-sandbox works there, says so loudly on stderr, and is recorded', async () => {
    using world = new World();
    const result = await withOnly(world, NO_SANDBOX, ask(world, '--unsafe-no-sandbox', '--json'));
    refused(result, 0);
    expect(result.stderr).toMatch(/WARNING.*--unsafe-no-sandbox/);
    const report = JSON.parse(result.stdout) as RunReport;
    // The worker could do all that the operator can.
    expect(existsSync(join(world.dir, 'ran'))).toBe(true);
    expect(world.git('show', `${report.branch}:a.txt`)).toBe('x');
    const [created] = (await world.events()).filter(({ type }) => type === 'task.created.1');
    expect(created?.data).toMatchObject({ spec: { unsafe_no_sandbox: true } });
  });

  test('with one, the same worker reaches neither the operator’s files nor a server of this machine', async () => {
    using world = new World();
    let calls = 0;
    await using server = createServer((socket) => {
      calls += 1;
      socket.end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const call = `node -e "require('net').connect(${port}, '127.0.0.1').on('error', () => {})"`;
    const plays = [{ files: { 'a.txt': 'x\n' }, run: `touch ${world.dir}/ran; ${call}; true` }];
    await accepted(world, plays, ['--gate', `tests=touch ${world.dir}/ran; ${call}; true`]);
    expect([existsSync(join(world.dir, 'ran')), calls]).toEqual([false, 0]);
    await accepted(world, plays, [...GATE, '--unsafe-no-sandbox']);
    expect([existsSync(join(world.dir, 'ran')), calls]).toEqual([true, 1]);
  });
});
