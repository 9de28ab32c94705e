/** Settings of a workflow that ask something of the change or of its operator, each with and without. */
import { describe, expect, test } from 'vitest';
import { World } from '../support/cli.ts';

const STEPS = 'steps:\n  implement: {role: implementer}\n  save: {kind: commit}\n';
const ENTRY = { 'CHANGELOG.md': '# Changes\n- right\n' };

function worldWith(plays: readonly object[]) {
  const world = new World();
  world.commit({ 'a.txt': 'old\n', 'CHANGELOG.md': '# Changes\n' });
  const script = world.file('script.yaml', JSON.stringify({ steps: { implement: plays } }));
  const run = (setting: string, ...more: string[]) => {
    const workflow = world.file('w.yaml', `settings: {${setting}}\n${STEPS}`);
    const flags = more.length > 0 ? more : ['--gate', 'tests=grep -q right a.txt'];
    return world.run(['run', 'make it right', '--workflow', workflow, '--script', script, ...flags, '--json']);
  };
  return { world, run };
}

describe('require_changelog', () => {
  const PLAYS = [{ files: { 'a.txt': 'right\n' } }, { files: ENTRY }];

  test('refuses a commit without an entry; the worker reads which file, and the task goes on', async () => {
    const { world, run } = worldWith(PLAYS);
    using _ = world;
    const { code, stdout, stderr } = await run('require_changelog: true');
    expect(code, stderr + stdout).toBe(0);
    const { branch, task_id } = JSON.parse(stdout) as { branch: string; task_id: string };
    expect(world.git('diff', '--name-only', 'main', branch).split('\n')).toEqual(['CHANGELOG.md', 'a.txt']);
    const back = (await world.events()).filter(({ type }) => type === 'task.reworked.1');
    expect(back.map(({ data }) => data)).toMatchObject([
      { from: 'save', to: 'implement', reason: expect.stringContaining('add one to CHANGELOG.md') },
    ]);
    const { texts } = await world.json<{ texts: { text: string }[] }>(['show', task_id, '--packets']);
    expect(texts.at(-1)?.text).toContain('the change has no changelog entry');
  });

  test('without it the same change is committed as it is', async () => {
    const { world, run } = worldWith(PLAYS);
    using _ = world;
    const { branch } = JSON.parse((await run('require_changelog: false')).stdout) as { branch: string };
    expect(world.git('diff', '--name-only', 'main', branch)).toBe('a.txt');
  });
});

test('audit_trail: a run that would leave something unchecked is refused, and starts without the setting', async () => {
  const { world, run } = worldWith([{ files: { 'a.txt': 'right\n' } }]);
  using _ = world;
  const refused = await run('audit_trail: true', '--no-gates');
  expect([refused.code, refused.stdout + refused.stderr]).toEqual([2, expect.stringContaining('keeps an audit trail')]);
  expect(await world.tasks()).toEqual([]);
  expect((await run('audit_trail: false', '--no-gates')).code).toBe(0);
});
