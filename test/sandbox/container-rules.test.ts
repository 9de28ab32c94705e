/** The arguments for Docker and Podman for one policy, word by word, and how their output is read. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  type Contained,
  containerArgv,
  defaultImage,
  listArgv,
  removalArgv,
} from '../../src/mind/sandbox/container-argv.ts';
import { type EngineFacts, kindsOf, readEngine, refusalOf } from '../../src/mind/sandbox/container-engine.ts';
import { startWords } from '../../src/mind/sandbox/container-words.ts';

const DOCKER: EngineFacts = {
  ...{ kind: 'docker', version: '28.2.2', rootless: false, cgroups: 2, seccomp: true, kernel: '6.1.0', ignored: [] },
};
const PODMAN: EngineFacts = { ...DOCKER, kind: 'podman', version: '4.3.1' };
const RUN: Contained = {
  name: 'supervisor-sandbox-7-ab',
  owner: '7/123/boot/host',
  image: 'supervisor-worker:1',
  copy: 'COPY',
  first: 'FIRST',
  user: { uid: 61_001, gid: 61_001 },
  mounts: [
    { from: '/outputs', to: '/workspace/node_modules', writable: false },
    { from: '/trees/1', to: '/workspace', writable: true },
    { from: '/proxies/1.sock', to: '/run/supervisor/egress.sock', writable: false },
  ],
  temporary: ['/workspace/node_modules/.cache'],
  env: { HOME: '/home/worker', TOKEN: 'secret' },
  limits: { memoryBytes: 1000, processes: 10, cpus: 1.5, diskBytes: 500 },
  network: false,
  start: '/run-dir/containers/supervisor-sandbox-7-ab',
  files: [{ from: '/shown/1', to: '/etc/passwd' }],
  most: { files: 1024, processes: 4096 },
};

const golden = (of: { readonly userns: string; readonly only: readonly string[]; readonly tmpfs: string }) => [
  ...['run', '--rm', '--name', 'supervisor-sandbox-7-ab', '--label', 'supervisor.owner=7/123/boot/host'],
  ...['--pull', 'never', '--log-driver', 'none', '--sig-proxy=false', '--no-healthcheck', '--stop-timeout', '0'],
  ...['--network', 'none', '--ipc', 'private', '--hostname', 'sandbox'],
  ...['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--security-opt', 'label=disable'],
  ...['--userns', of.userns, '--user', '61001:61001', '--memory', '1000', '--memory-swap', '1000'],
  ...['--pids-limit', '12', '--cpus', '1.5', '--ulimit', 'core=0:0', '--ulimit', 'nofile=1024:1024'],
  ...[...of.only, '--shm-size', '500'],
  ...['/tmp', '/home/worker', '/workspace/node_modules/.cache'].flatMap((path) => [
    ...['--tmpfs', `${path}:rw,exec,nosuid,nodev,size=500,mode=1777,${of.tmpfs}`],
  ]),
  ...['--tmpfs', `/run/supervisor/first:rw,exec,nosuid,nodev,size=4194304,mode=1777,${of.tmpfs}`],
  ...['--mount', 'type=bind,source=/trees/1,target=/workspace'],
  ...['--mount', 'type=bind,source=/shown/1,target=/etc/passwd,readonly'],
  ...['--mount', 'type=bind,source=/outputs,target=/workspace/node_modules,readonly'],
  ...['--mount', `type=bind,source=${RUN.start},target=/run/supervisor/start,readonly`],
  ...['--mount', 'type=bind,source=/proxies/1.sock,target=/run/supervisor/egress.sock,readonly'],
  ...['--env', 'LD_PRELOAD=', '--env', 'LD_LIBRARY_PATH=', '--env', 'LD_AUDIT='],
  ...['--workdir', '/', '--entrypoint', '/usr/bin/env', 'supervisor-worker:1'],
  ...['-i', 'PATH=/usr/bin:/bin', '/bin/sh', '-c', 'COPY', 'sh', 'FIRST', 'supervisor-sandbox-7-ab'],
];
const PODMAN_ONLY = [
  ...['--read-only-tmpfs=false', '--image-volume', 'ignore', '--http-proxy=false', '--passwd=false'],
  ...['--ulimit', 'nproc=4096:4096'],
];

test.each([
  ['docker', DOCKER, { userns: 'host', only: [], tmpfs: 'uid=61001,gid=61001' }],
  ['podman', PODMAN, { userns: 'host', only: PODMAN_ONLY, tmpfs: 'U,notmpcopyup' }],
  [
    'podman without root',
    { ...PODMAN, rootless: true },
    { userns: 'keep-id', only: PODMAN_ONLY, tmpfs: 'U,notmpcopyup' },
  ],
] as const)('the whole command for %s; no value of the environment is in it', (_, engine, words) => {
  const argv = containerArgv(engine, RUN);
  expect(argv).toEqual(golden(words));
  expect(argv.join(' ')).not.toContain('secret');
});

test('the network of the host is one word', () => {
  const [none, host] = [RUN, { ...RUN, network: true }].map((run) => containerArgv(DOCKER, run));
  expect(host?.filter((word, index) => word !== none?.[index])).toEqual(['host']);
});

test('a container is removed and found in the words of each', () => {
  expect(removalArgv(DOCKER, ['a', 'b'])).toEqual(['rm', '--force', 'a', 'b']);
  expect(removalArgv(PODMAN, ['a'])).toEqual(['rm', '--force', '--ignore', '--time', '0', 'a']);
  expect(listArgv(DOCKER).at(-1)).toBe('{{.Names}} {{.Label "supervisor.owner"}}');
  expect(listArgv(PODMAN).at(-1)).toBe('{{.Names}} {{index .Labels "supervisor.owner"}}');
  expect(kindsOf('container')).toEqual(['podman', 'docker']);
});

const podman = (cgroupVersion: string, cgroupControllers: readonly string[], rootless: boolean) => ({
  host: { cgroupVersion, cgroupControllers, kernel: '6.1.0', security: { rootless, seccompEnabled: true } },
  version: { Version: '4.3.1' },
});
const docker = (more: object) => ({
  ...{ ServerVersion: '28.2.2', CgroupVersion: '2', KernelVersion: '6.1.0', MemoryLimit: true, PidsLimit: true },
  ...{ CpuCfsQuota: true, SecurityOptions: ['name=seccomp,profile=builtin', 'name=cgroupns'], ...more },
});
const ALL = ['cpuset', 'cpu', 'memory', 'pids'];

test.each([
  ['docker', docker({}), DOCKER],
  [
    'docker without root',
    docker({ SecurityOptions: ['name=rootless'] }),
    { ...DOCKER, rootless: true, seccomp: false },
  ],
  ['docker without control groups', docker({ PidsLimit: false }), { ...DOCKER, ignored: ['processes'] }],
  ['podman', podman('v1', ALL, false), { ...PODMAN, cgroups: 1 }],
  ['podman without root', podman('v2', ALL, true), { ...PODMAN, rootless: true }],
  [
    'podman with what little systemd gives to a user',
    podman('v2', ['memory', 'pids'], true),
    { ...PODMAN, rootless: true, ignored: ['cpus'] },
  ],
  [
    'podman without root on version 1',
    podman('v1', ALL, true),
    { ...PODMAN, rootless: true, cgroups: 1, ignored: ['memory', 'processes', 'cpus'] },
  ],
  ['docker without its daemon', { ServerVersion: '' }, null],
  ['no object', 'text', null],
] as const)('what %s says of itself', (_, said, facts) => {
  expect(readEngine(JSON.stringify(said))).toEqual(facts);
});

test('an engine that would silently drop a limit is refused with a fix', () => {
  const ours = { kernel: '6.1.0', root: false };
  expect(refusalOf({ ...PODMAN, rootless: true }, ours)).toBeNull();
  expect(refusalOf({ ...PODMAN, rootless: true, cgroups: 1, ignored: ['memory'] }, ours)).toEqual({
    problem: expect.stringMatching(/podman would silently ignore the limits of memory.*version 1/),
    fix: expect.stringMatching(/systemd\.unified_cgroup_hierarchy=1.*sandbox\.backend: bubblewrap/),
  });
  expect(refusalOf({ ...PODMAN, rootless: true, ignored: ['cpus'] }, ours)?.fix).toMatch(/Delegate=cpu memory pids/);
  expect(refusalOf({ ...DOCKER, rootless: true }, { ...ours, root: true })?.problem).toMatch(/another user/);
  expect(refusalOf(DOCKER, { ...ours, kernel: '6.2.0' })?.problem).toMatch(/another kernel/);
  expect(readEngine('no json')).toBeNull();
});

test('every argument comes through a line unchanged', () => {
  const words = ['', ' a  b ', '\'"$x`', '\\', '\\n', '\\\\0101', 'a\nb\n', '\n', 'é€\u0081\u0088\t\r', '%s %b', '-n'];
  const text = startWords({ cwd: '/a\\b', home: '/home', temporary: ['/tmp'], env: { A: 'x\ny' }, argv: words });
  const lines = text.split('\n').slice(0, -1);
  expect(lines.slice(0, 7)).toEqual(['1', '/tmp', '/a\\\\b', '/home', '1', `${words.length + 1}`, 'A=x\\ny']);
  expect(lines).toHaveLength(7 + words.length);
  // Undone as the first process does it.
  const undo = String.raw`while IFS= read -r line; do case $line in *\\*) line=$(printf '%b.' "$line"); line=${'$'}{line%.} ;; esac; printf '%s\0' "$line"; done`;
  const said = execFileSync('sh', ['-c', undo], { input: `${lines.slice(7).join('\n')}\n`, encoding: 'utf8' });
  expect(said.split('\0').slice(0, -1)).toEqual(words);
});

test('the recipe of the image has what the first process needs, and nothing that writes or runs beside it', () => {
  const recipe = readFileSync(new URL('../../containers/Containerfile', import.meta.url), 'utf8');
  const steps = recipe.split('\n').flatMap((line) => /^[A-Z]+(?= )/.exec(line)?.[0] ?? []);
  expect(steps).toEqual(['ARG', 'FROM', 'ARG', 'RUN', 'CMD']);
  // A name alone: whose registry it comes from is up to whoever builds it.
  expect(recipe).toMatch(/^ARG BASE=[a-z]+:[a-z-]+$/m);
  expect(defaultImage('0.1.0')).toBe('supervisor-worker:0.1.0');
});
