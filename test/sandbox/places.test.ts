/** Places and ways in that a policy may name: temporary directories, input, descriptors, and for preparing the host's network. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Box } from './box.ts';
import { MIB } from './setup.ts';

/** A sealed environment with a directory that some tool wants to write in. */
function sealed(box: Box) {
  const env = join(box.dir, 'env');
  mkdirSync(join(env, '.vite'), { recursive: true });
  writeFileSync(join(env, '.vite/old'), 'old');
  return { env, readable: [...box.policy.readable, { from: env, to: '/workspace/node_modules' }] };
}

describe('a temporary place inside a read-only mount', () => {
  const work =
    'ls node_modules/.vite; echo new >node_modules/.vite/x && cat node_modules/.vite/x; touch node_modules/y';
  const temporary = ['/workspace/node_modules/.vite'];

  test('is empty, can be written and leaves nothing; without it the mount is closed', async () => {
    await using box = new Box();
    const { env, readable } = sealed(box);
    const played = await box.play(['sh', '-c', work], { policy: { readable, temporary } });
    expect(played.stdout).toBe('new\n');
    expect(played.stderr).toMatch(/node_modules\/y.*Read-only/);
    expect(readdirSync(join(env, '.vite'))).toEqual(['old']);
    const closed = await box.play(['sh', '-c', work], { policy: { readable } });
    expect(closed.stdout).toBe('old\n');
    expect(closed.stderr).toMatch(/\.vite\/x.*Read-only/);
  });

  test('counts in the disk limit', async () => {
    await using box = new Box();
    const { readable } = sealed(box);
    const fill = (bytes: number, seconds: number) => {
      const program = 'head -c "$0" /dev/zero >node_modules/.vite/x && echo whole; sleep "$1"';
      return box.play(['sh', '-c', program, `${bytes}`, `${seconds}`], {
        policy: { readable, temporary },
        limits: { diskBytes: 8 * MIB },
      });
    };
    expect(await fill(16 * MIB, 600)).toMatchObject({ end: { how: 'limit', limit: 'disk' }, stdout: '' });
    expect(await fill(4 * MIB, 2)).toMatchObject({ end: { how: 'exit', code: 0 }, stdout: 'whole\n' });
  });

  test.each([
    ['that is not there', '/workspace/node_modules/.cache', /no directory/],
    ['that is a link', '/workspace/link/below', /is a link/],
    ['outside of all mounts', '/var/x', /not inside a mount/],
    ['that is a mount itself', '/workspace', /not inside a mount|would hide/],
    ['that would hide a mount', '/workspace/outer', /would hide/],
    ['that climbs', '/workspace/../x', /plain absolute/],
  ])('%s is refused', async (_, path, problem) => {
    await using box = new Box();
    const { env, readable } = sealed(box);
    mkdirSync(join(box.tree, 'outer'));
    symlinkSync('.', join(box.tree, 'link'));
    const more = [...readable, { from: env, to: '/workspace/outer/inner' }];
    await expect(box.play(['true'], { policy: { readable: more, temporary: [path] } })).rejects.toThrow(problem);
  });
});

describe("the host's network", () => {
  const prepare = { kind: 'prepare', network: 'host' } as const;

  test('is there for preparing, with its names, and for nothing else', async () => {
    await using box = new Box();
    const server = createServer((socket) => socket.end('reached'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as { port: number };
      const program = ['loopback.mjs', `${port}`, 'supervisor-test-nobody'] as const;
      expect((await box.play(program, { policy: prepare })).stdout).toContain('reached');
      expect((await box.play(program, { policy: { kind: 'prepare' } })).stdout).not.toContain('reached');
    } finally {
      server.close();
    }
    const look = 'cat /etc/resolv.conf; grep hosts: /etc/nsswitch.conf; ls -d /etc/ssl/certs';
    const [online, offline] = [
      await box.play(['sh', '-c', look], { policy: prepare }),
      await box.play(['sh', '-c', look], { policy: { kind: 'prepare' } }),
    ];
    const names = existsSync('/etc/resolv.conf') ? readFileSync('/etc/resolv.conf', 'utf8') : '';
    expect(online.stdout).toContain(`${names}hosts: files dns\n`);
    expect(offline.stdout).toContain('hosts: files\n');
    expect(offline.stderr).toContain('resolv.conf');
  });

  test.each(['worker', 'gate'] as const)('is refused to a %s', async (kind) => {
    await using box = new Box();
    await expect(box.play(['true'], { policy: { kind, network: 'host' } })).rejects.toThrow(/no network/);
  });
});

test('input can be opened by name, small or large, and there is no descriptor but the usual three', async () => {
  await using box = new Box();
  expect((await box.play(['cat', '/dev/stdin'], { input: 'hello' })).stdout).toBe('hello');
  expect((await box.play(['sh', '-c', 'sleep 0.2; wc -c </dev/stdin'], { input: 'x'.repeat(3 * MIB) })).stdout).toBe(
    `${3 * MIB}\n`,
  );
  // What Supervisor itself was started with is covered by the empty device.
  const { stdout } = await box.play(['sh', '-c', 'for fd in /proc/$$/fd/*; do readlink $fd; done']);
  const [input, , , ...more] = stdout.trim().split('\n');
  expect([input, ...new Set(more)].filter((path) => path !== '/dev/null')).toEqual([]);
});
