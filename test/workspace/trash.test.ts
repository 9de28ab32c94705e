/** A process that is done does not stay to delete a large tree; the tree is deleted all the same. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Ahead } from '../../src/hands/workspace/prewarmed-trees.ts';
import { Trash } from '../../src/hands/workspace/trash.ts';
import { removeTree } from '../../src/os/files/remove-tree.ts';
import { eventually } from '../support/cli.ts';
import { endProcesses } from '../support/traces.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'supervisor-trash-'));
});
afterEach(() => {
  endProcesses(dir, []);
  rmSync(dir, { recursive: true, force: true });
});

function tree(name: string, files = 2_000): string {
  const at = join(dir, name);
  for (let n = 0; n < files; n++) {
    const folder = join(at, `d${n % 50}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `f${n}`), '');
  }
  // As a worker may leave it.
  chmodSync(join(at, 'd0'), 0o500);
  return at;
}

const opened = (failed: string[] = []) =>
  new Trash(join(dir, 'trash'), (path, error) => failed.push(`${path}: ${error.message}`));

test('files that are not deleted in time when it closes are deleted by a process of its own, which is no failure', async () => {
  const failed: string[] = [];
  const trash = opened(failed);
  trash.dispose(tree('large'));
  await trash.close(0);
  expect(trash.left()).not.toEqual([]);
  await eventually(() => trash.left().length === 0, 'the trash is empty');
  expect(failed).toEqual([]);
  // What comes after is deleted as before, here (the control).
  trash.dispose(tree('small', 60));
  await trash.idle();
  expect(trash.left()).toEqual([]);
});

test('a directory whose deletion began before is left, too', async () => {
  const trash = opened();
  trash.dispose(tree('large'));
  const idle = trash.idle();
  await Promise.all([trash.close(0), idle]);
  await eventually(() => trash.left().length === 0, 'the trash is empty');
});

test('a small one is gone when it has closed', async () => {
  const trash = opened();
  trash.dispose(tree('small', 60));
  await trash.close(60_000);
  expect(trash.left()).toEqual([]);
});

test('two may remove the same tree', async () => {
  const at = tree('both');
  await Promise.all([removeTree(at), removeTree(at), removeTree(at)]);
  expect(existsSync(at)).toBe(false);
  expect(readdirSync(dir)).toEqual([]);
});

test('a tree that is being made ahead is stopped when the room closes', async () => {
  const trash = opened();
  const ahead = new Ahead(dir, trash);
  const begun = ahead.begin('tree', 'place', async (place, signal) => {
    mkdirSync(join(dir, place));
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  await ahead.dropAll();
  await begun;
  await trash.close();
  expect(existsSync(join(dir, 'place'))).toBe(false);
});
