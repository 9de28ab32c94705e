/** `status` starts quickly because it loads little: schemas and rules come only when a task waits. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withoutComments } from '../support/scan-source.ts';

const SOURCES = join(import.meta.dirname, '../../src');
const STATUS = join(SOURCES, 'faces/cli/commands/status.ts');

/** Everything that a file imports before its first line runs, straight or through others. */
function loadedWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  if (!file.startsWith(SOURCES)) return seen;
  const code = withoutComments(readFileSync(file, 'utf8'));
  for (const [, from = ''] of code.matchAll(/^(?:import|export)\s(?!type\b)[^'"]*?from\s+'([^']+)'/gm))
    loadedWith(from.startsWith('.') ? join(file, '..', from) : from, seen);
  return seen;
}

test('loads no schemas and no rules before a task waits', () => {
  const loaded = [...loadedWith(STATUS)];
  const heavy = /^(?:valibot|yaml|liquidjs)|\/mind\/(?:scheduler|workflows|decisions|config)\//;
  expect(loaded.filter((name) => heavy.test(name))).toEqual([]);
  expect(loaded).toContain(join(SOURCES, 'hands/store/sqlite/open.ts'));
});

test('control: what says why a task waits loads both', () => {
  const loaded = [...loadedWith(join(SOURCES, 'faces/cli/wait-reasons.ts'))];
  expect(loaded).toEqual(expect.arrayContaining(['valibot', join(SOURCES, 'mind/scheduler/grant.ts')]));
});
