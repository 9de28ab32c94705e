/** One case, end to end: its control, then the real command line with the attacker as its worker, then the invariants. */
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { World } from '../../support/cli.ts';
import { BASE, GATE, type HostileCase, type Outside } from './case.ts';
import { checkInvariants, operatorsThings } from './invariants.ts';
import { runNaively } from './naive.ts';
import { Seen } from './seen.ts';

/** Plain words, not in the shape of any known secret: nothing but a sandbox keeps them. */
const CANARIES = { environment: 'canary of the environment', file: 'canary of a file' };

export async function checkControl({ control, ...one }: HostileCase): Promise<void> {
  if ('pure' in control) return expect(control.pure(), 'the attack works without the defence').toBe(true);
  const seen = await runNaively({ control, ...one }, control);
  expect(control.naive(seen), `the attack works without the defence: ${JSON.stringify(seen)}`).toBe(true);
}

export async function checkCase(one: HostileCase): Promise<void> {
  await using host = await listener();
  using world = new World();
  const at = placesOf(world, host.port);
  prepare(world, one, at);
  const before = operatorsThings(world);
  const gates = one.gates ?? [GATE];
  const task = one.task ?? 'Make value() return 2.';
  const args = ['run', task, ...gates.flatMap((gate) => ['--gate', gate]), ...(one.flags ?? [])];
  const start = () => world.start(args, { OPERATOR_TOKEN: CANARIES.environment, ...one.env });
  const result = await (one.drive === undefined ? start().done : one.drive(world, start));
  const seen = new Seen(world, result, await world.events(), host.seen());
  const { code, status, class: outcome, reason } = one.expect;
  const told = `${result.stdout}${result.stderr}${JSON.stringify(seen.attempts)}`;
  expect({ code: result.code, status: seen.status }, told).toEqual({ code, status });
  if (outcome !== undefined) expect(seen.attempts.at(-1)?.class, told).toBe(outcome);
  if (reason !== undefined) expect(seen.attempts.at(-1)?.reason, told).toMatch(reason);
  await one.after?.(seen);
  await checkInvariants(seen, before, Object.values(CANARIES));
}

function placesOf(world: World, port: number): Outside {
  const { repository, home, state, dir } = world;
  return { repository, home, state, port, secret: join(dir, 'host-secret'), breach: join(dir, 'breach') };
}

function prepare(world: World, one: HostileCase, at: Outside): void {
  const files = Object.entries({ ...BASE, ...one.files });
  for (const [path, target] of Object.entries(one.links?.(at) ?? {})) {
    mkdirSync(dirname(join(at.repository, path)), { recursive: true });
    symlinkSync(target, join(at.repository, path));
  }
  world.commit(Object.fromEntries(files.flatMap(([path, text]) => (text === null ? [] : [[path, text]]))));
  for (const path of [at.secret, join(at.home, '.ssh/id_ed25519'), join(at.home, '.aws/credentials')]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, CANARIES.file);
    // Readable for everybody: only the sandbox hides it.
    chmodSync(path, 0o644);
  }
  const program = world.file('worker', `#!/bin/sh\n${one.worker(at)}`);
  chmodSync(program, 0o755);
  const cli = one.cli ?? 'prompt: stdin, output: text';
  world.userConfig(
    [
      `clis: {acme: {command: [${program}], ${cli}}}`,
      'default_cli: [acme]',
      `limits: {attempts: ${one.attempts ?? 1}, wall: ${one.wall ?? '30s'}}`,
      one.config ?? '',
    ].join('\n'),
  );
  for (const [path, text] of Object.entries(one.own ?? {})) {
    mkdirSync(dirname(join(at.home, '.supervisor', path)), { recursive: true });
    writeFileSync(join(at.home, '.supervisor', path), text);
  }
  rmSync(at.breach, { force: true });
}

async function listener() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {});
    socket.end(CANARIES.file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  // A name without a file: reachable from everywhere in the same network namespace.
  const abstract = createServer((socket) => server.emit('connection', socket));
  await new Promise<void>((resolve) => abstract.listen(`\0hostile-${port}`, resolve));
  const close = (one: Server) => new Promise<void>((resolve) => one.close(() => resolve()));
  return {
    port,
    seen: () => connections,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([close(server), close(abstract)]);
    },
  };
}
