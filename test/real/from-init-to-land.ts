/** The way a person goes with a project: `init`, `run` (wrong first, then right), `show --evidence`, `land`. */
import { join } from 'node:path';
import { expect } from 'vitest';
import type { World } from '../support/cli.ts';
import { leftOver } from '../support/left-over.ts';
import { settled } from '../support/traces.ts';
import { accepted, digest, ENV, type Plays } from './task.ts';

type Env = Readonly<Record<string, string>>;

/** From `init` to a branch that was moved; the gate is what `init` found, and what it printed is in the evidence. */
export async function fromInitToLand(
  world: World,
  plays: Plays,
  expected: { readonly command: RegExp; readonly failure: RegExp; readonly success: RegExp },
  env: Env = {},
): Promise<{ readonly task_id: string; readonly commit: string }> {
  const init = await world.json<{ gates: readonly { name: string }[]; trusted: boolean }>(['init', '--yes'], env);
  expect(init.trusted).toBe(true);
  expect(init.gates.find(({ name }) => name === 'tests')).toMatchObject({
    command: expect.stringMatching(expected.command),
  });
  const tree = digest(join(world.repository, '.supervisor'));
  // The test that the task is about is red at the base.
  const task = await accepted(world, plays, ['--fix-base'], env);
  expect(task.steps).toMatchObject([{ id: 'implement', attempts: 2 }]);
  const tests = task.steps[0]?.evidence.filter(({ gate }) => gate === 'tests') ?? [];
  expect(tests.map(({ status }) => status)).toEqual(['fail', 'pass']);
  expect(task).toMatchObject({ verified: true, onto: 'main', verdict: { decision: 'APPROVE' }, landed: null });
  expect(world.git('rev-parse', 'main')).toBe(task.base);
  expect(world.git('status', '--porcelain')).toBe('?? .supervisor/');
  expect(digest(join(world.repository, '.supervisor'))).toBe(tree);

  const { stdout } = await world.run(['show', task.task_id, '--evidence']);
  const [, failed = '', passed = ''] = stdout.split(/^── implement: gate tests: (?:fail|pass)$/m);
  expect(failed).toMatch(expected.failure);
  expect(passed).toMatch(expected.success);

  world.git('branch', 'release', task.base);
  expect(await world.json(['land', task.task_id, '--onto', 'release'], { ...ENV, ...env })).toMatchObject({
    commit: task.commit,
  });
  expect(world.git('rev-parse', 'release')).toBe(task.commit);
  expect(await world.health()).toEqual({ findings: [], leased: false });
  expect(await settled(() => leftOver(world))).toEqual([]);
  return task;
}
