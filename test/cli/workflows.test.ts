/** `supervisor workflows`: what there is, what one is made of, its graph, what is wrong with a file. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { World } from '../support/cli.ts';

function workflow(world: World, name: string, text: string): string {
  const file = join(world.repository, '.supervisor/workflows', `${name}.yaml`);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function config(world: World, text: string): void {
  mkdirSync(join(world.repository, '.supervisor'), { recursive: true });
  writeFileSync(join(world.repository, '.supervisor/config.yaml'), text);
}

type Row = { name: string; layer: string; chosen: boolean; base_only: boolean; problem: string | null };

describe('supervisor workflows', () => {
  test('lists what there is, nearest first, and marks the one that run takes', async () => {
    using world = new World();
    workflow(world, 'release', 'extends: standard\ndescription: Ours.\ndisable: [plan_review]\n');
    const { code, stdout } = await world.run(['workflows']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Of this project\n {2}release +Ours\.\nBuilt in\n/);
    expect(stdout).toMatch(/\n\* default +Implement, check\.\n/);
    const { workflows } = await world.json<{ workflows: Row[] }>(['workflows', 'list']);
    expect(workflows.filter((row) => row.chosen).map((row) => row.name)).toEqual(['default']);
    expect(workflows.find((row) => row.name === '_base')).toMatchObject({ base_only: true, problem: null });
  });

  test('shows one: what it is made of, its steps, what is handed on', async () => {
    using world = new World();
    const { stdout } = await world.run(['workflows', 'show', 'security_critical']);
    expect(stdout).toContain(
      'made of          security_critical (built-in) > enterprise (built-in) > _base (built-in)',
    );
    expect(stdout).toMatch(/interface_definition-approval +a person approves the answer of interface_definition/);
    expect(stdout).toContain('interface_definition hands over interfaces, dependency_graph');
    const shown = await world.json(['workflows', 'show', 'standard']);
    expect(shown).toMatchObject({
      name: 'standard',
      on_exhausted: 'escalate',
      chain: [{ name: 'standard' }, { name: '_base' }],
      graph: expect.arrayContaining([
        {
          id: 'test',
          kind: 'gate',
          place: 4,
          does: 'gate kind:tests',
          needs: ['implement'],
          lower: [],
          asks_person: false,
          analyses: [],
          back: { to: 'implement', rounds: 4 },
        },
      ]),
    });
  });

  test('without a name, the one that run takes: with what the config changes in it', async () => {
    using world = new World();
    config(world, 'workflow: {template: standard, disable: [plan_review]}\n');
    expect(await world.json(['workflows', 'graph'])).toMatchObject({
      name: 'standard',
      text: expect.not.stringContaining('plan_review'),
    });
    expect((await world.run(['workflows', 'graph', 'standard'])).stdout).toContain('plan_review');
    const drawn = await world.run(['workflows', 'graph', '--mermaid']);
    expect(drawn.stdout.split('\n').slice(0, 2)).toEqual(['flowchart TD', '  s1("plan<br/>planner answers")']);
    expect((await world.run(['workflows', 'show', '--mermaid'])).code).toBe(2);
  });

  test('validates all of them, a file wherever it lies, and what the config composes: exit 2 with the place', async () => {
    using world = new World();
    expect(await world.run(['workflows', 'validate'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/✓ all \d+ workflows are valid/),
    });
    const draft = world.file('draft.yaml', 'extends: standrd\n');
    const bad = await world.run(['workflows', 'validate', draft]);
    expect(bad.code).toBe(2);
    expect(bad.stdout).toContain('draft.yaml:1:10: extends: there is no workflow standrd, did you mean standard?');
    expect(await world.json(['workflows', 'validate', draft])).toMatchObject({
      valid: false,
      workflows: [{ name: draft }],
    });
    workflow(world, 'default', 'extends: default\nsteps: {implement: {next: nowhere}}\n');
    const own = await world.run(['workflows', 'validate', '.supervisor/workflows/default.yaml']);
    expect([own.code, own.stdout]).toEqual([2, expect.stringContaining('default.yaml:2:27: steps.implement.next')]);
    // A list is for looking around: what is wrong is said in its place.
    expect(await world.run(['workflows'])).toMatchObject({ code: 0, stdout: expect.stringContaining('✗ ') });
  });

  test('steps that the config composes are checked as well', async () => {
    using world = new World();
    config(world, 'workflow:\n  template: standard\n  disable: [implement]\n');
    const { code, stdout } = await world.run(['workflows', 'validate']);
    expect([code, stdout]).toEqual([2, expect.stringContaining('config.yaml:3:13')]);
    expect(stdout).toContain('step implement is required');
  });

  test('a base that the config names is refused at its line', async () => {
    using world = new World();
    config(world, 'workflow:\n  template: _base\n');
    const { code, stderr } = await world.run(['workflows', 'graph']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/config\.yaml:2:13: workflow\.template: _base is only a base/),
    ]);
  });

  test('an unknown action or workflow is named, with the nearest one', async () => {
    using world = new World();
    expect(await world.run(['workflows', 'grap'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean graph?'),
    });
    expect(await world.run(['workflows', 'show', 'standrd'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean standard?'),
    });
  });
});
