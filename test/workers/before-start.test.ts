/** A failure before a built-in CLI starts is reported with its real cause. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { WorkerReport } from '../../src/engine/ports/hands.ts';
import type { WorkerOptions } from '../../src/hands/workers/options.ts';
import { workerHand } from '../../src/hands/workers/worker.ts';
import type { WorkerRun } from '../../src/mind/domain/worker-run.ts';
import { BuiltIn } from './built-in.ts';
import { Room } from './room.ts';

const room = new Room();
const builtIn = new BuiltIn(room);
afterAll(() => builtIn.end());

const options = (script: string, more: Partial<WorkerOptions> = {}) => builtIn.options(script, more);

const attempt = (of: WorkerOptions, work: Partial<WorkerRun> = {}, deadline?: number): Promise<WorkerReport> =>
  workerHand(of).run(
    room.effect(),
    room.workOf({ work, ...(deadline === undefined ? {} : { attempt: { deadline } }) }),
    room.context(),
  );

test('a deadline does not move while the tree is waited for', async () => {
  const of = options('exec sleep 600');
  const began = Date.now();
  let now = began;
  // By this clock it takes three seconds.
  const workspaces: typeof of.workspaces = {
    changes: (candidate) => of.workspaces.changes(candidate),
    read: (tree, paths) => of.workspaces.read(tree, paths),
    paths: (tree) => of.workspaces.paths(tree),
    make: async (...args) => {
      const made = await of.workspaces.make(...args);
      now += 3000;
      return made;
    },
  };
  const left: number[] = [];
  const sandbox: typeof of.sandbox = {
    run: (request) => {
      left.push(request.policy.limits.wallMs);
      return of.sandbox.run(request);
    },
  };
  const report = await attempt({ ...of, workspaces, sandbox, clock: { now: () => now } }, {}, began + 4000);
  expect(report).toMatchObject({ class: 'timeout' });
  expect(left).toEqual([1000]);
});

test('a link where something prepared is to be mounted is refused, whatever the attempt begins with', async () => {
  const { world } = room;
  for (let n = 0; n < 500; n += 1) writeFileSync(join(world.repo, `filler-${n}`), `${n}`);
  symlinkSync('src', join(world.repo, 'zlink'));
  world.git('add', '-A');
  world.git('commit', '-q', '-m', 'a link');
  const output = join(world.root, 'output');
  mkdirSync(output);
  const readable = [{ from: output, to: '/workspace/zlink/node_modules' }];
  const ready = { key: 'k', readable, env: {}, path: [] };
  const environments = { ready: async () => ({ type: 'ready', environment: ready }) } as never;
  const base = world.git('rev-parse', 'HEAD');
  for (const input of [null, { base, tree: world.git('rev-parse', 'HEAD^{tree}'), change_id: 'c' }]) {
    const report = await attempt(options('echo ran', { environments }), { base, input });
    expect(report).toMatchObject({ class: 'blocked', reason: expect.stringContaining('is a link where') });
  }
});

test('why there is no tree is said', async () => {
  const { world } = room;
  const sub = `160000,${world.git('rev-parse', 'HEAD')},sub`;
  world.git('update-index', '--add', '--cacheinfo', sub);
  world.git('commit', '-q', '-m', 'a submodule');
  const base = world.git('rev-parse', 'HEAD');
  for (const turns of [0, 2])
    expect(await attempt(options('echo ran'), { base, turns })).toMatchObject({
      class: 'blocked',
      reason: expect.stringContaining('is a submodule'),
    });
});
