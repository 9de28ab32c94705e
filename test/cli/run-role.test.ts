/** `run --role`: what a role says holds for the run, from its gates to the paths it may change. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { World } from '../support/cli.ts';

const SCRIPT = (path: string) => `steps:\n  implement:\n    - files: {${JSON.stringify(path)}: "hello\\n"}\n`;
const TESTS = ['--gate', 'tests=true'];

function role(world: World, name: string, text: string): void {
  const folder = join(world.home, '.supervisor', 'roles');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.yaml`), text);
}

type Report = { status: string; steps: { id: string; evidence: { gate: string }[] }[]; verdict: { reasons: string[] } };

describe('run --role', () => {
  test('its own gate is run besides those of the project', async () => {
    using world = new World();
    role(
      world,
      'careful',
      'extends: implementer\ndescription: d\ngates:\n  - {name: greets, command: "grep -q hello new.txt"}\n',
    );
    const script = world.file('s.yaml', SCRIPT('new.txt'));
    const report = await world.json<Report>([
      'run',
      'x',
      '--role',
      'careful',
      '--script',
      script,
      ...TESTS,
      '--gate',
      'greets',
    ]);
    expect(report).toMatchObject({ status: 'accepted' });
    expect(report.steps[0]?.evidence.map(({ gate }) => gate).sort()).toEqual(['greets', 'tests']);
  });

  test('no role decides what a gate of the config is, one that only answers neither', async () => {
    using world = new World();
    world.userConfig('gates:\n  - {name: tests, command: "exit 1"}\n');
    role(world, 'weak', 'extends: implementer\ndescription: d\ngates:\n  - {name: tests, command: "true"}\n');
    role(world, 'reviewer', 'extends: reviewer\ndescription: d\ngates:\n  - {name: tests, command: "true"}\n');
    const script = ['--script', world.file('s.yaml', SCRIPT('new.txt'))];
    const refused = await world.run(['run', 'x', '--role', 'weak', ...script]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('give one of them another name')]);
    const reviewed = await world.run(['run', 'x', '--workflow', 'reviewed', ...script]);
    expect([reviewed.code, reviewed.stderr]).toEqual([2, expect.stringContaining('give one of them another name')]);
  });

  test('a change outside of its paths is sent back; one inside is accepted', async () => {
    using world = new World();
    role(world, 'writer', 'extends: implementer\ndescription: d\nwrite_scope: [docs/]\nconfig: {max_retries: 1}\n');
    const run = (path: string) =>
      world.json<Report>(['run', 'x', '--role', 'writer', '--script', world.file('s.yaml', SCRIPT(path)), ...TESTS]);
    const out = await run('src/a.txt');
    expect(out.status).toBe('failed');
    expect(JSON.stringify(out)).toContain('is not among the paths that your role may change');
    expect(await run('docs/a.txt')).toMatchObject({ status: 'accepted' });
  });

  test('a grant lets it change an existing test; without one it is sent back', async () => {
    using world = new World();
    world.commit({ 'test/a.test.txt': 'old\n' });
    const given = 'extends: implementer\ndescription: d\nconfig: {max_retries: 1}\n';
    role(world, 'plain', given);
    role(world, 'tester', `${given}grants: [test/]\n`);
    const script = world.file('s.yaml', SCRIPT('test/a.test.txt'));
    const run = (name: string) => world.json<Report>(['run', 'x', '--role', name, '--script', script, ...TESTS]);
    expect((await run('plain')).status).toBe('failed');
    expect((await run('tester')).status).toBe('accepted');
  });

  test.each([
    ['nobody', 'there is no role "nobody"'],
    ['reviewer', 'has no step of kind answer'],
  ])('--role %s is refused before anything is started', async (name, message) => {
    using world = new World();
    const { code, stderr } = await world.run([
      'run',
      'x',
      '--role',
      name,
      '--script',
      world.file('s.yaml', SCRIPT('a')),
      ...TESTS,
    ]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await world.tasks()).toEqual([]);
  });
});
