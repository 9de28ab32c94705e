/** Supervisor works on itself: a clone of this repository, its dependencies from npm's cache, its own tests as the gate. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { RunReport } from '../../src/mind/protocol/run-report.ts';
import { World } from '../support/cli.ts';
import { PATH, type Plays, run } from './task.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const WRONG = 'export const twice = (n: number): number => n + 2;\n';
const RIGHT = 'export const twice = (n: number): number => n * 2;\n';
const TEST = `import { expect, test } from 'vitest';
import { twice } from '../../src/kernel/twice.ts';

test('twice', () => expect([twice(2), twice(5)]).toEqual([4, 10]));
`;
const PLAYS: Plays = [WRONG, RIGHT].map((text) => ({
  files: { 'src/kernel/twice.ts': text, 'test/kernel/twice.test.ts': TEST },
}));

/** Ends well only when nobody answers. */
const connects = (port: number) =>
  `node -e "require('net').connect(${port}, '127.0.0.1').on('connect', () => process.exit(1)).on('error', (e) => console.log(e.code))"`;

export async function workOnItself(tests: string): Promise<RunReport> {
  using world = new World();
  // The checkout may belong to somebody else, as it does in many a CI.
  world.file('home/.gitconfig', '[safe]\n\tdirectory = *\n');
  rmSync(world.repository, { recursive: true });
  mkdirSync(world.repository);
  world.git('clone', '-q', '--local', ROOT, '.');
  world.git('checkout', '-q', '-B', 'main');
  await using server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  // Outside of a sandbox somebody answers, so the gate means something.
  await expect(outside(connects(port))).resolves.toBe(1);
  const config = { environment: ENVIRONMENT, gates: [gate('tests', tests), gate('offline', connects(port))] };
  mkdirSync(join(world.repository, '.supervisor'));
  writeFileSync(join(world.repository, '.supervisor', 'config.yaml'), JSON.stringify(config));
  expect((await world.run(['trust', '--yes'])).code).toBe(0);

  const env = { npm_config_cache: npm('config', 'get', 'cache') };
  let result = await run(world, PLAYS, [], env);
  if (result.code === 5) {
    // Dependencies of this checkout came from elsewhere: npm fetches them once, as it does for any person.
    npm('ci', '--ignore-scripts', '--prefer-offline', '--prefix', world.repository);
    rmSync(join(world.repository, 'node_modules'), { recursive: true });
    result = await run(world, PLAYS, [], env);
  }
  expect(result.code, result.stderr + result.stdout).toBe(0);
  const report = JSON.parse(result.stdout) as RunReport;
  expect(report).toMatchObject({ status: 'accepted', verified: true, steps: [{ attempts: 2 }] });
  expect(`${report.branch}`).toMatch(/^ai\//);
  expect(world.git('diff', '--name-only', `${report.base}`, `${report.branch}`)).toBe(
    'src/kernel/twice.ts\ntest/kernel/twice.test.ts',
  );
  expect(world.git('status', '--porcelain')).toBe('?? .supervisor/');
  const { stdout } = await world.run(['show', report.task_id, '--evidence']);
  expect(stdout).toMatch(/twice[\s\S]*gate offline: pass[\s\S]*ECONNREFUSED/);
  return report;
}

const gate = (name: string, command: string) => ({ name, command });

/**
 * Our lock file does not say where packages come from, so npm looks that up in its cache's index, and for that must be
 * able to write to it: it gets a copy.
 */
const ENVIRONMENT = {
  prepare: [
    'mkdir -p /tmp/npm/_cacache',
    'cp -r /tmp/caches/npm/_cacache/index-v5 /tmp/npm/_cacache/',
    'ln -s /tmp/caches/npm/_cacache/content-v2 /tmp/npm/_cacache/',
    'npm ci --cache /tmp/npm --ignore-scripts --no-audit --no-fund',
  ].join(' && '),
  key: ['package.json', 'package-lock.json'],
  outputs: ['node_modules'],
  env: { npm_config_registry: npm('config', 'get', 'registry') },
};

function npm(...args: string[]): string {
  // npm keeps its own compiled code in the temporary directory.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
  return execFileSync('npm', args, { cwd: ROOT, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** Not `execFileSync`: it would keep this process from answering. */
async function outside(command: string): Promise<number | null> {
  const { spawn } = await import('node:child_process');
  const child = spawn('sh', ['-c', command], { env: { PATH }, stdio: 'ignore' });
  return new Promise((resolve) => child.once('exit', resolve));
}
