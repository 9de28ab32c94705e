/** No sandbox, no run: an engine that is not there, does not answer or would drop a limit is said with its fix. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SandboxError } from '../../src/engine/ports/sandbox.ts';
import { ContainerBox, type PodmanAt } from './container-box.ts';

const dir = { path: '' };
beforeAll(() => {
  dir.path = mkdtempSync(join(tmpdir(), 'supervisor-engines-'));
});
afterAll(() => rmSync(dir.path, { recursive: true }));

/** Small real programs in place of engines: each answers what is asked of it, and the shell program for the rest. */
function engines(answers: { readonly podman?: string; readonly docker?: string }): PodmanAt {
  const bin = mkdtempSync(join(dir.path, 'bin-'));
  for (const [name, text] of Object.entries(answers))
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return { dir: bin, path: `${bin}:/usr/bin-of-nobody`, image: 'supervisor-worker:1' };
}

const says = (info: unknown, rest = 'exit 1') =>
  `case $1 in info) cat <<'END'
${JSON.stringify(info)}
END
;; *) ${rest} ;; esac`.replaceAll('cat <<', '/bin/cat <<');

const podman = (host: Record<string, unknown>, rootless = false) => ({
  host: { kernel: release(), security: { rootless, seccompEnabled: true }, ...host },
  version: { Version: '5.0.0' },
});
const docker = (more: Record<string, unknown>) => ({
  ...{ ServerVersion: '28.0.0', KernelVersion: release(), CgroupVersion: '2', SecurityOptions: ['name=seccomp'] },
  ...{ MemoryLimit: true, PidsLimit: true, CpuCfsQuota: true, ...more },
});
const ALL = ['cpu', 'memory', 'pids'];
const ROOT = process.getuid?.() === 0;

test.each([
  ['no engine at all', 'container', {}, /podman is not installed; docker is not installed/, /apt-get install podman/],
  ['one that fails', 'podman', { podman: 'echo "Error: no store" >&2; exit 125' }, /no store/, /podman info/],
  [
    'Podman of a user other than root, without a map of user ids',
    'podman',
    { podman: `echo 'Error: exec: "newuidmap": executable file not found in $PATH' >&2; exit 125` },
    /newuidmap/,
    /apt-get install uidmap/,
  ],
  [
    'one without its daemon',
    'docker',
    { docker: says({ ServerVersion: '' }) },
    /does not answer/,
    /systemctl start docker/,
  ],
  [
    'control groups that the kernel does not have',
    'docker',
    { docker: says(docker({ MemoryLimit: false })) },
    /docker would silently ignore the limits of memory/,
    /cgroup_enable=memory/,
  ],
  [
    'one on another kernel',
    'docker',
    { docker: says(docker({ KernelVersion: '6.6.0-linuxkit' })) },
    /another kernel \(6\.6\.0-linuxkit\)/,
    /Docker Desktop/,
  ],
  [
    'an image that is not there',
    'podman',
    { podman: says(podman({ cgroupVersion: 'v2', cgroupControllers: ALL }), 'echo "no such image" >&2; exit 1') },
    /podman has no image supervisor-worker:1: no such image/,
    /podman build --tag supervisor-worker:1/,
  ],
  [
    'an image with volumes',
    'docker',
    { docker: says(docker({}), `echo '{"/data":{}}'`) },
    /declares volumes/,
    /without VOLUME/,
  ],
  [
    'a runtime that refuses',
    'podman',
    {
      podman: says(
        podman({ cgroupVersion: 'v1', cgroupControllers: ALL }),
        'case $1 in image|rm) exit 0 ;; esac; echo "Error: crun: cgroups in hybrid mode not supported" >&2; exit 126',
      ),
    },
    /hybrid mode/,
    /install runc/,
  ],
] as const)('%s', async (_, engine, answers, problem, fix) => {
  using box = new ContainerBox(engines(answers), { engine });
  const report = await box.sandbox.probe();
  expect(report).toMatchObject({ ready: false, problem: expect.stringMatching(problem) });
  expect(report.fix).toMatch(fix);
  expect(report.limits.some(({ enforced }) => enforced)).toBe(false);
});

test('limits that would be silently ignored', async () => {
  const rootless = podman({ cgroupVersion: 'v1', cgroupControllers: [] }, true);
  using box = new ContainerBox(engines({ podman: says(rootless) }), { engine: 'podman' });
  const { ready, problem } = await box.sandbox.probe();
  expect(ready).toBe(false);
  // As root it is refused even before: it belongs to another user.
  expect(problem).toMatch(ROOT ? /belongs to another user/ : /ignore the limits of memory, processes, cpus/);
  await expect(box.play(['touch', 'ran'])).rejects.toThrow(SandboxError);
  expect(existsSync(join(box.tree, 'ran'))).toBe(false);
});

test('the second engine, where the first cannot be used', async () => {
  const answers = { podman: 'exit 1', docker: says(docker({}), 'echo gone >&2; exit 1') };
  using box = new ContainerBox(engines(answers), { engine: 'container' });
  expect(await box.sandbox.probe()).toMatchObject({
    ready: false,
    backend: 'docker',
    problem: expect.stringMatching(/has no image/),
  });
});

test('a policy that no engine can express', async () => {
  using box = new ContainerBox(engines({}), { engine: 'podman' });
  const odd = join(box.dir, 'a,b');
  mkdirSync(odd);
  const mounts = [
    { readable: [{ from: odd, to: '/srv/a' }] },
    { readable: [{ from: box.tree, to: '/run/supervisor/start' }] },
    { temporary: ['/workspace/a:b'] },
    { env: { HOME: '/tmp/a,b' } },
  ];
  for (const policy of mounts)
    await expect(box.play(['true'], { policy })).rejects.toThrow(/cannot (?:show|make)|belongs to the sandbox itself/);
});
