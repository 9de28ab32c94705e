/** The walk in ARCHITECTURE.md names files and functions that are there, in order, and few enough to be read. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const page = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
const section = /^## A newcomer's walk\n(.*?)^## /ms.exec(page)?.[1] ?? '';
const stops = [...section.matchAll(/^(\d+)\. `([^`]+)` `([^`]+)`: /gm)].map(([, number, file, name]) => ({
  number: Number(number),
  file: file ?? '',
  name: name ?? '',
}));

test('the walk is numbered from one on, and has at most 20 files', () => {
  expect(stops.map(({ number }) => number)).toEqual(stops.map((_, index) => index + 1));
  expect(section.match(/^\d+\. /gm)).toHaveLength(stops.length);
  expect(stops.length).toBeGreaterThan(10);
  expect(new Set(stops.map(({ file }) => file)).size).toBeLessThanOrEqual(20);
});

test.each(stops)('$number: $file has $name', ({ file, name }) => {
  const path = join(ROOT, file);
  expect(existsSync(path)).toBe(true);
  expect(declares(readFileSync(path, 'utf8'), name)).toBe(true);
});

test('a name that is only used is not one that is there', () => {
  expect(declares('export async function drive() {}', 'drive')).toBe(true);
  expect(declares('export const run: CommandRun = async () => {};', 'run')).toBe(true);
  expect(declares('  async #once(): Promise<void> {', '#once')).toBe(true);
  expect(declares('  static async open(deps: Deps) {', 'open')).toBe(true);
  expect(declares('  async #once(\n    one: Deps,\n  ) {', '#once')).toBe(true);
  expect(declares("import { drive } from './drive.ts';\nawait drive();\n  drive();\n", 'drive')).toBe(false);
});

/** Whether a source text declares a function or a method of this name. */
function declares(text: string, name: string): boolean {
  const declared = [`(?:function|const) ${name}\\b`, `^  (?:static )?(?:async )?${name}\\((?:.*[{(])?$`];
  return declared.some((pattern) => new RegExp(pattern, 'm').test(text));
}
