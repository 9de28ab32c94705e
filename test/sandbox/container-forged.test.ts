/** The first process of a container is out of reach of what it runs, as that of every sandbox (`forged.test.ts`). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test as vitestTest } from 'vitest';
import { REACHED_FIX } from '../../src/mind/sandbox/first-process.ts';
import { untested } from '../support/untested.ts';
import { ContainerBox, makePodman, podmanProblem } from './container-box.ts';
import { ATTACKS, forge, lookedAt, WITHOUT, withoutCopy } from './forging.ts';

const skipped = untested('sandboxes by containers', await podmanProblem());
const test = vitestTest.skipIf(skipped);
let podman: ReturnType<typeof makePodman>;
beforeAll(() => {
  if (skipped) return;
  podman = makePodman();
  mkdirSync(join(podman.dir, 'open'));
  mkdirSync(join(podman.dir, 'checked'));
  withoutCopy(join(podman.dir, 'open/podman'), join(podman.dir, 'bin/podman'));
  withoutCopy(join(podman.dir, 'checked/podman'), join(podman.dir, 'bin/podman'), true);
});
afterAll(() => podman?.[Symbol.dispose]());

/** The same engine, told something else than Supervisor said. */
const openly = (name: 'open' | 'checked' | 'kept') => ({ ...podman, path: `${join(podman.dir, name)}:${podman.path}` });

test.each(Object.entries(ATTACKS))(
  'a program that ends with 1 and attacks by %s does not end with 0',
  async (attack, wanted) => {
    using box = new ContainerBox(podman);
    const { end, said } = await forge(box.sandbox, box.policy, attack);
    expect(said).toMatch(wanted.said);
    expect(end).toMatch(wanted.end);
  },
);

test.each(['memory', 'vm', 'ptrace', 'shell', 'race'])(
  'without the copy of the shell an attack by %s makes it end with 0',
  // A race is not won every time.
  { retry: 5 },
  async (attack) => {
    using box = new ContainerBox(openly('open'));
    const { end, said } = await forge(box.sandbox, box.policy, attack);
    expect(said).toMatch(WITHOUT.said);
    expect(end).toBe(`exit ${WITHOUT.code}`);
  },
);

test('the process beside the first one, which holds the life line, is closed as well', async () => {
  using box = new ContainerBox(podman);
  const { said } = await forge(box.sandbox, box.policy, 'pipes');
  expect(said.match(/^pipes: .*: Permission denied$/gm)).toHaveLength(3);
});

test('without the copy of the shell a program can report too; two reports are none', async () => {
  using box = new ContainerBox(openly('open'));
  const { end, said } = await forge(box.sandbox, box.policy, 'pipes');
  expect(said).toContain('pipes: wrote');
  expect(end).toMatch(/^error: the end of the program is not known: .* and (?:gave no proper report|reported code 0)$/);
});

test('a first process that can be reached starts nothing', async () => {
  using box = new ContainerBox(openly('checked'));
  await expect(box.sandbox.probe()).resolves.toMatchObject({
    ready: false,
    problem: expect.stringContaining('programs inside can reach the first process'),
    fix: REACHED_FIX,
  });
});

test('/proc/1 takes no writes and tells no path of the host, but for the table of mounts', async () => {
  using box = new ContainerBox(podman);
  using open = new ContainerBox(openly('open'));
  const look = async ({ sandbox, policy, dir }: ContainerBox) =>
    lookedAt((await forge(sandbox, policy, 'look')).said, dir);
  const closed = await look(box);
  expect(closed.took).toEqual([]);
  expect(closed.told.filter((name) => !/^mount(?:info|s|stats)$/.test(name))).toEqual([]);
  expect((await look(open)).took).toEqual(expect.arrayContaining(['oom_score_adj', 'coredump_filter']));
});

test('a library of the workspace is not loaded into the first program, even where the image says where to look', async () => {
  const image = 'supervisor-test:libraries';
  podman.run('import', '--quiet', '--change', 'ENV LD_LIBRARY_PATH=/workspace', join(podman.dir, 'image.tar'), image);
  using box = new ContainerBox(podman, { image });
  writeFileSync(join(box.tree, 'libc.so.6'), 'no library');
  expect((await box.play(['sh', '-c', 'exit 7'])).end).toEqual({ how: 'exit', code: 7 });
  // As the image has it, not even the first program starts.
  mkdirSync(join(podman.dir, 'kept'));
  const text = `#!/bin/sh\nfor word; do shift; set -- "$@" "\${word#LD_LIBRARY}"; done\nexec ${podman.dir}/bin/podman "$@"\n`;
  writeFileSync(join(podman.dir, 'kept/podman'), text, { mode: 0o755 });
  using control = new ContainerBox(openly('kept'), { image });
  writeFileSync(join(control.tree, 'libc.so.6'), 'no library');
  await expect(control.play(['true'])).rejects.toThrow(/libc\.so\.6/);
});

test('every code of a program comes through, those of the engine too', async () => {
  using box = new ContainerBox(podman);
  for (const code of [0, 125, 126, 137, 255])
    expect((await box.play(['sh', '-c', `exit ${code}`])).end).toEqual({ how: 'exit', code });
});
