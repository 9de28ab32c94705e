/** What a living process is at stays, lease or not; what a dead one was at goes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type World, world } from './repository.ts';

const CHILD = fileURLToPath(new URL('./busy-child.ts', import.meta.url));
let w: World;
let child: ChildProcess;
beforeEach(() => {
  w = world();
});
afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
  await w.end();
});

async function startBusy(name: string): Promise<string> {
  child = spawn(process.execPath, [CHILD, w.repo, w.state, name], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  return line.toString().trim();
}

test('another living process keeps its workspace during any sweep; when it is dead, it is cleared', async () => {
  const tree = await startBusy('beside');
  await w.open().clearUp();
  expect(await w.open().sweep(() => false, false)).not.toContain(join(tree, '..'));
  expect(existsSync(join(tree, 'a.txt')) || readdirSync(tree).length > 0).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'close');
  await w.open().clearUp();
  expect(existsSync(tree)).toBe(false);
});

test('a note that a killed process left half written stops no process', async () => {
  const tree = await startBusy('beside');
  child.kill('SIGKILL');
  await once(child, 'close');
  const users = join(w.state, 'git/demo/users');
  for (const name of readdirSync(users)) writeFileSync(join(users, name), '{"pid":');
  await w.open().clearUp();
  expect(existsSync(tree)).toBe(false);
});
