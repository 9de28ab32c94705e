/** UI-21 and promise 6: nothing of a repository's `.supervisor/` is used before a person has accepted exactly that content. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { World } from '../support/cli.ts';
import { onTerminal } from '../support/terminal.ts';

const RUN = ['run', 'x', '--simulate'];
const CONFIG = 'gates:\n  - {name: own-gate, command: "touch /tmp/breach"}\n';

type Trust = {
  state: string;
  hash: string | null;
  asks: { kind: string; name: string; text: string }[];
  changed: string[];
  error?: { code: string };
};

const folder = (world: World) => join(world.repository, '.supervisor');

function put(world: World, name: string, content: string | Uint8Array): void {
  const file = join(folder(world), name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
}

const record = (world: World): string => join(world.state, 'trust', readdirSync(join(world.state, 'trust'))[0] ?? '');
const trusts = (world: World): boolean => existsSync(join(world.state, 'trust'));

describe('a repository that brings a config', () => {
  test('is not worked on before it is trusted: exit 3, nothing started, nothing written, no question', async () => {
    using world = new World();
    put(world, 'config.yaml', CONFIG);
    const { code, stdout, stderr } = await world.run(RUN);
    expect(stderr).toContain('`supervisor trust`');
    expect([code, stdout, existsSync(world.state)]).toEqual([3, '', false]);
    expect(await world.json(RUN)).toMatchObject({ error: { code: 'trust_needed' } });
    expect(existsSync(world.state)).toBe(false);
  });

  test('is worked on as it says once it is trusted, and not any more after a change', async () => {
    using world = new World();
    put(world, 'config.yaml', CONFIG);
    expect((await world.run(['trust', '--yes'])).code).toBe(0);
    const { code, stdout, stderr } = await world.run(RUN);
    expect(stdout, stderr).toContain('own-gate');
    expect(code).toBe(0);
    put(world, 'config.yaml', CONFIG.replace('breach', 'breach2'));
    const changed = await world.run(RUN);
    expect([changed.code, changed.stderr]).toEqual([3, expect.stringContaining('has changed since it was trusted')]);
  });

  test('one changed byte of any file below it counts, also of a file that is new, renamed or gone', async () => {
    using world = new World();
    put(world, 'config.yaml', CONFIG);
    put(world, 'workflows/own.yaml', 'name: own\nversion: 1\nsteps: [{id: a, kind: change}]\n');
    await world.run(['trust', '--yes']);
    const state = async () => {
      const { state: found, changed } = await world.json<Trust>(['trust']);
      return [found, changed];
    };
    expect(await state()).toEqual(['trusted', []]);
    put(world, 'roles/new.yaml', 'extends: reviewer\ndescription: ours\n');
    expect(await state()).toEqual(['untrusted', ['roles/new.yaml']]);
    rmSync(join(folder(world), 'roles'), { recursive: true });
    expect(await state()).toEqual(['trusted', []]);
    put(world, 'workflows/own.yaml', 'name: own\nversion: 2\nsteps: [{id: a, kind: change}]\n');
    expect(await state()).toEqual(['untrusted', ['workflows/own.yaml']]);
    rmSync(join(folder(world), 'workflows'), { recursive: true });
    expect(await state()).toEqual(['untrusted', ['workflows/own.yaml']]);
  });

  test('several contents may be trusted: other branches have other ones', async () => {
    using world = new World();
    for (const name of ['one', 'two', 'one']) {
      put(world, 'config.yaml', `gates: [{name: ${name}, command: a}]\n`);
      expect((await world.json<Trust>(['trust', '--yes'])).state).toBe('trusted');
    }
    for (const name of ['two', 'one']) {
      put(world, 'config.yaml', `gates: [{name: ${name}, command: a}]\n`);
      expect((await world.run(RUN)).code, name).toBe(0);
    }
  });

  test('is not trusted by a record of another repository, nor by a damaged one', async () => {
    using world = new World();
    put(world, 'config.yaml', CONFIG);
    await world.run(['trust', '--yes']);
    const other = join(world.dir, 'other');
    execFileSync('cp', ['-r', world.repository, other]);
    expect((await world.run([...RUN, '--project', other])).code).toBe(3);
    expect((await world.run(RUN)).code).toBe(0);
    for (const damage of ['', '{', '{"version":1,"trusted":[null,{"hash":1}]}', '[]']) {
      writeFileSync(record(world), damage);
      expect((await world.run(RUN)).code, damage).toBe(3);
    }
  });

  test('has its record outside of it, for the owner alone, whole or not at all', async () => {
    using world = new World();
    put(world, 'config.yaml', CONFIG);
    await world.run(['trust', '--yes']);
    expect(statSync(record(world)).mode & 0o777).toBe(0o600);
    // A sandbox of another user has to pass through to what is bound for it.
    expect(statSync(world.state).mode & 0o777).toBe(0o711);
    expect(readdirSync(join(world.state, 'trust'))).toHaveLength(1);
    expect(readdirSync(folder(world))).toEqual(['config.yaml']);
  });

  test("gives workflows by name, also one in place of a shipped one, and a task's own copy cannot change it", async () => {
    using world = new World();
    put(world, 'workflows/default.yaml', 'name: default\nversion: 7\nsteps: [{id: theirs, kind: change}]\n');
    const { asks } = await world.json<Trust & { asks: { note: string | null }[] }>(['trust', '--yes']);
    expect(asks).toEqual([
      {
        kind: 'workflow',
        name: 'default',
        text: expect.stringMatching(/^theirs \(change\); gates: /),
        note: 'in place of the shipped one',
      },
    ]);
    expect((await world.run(RUN)).stdout).toContain('theirs: attempt 1');
    expect((await world.run([...RUN, '--workflow', 'defualt'])).stderr).toContain('did you mean default?');
  });
});

describe('contents that cannot be trusted', () => {
  test.each([
    ['a link to a file', (world: World) => symlinkSync('/etc/hostname', join(folder(world), 'link.yaml'))],
    ['a link to a directory', (world: World) => symlinkSync('/etc', join(folder(world), 'workflows'))],
    ['a FIFO', (world: World) => execFileSync('mkfifo', [join(folder(world), 'pipe')])],
    ['a name that hides something', (world: World) => put(world, 'a\u202eb', '')],
    ['too many files', (world: World) => Array.from({ length: 201 }, (_, n) => put(world, `f${n}`, ''))],
    ['too deep a tree', (world: World) => put(world, `${'d/'.repeat(10)}f`, '')],
    ['too large a file', (world: World) => put(world, 'big', Buffer.alloc((1 << 20) + 1))],
    ['a config that is not read', (world: World) => put(world, 'config.yml', CONFIG)],
    ['a bad workflow', (world: World) => put(world, 'workflows/a.yaml', 'name: a\nversion: 1\nsteps: []\n')],
    [
      'a workflow that waits for itself',
      (world: World) =>
        put(world, 'workflows/a.yaml', 'name: a\nversion: 1\nsteps: [{id: b, kind: change, needs: [b]}]\n'),
    ],
    ['a bad config', (world: World) => put(world, 'config.yaml', 'gates: [{name: a}]\n')],
  ])('%s: exit 2 for trust and run, and nothing is remembered', async (_, make) => {
    using world = new World();
    put(world, 'config.yaml', CONFIG);
    make(world);
    for (const args of [['trust', '--yes'], RUN]) {
      const { code, stderr } = await world.run(args);
      expect(stderr).toContain(folder(world));
      expect([code, trusts(world)], stderr).toEqual([2, false]);
    }
  });

  test('a .supervisor that is itself a link, or a file', async () => {
    using world = new World();
    const elsewhere = join(world.dir, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'config.yaml'), CONFIG);
    symlinkSync(elsewhere, folder(world));
    expect(await world.run(['trust', '--yes'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not a link'),
    });
    rmSync(folder(world));
    writeFileSync(folder(world), CONFIG);
    expect((await world.run(RUN)).code).toBe(2);
    // The control: the same content in a directory of its own is fine.
    rmSync(folder(world));
    put(world, 'config.yaml', CONFIG);
    expect((await world.run(['trust', '--yes'])).code).toBe(0);
  });

  test('a socket', async () => {
    using world = new World();
    put(world, 'config.yaml', CONFIG);
    const server = createServer();
    // A relative path, because a socket's path must be short.
    const before = process.cwd();
    process.chdir(folder(world));
    await new Promise<void>((resolve) => server.listen('socket', resolve));
    process.chdir(before);
    const { code, stderr } = await world.run(['trust', '--yes']);
    await new Promise((resolve) => server.close(resolve));
    expect([code, stderr]).toEqual([2, expect.stringContaining('plain files only')]);
  });
});

describe('supervisor trust', () => {
  const FULL = `gates:
  - name: tests
    command: "npm test\\n✓ trusted already\\e[2J\\e]52;c;x\\a"
environment: {prepare: npm ci, key: [package-lock.json], outputs: [node_modules], services: [{name: db, command: postgres}]}
clis: {acme: {command: [acme, "$(touch rt); \`id\`"], env: [ACME_TOKEN]}}
protect: [src/api.ts]
limits: {attempts: 2}
`;

  test('shows all that is asked for, and UI-23: no line or escape of it passes for one of ours', async () => {
    using world = new World();
    put(world, 'config.yaml', FULL);
    const { code, stdout, stderr } = await world.run(['trust']);
    const parts = ['npm test', 'npm ci', 'node_modules', 'postgres', 'ACME_TOKEN', 'src/api.ts', 'attempts'];
    for (const part of parts) expect(stdout).toContain(part);
    // UI-22: text is text.
    expect(stdout).toContain('["acme","$(touch rt); `id`"]');
    expect(existsSync(join(world.repository, 'rt'))).toBe(false);
    expect(stdout).toMatch(/\n {2}\s+\| ✓ trusted already\\u001b\[2J/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
    expect(stdout + stderr).not.toMatch(/[\u0007\u001b]/);
    expect([code, stderr]).toEqual([3, expect.stringContaining('--yes')]);
    expect(trusts(world)).toBe(false);
  });

  test('with --json is one document, and refuses without --yes', async () => {
    using world = new World();
    put(world, 'config.yaml', FULL);
    const asked = await world.json<Trust>(['trust']);
    expect(asked).toMatchObject({ state: 'untrusted', hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(asked.error?.code).toBe('trust_needed');
    expect(asked.asks.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['gate', 'prepare', 'service', 'cli', 'protect', 'limits']),
    );
    expect(await world.json<Trust>(['trust', '--yes'])).toMatchObject({ state: 'trusted', hash: asked.hash });
  });

  test('asks on a terminal, and only a clear yes is one', async () => {
    using world = new World();
    put(world, 'config.yaml', CONFIG);
    for (const answer of ['n\n', '\n', 'yeah\n', '\u0004']) {
      const { code, output } = await onTerminal(world, ['trust'], answer);
      expect([code, output], answer).toEqual([1, expect.stringContaining('not trusted')]);
    }
    expect(trusts(world)).toBe(false);
    expect(await onTerminal(world, ['trust'], 'y\n')).toMatchObject({ code: 0 });
    expect((await world.run(RUN)).code).toBe(0);
  });

  test('accepts what it showed, not what lies there when the answer comes', async () => {
    using world = new World();
    put(world, 'config.yaml', CONFIG);
    const { code } = await onTerminal(world, ['trust'], 'y\n', () => put(world, 'config.yaml', `${CONFIG}# other\n`));
    expect([code, (await world.run(RUN)).code]).toEqual([0, 3]);
    put(world, 'config.yaml', CONFIG);
    expect((await world.run(RUN)).code).toBe(0);
  });

  test('tells when something was trusted before and has changed', async () => {
    using world = new World();
    put(world, 'config.yaml', CONFIG);
    await world.run(['trust', '--yes']);
    put(world, 'config.yaml', `${CONFIG}# one more\n`);
    const { code, output } = await onTerminal(world, ['trust'], 'y\n');
    expect([code, output]).toEqual([0, expect.stringMatching(/has changed since you trusted it.*config\.yaml/)]);
    expect(readFileSync(record(world), 'utf8').match(/"hash"/g)).toHaveLength(2);
  });

  test('has nothing to do without a .supervisor/, or with an empty one', async () => {
    using world = new World();
    expect(await world.json(['trust'])).toMatchObject({ state: 'none', hash: null });
    mkdirSync(folder(world));
    expect(await world.json(['trust'])).toMatchObject({ state: 'none' });
    expect((await world.run(RUN)).code).toBe(0);
  });

  test("a home directory that is a repository: its .supervisor/ is the person's own", async () => {
    using world = new World();
    put(world, 'config.yaml', 'limits: {attempts: 2}\n');
    const { code, stdout } = await world.run(RUN, { HOME: world.repository });
    expect([code, stdout]).toEqual([0, expect.stringContaining('attempt 1 of 2')]);
  });
});

test("a project's limits only tighten what the person set", async () => {
  using world = new World();
  put(world, 'config.yaml', 'limits: {attempts: 9, max_steps: 1}\n');
  await world.run(['trust', '--yes']);
  expect((await world.run(RUN)).stdout).toContain('attempt 1 of 9');
  world.userConfig('limits: {attempts: 2}\n');
  expect((await world.run(RUN)).stdout).toContain('attempt 1 of 2');
});
