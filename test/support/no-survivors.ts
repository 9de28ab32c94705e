/**
 * After every file of tests: no process of it lives on, its temporary directory is empty, and the process is as it was: the
 * next file runs in it.
 */
import { chmodSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { changedSince, descendants, list, settled, surroundings } from './traces.ts';

// Not the directory of the file before: one whose tests were all skipped has not put back what it changed.
const outer = process.env['SUPERVISOR_TEST_TMP'] ?? tmpdir();
const own = mkdtempSync(join(outer, 'file-'));
// A sandboxed user has to pass through.
chmodSync(own, 0o711);
process.env['TMPDIR'] = own;
const before = new Set(descendants(process.pid));
const around = surroundings();

// Registered first, so it runs after every clean-up of the tests themselves.
afterAll(async () => {
  const changed = changedSince(around);
  process.env['TMPDIR'] = outer;
  if (changed.length > 0) throw new Error(`not put back as it was: ${changed.join(', ')}`);
  const alive = await settled(() => descendants(process.pid).filter((one) => !before.has(one)));
  if (alive.length > 0) throw new Error(`processes outlive their tests:\n${alive.join('\n')}`);
  const left = await settled(() => list(own));
  if (left.length > 0) throw new Error(`left in ${own}: ${left.join(', ')}`);
  rmdirSync(own);
});
