/** How a task gets its text, and what is said before anything is started. */
import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ENTRY, PATH, World } from '../support/cli.ts';
import { Pty } from '../support/pty.ts';

const title = async (world: World) =>
  (await world.events()).flatMap(({ type, data }) =>
    type === 'task.created.1' ? [(data as { title: string }).title] : [],
  );

function piped(world: World, input: string | Buffer, ...args: string[]) {
  const env = { PATH, HOME: world.home, SUPERVISOR_HOME: world.state };
  return spawnSync(process.execPath, [ENTRY, 'run', ...args], { cwd: world.repository, env, input, encoding: 'utf8' });
}

describe('the task', () => {
  test('comes from standard input with `run -`, and from a file with --file', async () => {
    using world = new World();
    expect(piped(world, 'by pipe\nand more\n', '-', '--simulate').status).toBe(0);
    expect((await world.run(['run', '--file', world.file('task.md', 'by file\n'), '--simulate'])).code).toBe(0);
    expect(await title(world)).toEqual(['by pipe', 'by file']);
  });

  test('comes from $EDITOR when `run` stands alone on a terminal; comments are left out, an empty text starts nothing', async () => {
    using world = new World();
    const editor = world.file('editor.sh', '#!/bin/sh\nprintf "by editor\\n# not this\\n" >"$2"\n');
    chmodSync(editor, 0o755);
    const run = (EDITOR: string) =>
      new Pty([process.execPath, ENTRY, 'run', '--simulate'], {
        dir: world.repository,
        env: { PATH, EDITOR, HOME: world.home, SUPERVISOR_HOME: world.state, NO_COLOR: '1' },
      });
    using written = run(`${editor} --wait`);
    expect(await written.done, written.terminal.text).toBe(0);
    expect(await title(world)).toEqual(['by editor']);
    using empty = run('true');
    expect(await empty.done).toBe(2);
    expect(empty.terminal.text).toContain('the task is empty');
    using failed = run('false');
    expect(await failed.done).toBe(2);
    expect(failed.terminal.text).toContain('the editor (false) ended with 1');
  });

  test('UI-16: a huge one is refused with a number, before anything is written', async () => {
    using world = new World();
    const huge = 'x'.repeat(500_000);
    for (const { status, stderr } of [
      piped(world, huge, '-', '--simulate'),
      piped(world, '', '--simulate', '--file', world.file('huge', huge)),
    ]) {
      expect(status).toBe(2);
      expect(stderr).toMatch(/has (more than )?\d+ bytes; a task may have at most 100000 characters/);
    }
    expect(await world.tasks()).toEqual([]);
  });

  test.each([
    ['a file that is not there', ['--file', '/nonexistent'], '--file /nonexistent: there is no such file'],
    ['a directory', ['--file', '.'], 'is not a file'],
    ['both', ['x', '--file', 'y'], 'TEXT and --file contradict each other'],
    ['none, without a terminal', [], 'TEXT is missing'],
  ])('%s is refused with a sentence', async (_, args, said) => {
    using world = new World();
    const { status, stderr } = piped(world, '', ...args, '--simulate');
    expect([status, stderr]).toEqual([2, expect.stringContaining(said)]);
  });

  test('text that is not UTF-8 is refused', () => {
    using world = new World();
    const { status, stderr } = piped(world, Buffer.from([0x63, 0xe9]), '-', '--simulate');
    expect([status, stderr]).toEqual([2, expect.stringContaining('standard input is not UTF-8 text')]);
  });
});

const SCRIPT = "steps: {implement: [{files: {src/a.js: 'two'}}]}\n";

test('run says which uncommitted files the worker will not see', async () => {
  using world = new World();
  world.commit({ 'src/a.js': 'one', 'src/b.js': 'one', '.gitignore': 'ignored.txt\n' });
  const args = ['run', 'x', '--script', world.file('s.yaml', SCRIPT), '--gate', 'tests=true'];
  expect((await world.run(args)).stderr).not.toContain('not committed');
  for (const name of ['src/b.js', 'new.txt', 'ignored.txt']) writeFileSync(join(world.repository, name), 'changed');
  const { code, stderr } = await world.run(args);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('not committed, so the worker does not see it: new.txt, src/b.js\n');
});

test('--files that match nothing are refused before anything starts, with what may be meant', async () => {
  using world = new World();
  world.commit({ 'src/parser.js': 'one' });
  const run = (files: string) =>
    world.run(['run', 'x', '--script', world.file('s.yaml', SCRIPT), '--gate', 'tests=true', '--files', files]);
  const { code, stderr } = await run('src/parsr.js');
  expect(code).toBe(2);
  expect(stderr).toContain('--files src/parsr.js: main has no such file, did you mean src/parser.js?');
  expect(stderr).toContain('name its directory, such as src/');
  expect((await run('lib/*.js')).code).toBe(2);
  // In a folder below, as `ls` shows it there.
  expect((await run('parser.js')).stderr).toContain('main has no such file, did you mean src/parser.js?');
  const below = ['--project', join(world.repository, 'src')];
  const up = await world.run(['run', 'x', '--simulate', '--files', '../src/parser.js', ...below]);
  expect(up).toMatchObject({ code: 2 });
  const played = await world.run(['run', 'x', '--simulate', '--files', 'src/parsr.js']);
  expect([played.code, played.stdout]).toEqual([2, '']);
  expect(played.stderr).toContain('--files src/parsr.js: main has no such file, did you mean src/parser.js?');
  expect(up.stderr).toContain('paths are relative to the top of the repository: write src/parser.js');
  expect((await world.run(['run', 'x', '--simulate', '--files', '../../x', ...below])).stderr).toContain(
    'must name something inside the repository',
  );
  expect(await world.tasks()).toEqual([]);
  expect((await run('src/')).code).toBe(0);
});
