/** A task that changes the lock file: it waits for a person, and its gates run with what was allowed, also at landing. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ENV } from '../real/task.ts';
import { World } from '../support/cli.ts';

const lock = (...names: readonly string[]): string =>
  JSON.stringify({
    lockfileVersion: 3,
    packages: Object.fromEntries(
      names.map((name) => [
        `node_modules/${name}`,
        { version: '1.0.0', resolved: `https://registry.example/${name}.tgz`, integrity: `sha512-${name}==` },
      ]),
    ),
  });
const GATE = ['--gate', 'tests=grep -q zod deps/installed'];

/** Installs by copying the lock file; what it did is seen in the output of the gate alone. */
function worldWith(attempts: readonly object[]): World {
  const world = new World();
  world.commit({ 'package-lock.json': lock('ms'), 'b.txt': 'b\n' });
  mkdirSync(join(world.home, '.supervisor'), { recursive: true });
  const prepare = 'mkdir -p deps && cp package-lock.json deps/installed';
  writeFileSync(
    join(world.home, '.supervisor', 'config.yaml'),
    `environment: {prepare: ${JSON.stringify(prepare)}, key: [package-lock.json], outputs: [deps]}\n`,
  );
  world.file('script.yaml', JSON.stringify({ steps: { implement: attempts } }));
  return world;
}

type Report = {
  readonly task_id: string;
  readonly status: string;
  readonly waiting: readonly { readonly asks: string; readonly reason: string; readonly approve: string }[];
};

async function run(world: World): Promise<Report> {
  const script = join(world.dir, 'script.yaml');
  const { code, stdout, stderr } = await world.run(['run', 'do it', '--script', script, ...GATE, '--json'], ENV);
  expect(code, stdout + stderr).toBe(3);
  return JSON.parse(stdout) as Report;
}

const gatesRun = async (world: World): Promise<number> =>
  (await world.events()).filter(({ type }) => type.startsWith('gate.reported')).length;

test('asks with exit 3 what is new, runs the gates after a yes, and lands with the same environment on a branch that moved', async () => {
  using world = worldWith([{ files: { 'package-lock.json': lock('ms', 'zod') } }]);
  const { task_id: task, waiting } = await run(world);
  expect(waiting).toMatchObject([
    { asks: 'environment', reason: expect.stringContaining('new: `zod` 1.0.0 from registry.example') },
  ]);
  expect(await gatesRun(world)).toBe(0);
  const approved = await world.run((waiting[0]?.approve ?? '').split(' ').slice(1), ENV);
  expect(approved.code, approved.stdout + approved.stderr).toBe(0);
  expect(await gatesRun(world)).toBe(1);
  world.commit({ 'b.txt': 'of somebody else\n' });
  const landed = await world.run(['land', task, '--yes'], ENV);
  expect(landed.code, landed.stdout + landed.stderr).toBe(0);
  expect(world.git('show', 'main:package-lock.json')).toContain('zod');
});

test('goes back after a no; another lock file is another question', async () => {
  const [zod, both] = [lock('ms', 'zod'), lock('ms', 'zod', 'left-pad')];
  using world = worldWith([{ files: { 'package-lock.json': zod } }, { files: { 'package-lock.json': both } }]);
  const { task_id: task } = await run(world);
  const rejected = await world.run(['reject', task, '--reason', 'take left-pad, too'], ENV);
  expect([rejected.code, rejected.stdout]).toEqual([3, expect.stringContaining('left-pad')]);
  expect(await gatesRun(world)).toBe(0);
  const approved = await world.run(['approve', task], ENV);
  expect(approved.code, approved.stdout + approved.stderr).toBe(0);
});
