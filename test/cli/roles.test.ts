/** `supervisor roles`: kind to newcomers, complete for programs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { World } from '../support/cli.ts';

function role(world: World, name: string, text: string): string {
  const file = join(world.repository, '.supervisor/roles', `${name}.yaml`);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  return file;
}

type Row = { name: string; layer: string; pack: string | null; problem: string | null; of_use: boolean };

describe('supervisor roles', () => {
  test('lists what there is, nearest first, and says what to do with it', async () => {
    using world = new World();
    role(world, 'billing', 'extends: implementer\ndescription: Knows our billing code\n');
    const { code, stdout } = await world.run(['roles']);
    expect(code).toBe(0);
    expect(stdout.indexOf('billing')).toBeLessThan(stdout.indexOf('planner'));
    expect(stdout).toMatch(/Of this project\n {2}billing +Knows our billing code\nBuilt in\n/);
    expect(stdout).toContain('supervisor run "TEXT" --role NAME');
    const { roles } = await world.json<{ roles: Row[] }>(['roles', 'list']);
    expect(roles.find((one) => one.name === 'ui_designer')).toMatchObject({
      layer: 'built-in',
      pack: 'web',
      problem: null,
    });
    expect(roles.map((one) => one.name)).toEqual(roles.map((one) => one.name).sort());
  });

  test('shows one, with the words that its worker receives', async () => {
    using world = new World();
    const { stdout } = await world.run(['roles', 'show', 'tech_lead']);
    expect(stdout).toContain('made of        tech_lead (built-in) > planner (built-in)');
    expect(stdout).toContain('Its instructions');
    const shown = await world.json(['roles', 'show', 'tech_lead']);
    expect(shown).toMatchObject({
      name: 'tech_lead',
      base_role: 'planner',
      context: { token_budget: 30_000 },
      continue: 3,
    });
  });

  test('explains where each value comes from', async () => {
    using world = new World();
    role(world, 'billing', 'extends: implementer\ncontext: {token_budget: 9000}\n');
    const { stdout } = await world.run(['roles', 'explain', 'billing']);
    expect(stdout).toMatch(/context\.token_budget +billing:2 +9000/);
    expect(stdout).toMatch(/kind +implementer:\d+ +change/);
    const { values } = await world.json<{ values: { path: string; from: { layer: string } | null }[] }>([
      'roles',
      'explain',
      'billing',
    ]);
    expect(values.find(({ path }) => path === 'context.token_budget')?.from?.layer).toBe('project');
  });

  test('validates all of them, or one file wherever it lies: exit 2 with the place', async () => {
    using world = new World();
    expect(await world.run(['roles', 'validate'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('roles are valid'),
    });
    const draft = world.file('draft.yaml', 'extends: implementr\n');
    const bad = await world.run(['roles', 'validate', draft]);
    expect(bad.code).toBe(2);
    expect(bad.stdout).toContain('draft.yaml:1:10: extends: there is no role "implementr", did you mean implementer?');
    expect(await world.json(['roles', 'validate', draft])).toMatchObject({ valid: false, roles: [{ name: 'draft' }] });
    const good = world.file('reviewer.yaml', 'extends: reviewer\ntier: fast\n');
    expect((await world.run(['roles', 'validate', good])).code).toBe(0);
    role(world, 'billing', 'extends: billing\n');
    const all = await world.run(['roles', 'validate']);
    expect([all.code, all.stdout.includes('a role cannot extend itself: billing > billing')]).toEqual([2, true]);
    // A list is for looking around: what is wrong is said in its place.
    expect(await world.run(['roles'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/billing +✗ .*extend itself/),
    });
  });

  test('suggests the nearest name after a typo, and works outside of a repository', async () => {
    using world = new World();
    for (const [args, message] of [
      [['roles', 'shwo'], 'did you mean show?'],
      [['roles', 'show'], 'which role?'],
      [['roles', 'list', 'x'], 'supervisor roles show x'],
      [['roles', 'show', 'reviwer'], 'did you mean reviewer?'],
    ] as const) {
      const { code, stderr } = await world.run(args);
      expect([code, stderr.includes(message)], args.join(' ')).toEqual([2, true]);
    }
    expect((await world.run(['roles', 'show', 'planner', '--project', world.home])).code).toBe(0);
  });
});
