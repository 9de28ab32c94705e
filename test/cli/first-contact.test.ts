/** What people and programs meet first: help, completion, JSON, pipes, doctor, the demo. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/faces/cli/table.ts';
import { World } from '../support/cli.ts';

const ENTRY = fileURLToPath(new URL('../../src/faces/cli/entry.ts', import.meta.url));

test('without a command it shows help and exits 2; with --help it exits 0', async () => {
  using world = new World();
  const bare = await world.run([]);
  expect(bare).toMatchObject({ code: 2, stdout: '' });
  const asked = await world.run(['--help']);
  expect(asked.code).toBe(0);
  for (const { name, summary } of COMMANDS) expect(asked.stdout).toContain(`${name.padEnd(10)}  ${summary}`);
});

test('every command has help with its flags and an example', async () => {
  using world = new World();
  for (const { name, flags, examples } of COMMANDS) {
    const { code, stdout } = await world.run([name, '--help']);
    expect(code).toBe(0);
    for (const flag of [...Object.keys(flags), 'json', 'project']) expect(stdout).toContain(`--${flag}`);
    expect(stdout).toContain(examples[0]);
  }
});

test('bash completes commands and flags', async () => {
  using world = new World();
  const script = world.file('completion.bash', (await world.run(['completion', 'bash'])).stdout);
  const complete = (words: string) =>
    execFileSync(
      'bash',
      [
        '-c',
        `source ${script}; COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _supervisor; echo "\${COMPREPLY[@]}"`,
      ],
      { encoding: 'utf8' },
    ).trim();
  expect(complete('supervisor res')).toBe('resume reset');
  expect(complete('supervisor log --fo')).toBe('--follow');
  expect(complete('supervisor gates sh')).toBe('show');
});

test('run --json prints one object with all that was promised', async () => {
  using world = new World();
  const report = await world.json(['run', 'say hello', '--simulate']);
  expect(Object.keys(report)).toEqual(
    expect.arrayContaining([
      'task_id',
      'status',
      'workflow',
      'onto',
      'branch',
      'commit',
      'base',
      'candidate',
      'change_id',
      'steps',
      'verdict',
      'incident',
      'cost',
    ]),
  );
  // What was not measured is unknown, not zero; what was only played has no commit.
  expect(report).toMatchObject({
    status: 'accepted',
    onto: 'main',
    commit: null,
    branch: null,
    simulated: true,
    cost: { usd: null },
    verdict: { decision: 'APPROVE', score: null },
  });
});

test('status, show and log tell of it, in words and in JSON', async () => {
  using world = new World();
  expect(await world.json(['status'])).toMatchObject({ status: 'empty', tasks: [] });
  const { task_id: id } = await world.json<{ task_id: string }>(['run', 'say hello', '--simulate']);
  expect(await world.json(['status'])).toMatchObject({
    status: 'idle',
    tasks: [{ task_id: id, title: 'say hello', status: 'accepted', workflow: 'default', attempts: 1 }],
  });
  expect((await world.run(['status'])).stdout).toContain(`${id}  accepted`);
  expect((await world.run(['show', id.slice(0, 5)])).stdout).toContain('tests pass (attempt 1)');
  const lines = (await world.run(['log', '--json'])).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { seq: number });
  expect(lines.map((line) => line.seq)).toEqual(lines.map((_, n) => n + 1));
  expect((await world.run(['show', 't-nope'])).stderr).toContain('`supervisor status` lists them');
});

test('JSON comes whole through a pipe, and a reader that stops early is no error', async () => {
  using world = new World();
  for (let n = 0; n < 3; n++) await world.run(['run', `${'a long title '.repeat(6)}${n}`, '--simulate']);
  const shell = (command: string) =>
    spawnSync('bash', ['-o', 'pipefail', '-c', command], {
      cwd: world.repository,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', HOME: world.home, SUPERVISOR_HOME: world.state },
    });
  const whole = shell(`"${process.execPath}" "${ENTRY}" log --json | cat`);
  expect(whole.stdout.trim().split('\n')).toHaveLength((await world.events()).length);
  const cut = shell(`"${process.execPath}" "${ENTRY}" log --json | head -1`);
  expect(cut).toMatchObject({ status: 0, stderr: '' });
});

test('log --follow shows what another process does, until it is interrupted', async () => {
  using world = new World();
  await world.run(['run', 'first', '--simulate']);
  const follow = world.start(['log', '--follow']);
  await world.run(['run', 'second', '--simulate']);
  while (!follow.output().includes('task created: second')) await new Promise((resolve) => setTimeout(resolve, 20));
  follow.child.kill('SIGINT');
  expect((await follow.done).code).toBe(0);
});

test('a run without any worker, outside a repository, or with a bad home says what to do and exits 5', async () => {
  using world = new World();
  expect(await world.run(['run', 'x'])).toMatchObject({ code: 5, stderr: expect.stringContaining('--simulate') });
  expect(await world.run(['run', 'x', '--simulate', '--project', '/'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('git init'),
  });
  expect(await world.run(['status'], { SUPERVISOR_HOME: 'relative' })).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('absolute'),
  });
  expect(existsSync(world.state)).toBe(false);
});

test('another repository put at the same place is not taken for the old one', async () => {
  using world = new World();
  await world.run(['run', 'x', '--simulate']);
  execFileSync(
    'sh',
    [
      '-c',
      'rm -rf .git && git init -q -b main && git -c user.name=t -c user.email=t@localhost commit -q --allow-empty -m other',
    ],
    { cwd: world.repository },
  );
  expect(await world.run(['run', 'x', '--simulate'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('another repository'),
  });
});

test('doctor says what is ready; the application log is quiet until asked', async () => {
  using world = new World();
  expect(await world.json(['doctor'])).toMatchObject({ ready: true });
  await world.run(['run', 'x', '--simulate']);
  expect(existsSync(join(world.state, 'logs'))).toBe(false);
  mkdirSync(join(world.home, '.supervisor'));
  world.userConfig('limits: {attempts: 0}\n');
  expect(await world.run(['doctor'])).toMatchObject({ code: 5, stdout: expect.stringContaining('config.yaml:1:') });
});

test('gc says what it would remove, and removes no fact', async () => {
  using world = new World();
  await world.run(['run', 'x', '--simulate']);
  const before = await world.events();
  expect(await world.json(['gc', '--dry-run'])).toMatchObject({ dry_run: true });
  expect((await world.run(['gc'])).code).toBe(0);
  expect(await world.events()).toEqual(before);
});

test('the demo tells its story, exits 0, and says where its record is', async () => {
  using world = new World();
  const temporary = join(world.dir, 'tmp');
  mkdirSync(temporary);
  const { code, stdout, stderr } = await world.run(['demo'], { TMPDIR: temporary });
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('gate tests failed');
  expect(stdout).toContain('task accepted');
  expect(stdout).toContain('anchors: sidecar at');
  const [made = '', ...more] = readdirSync(temporary);
  expect(more).toEqual([]);
  // It tells where the record is, and how to throw it away.
  const [, record = ''] = /SUPERVISOR_HOME=(\S+) \S*supervisor log/.exec(stdout) ?? [];
  expect(record).toBe(join(temporary, made, 'state'));
  expect(stdout).toContain(`rm -rf ${join(temporary, made)}`);
  rmSync(join(temporary, made), { recursive: true });
});

test('the README shows commands that exist', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const names = COMMANDS.map((command) => command.name);
  for (const [, name] of readme.matchAll(/`supervisor ([a-z]+)/g)) expect(names).toContain(name);
});

test('a reader that stops early does not stop the work: the task is done, and the exit code is its own', async () => {
  using world = new World();
  const script = world.file('slow.yaml', 'steps: {implement: [{after: 400ms}]}\n');
  const env = { PATH: process.env['PATH'] ?? '', HOME: world.home, SUPERVISOR_HOME: world.state };
  const { status } = spawnSync(
    'bash',
    ['-o', 'pipefail', '-c', `"${process.execPath}" "${ENTRY}" run x --simulate --script "${script}" | head -1`],
    { cwd: world.repository, env },
  );
  expect(status).toBe(0);
  expect((await world.tasks()).map((task) => task.status)).toEqual(['accepted']);
});

test('odd places for the state, the repository or the output are one sentence and exit code 5', async () => {
  using world = new World();
  const file = world.file('a-file', '');
  for (const home of [file, join(file, 'below'), '/proc/nowhere']) {
    const { code, stderr } = await world.run(['run', 'x', '--simulate'], { SUPERVISOR_HOME: home });
    expect(stderr).not.toContain('    at ');
    expect({ home, code }).toEqual({ home, code: 5 });
  }
  // Homes that are missing or take no entry: the command runs, and makes none.
  const missing = join(world.dir, 'no-home');
  for (const env of [{ HOME: missing }, { HOME: '/proc/1/nohome' }, { HOME: '/proc' }, { XDG_CACHE_HOME: '/proc/x' }])
    expect(await world.run(['status'], env), JSON.stringify(env)).toMatchObject({ code: 0 });
  expect(existsSync(missing)).toBe(false);
  const pointer = join(world.dir, 'pointer');
  mkdirSync(pointer);
  writeFileSync(join(pointer, '.git'), 'gitdir: /nowhere\n');
  expect(await world.run(['status', '--project', pointer])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('is not there'),
  });
  expect((await world.run(['doctor', '--project', pointer])).stdout).toContain('git');
});
