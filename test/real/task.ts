/** A real task through the command line: a script for the worker, the run, and what the user has at the end. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { RunReport } from '../../src/mind/protocol/run-report.ts';
import type { Script } from '../../src/mind/workers/script.ts';
import type { Result, World } from '../support/cli.ts';

export type Plays = Script['steps'][string];
type Env = Readonly<Record<string, string>>;

/** With the operator's own tool chains; the Node of these tests comes first: gates run what this names. */
export const PATH = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;

export const ENV: Env = { PATH };

let scripts = 0;
/** JSON is YAML. */
export const script = (world: World, plays: Plays): string =>
  world.file(`script-${scripts++}.yaml`, JSON.stringify({ steps: { implement: plays } }));

/** `run` with a scripted worker; `more` names gates, as a person would. */
export function run(world: World, plays: Plays, more: readonly string[], env: Env = {}): Promise<Result> {
  return world.run(['run', 'make it right', '--script', script(world, plays), ...more, '--json'], { ...ENV, ...env });
}

/** The same, and it ends as it should; what it says is one object, on standard output alone. */
export async function accepted(
  world: World,
  plays: Plays,
  more: readonly string[],
  env: Env = {},
): Promise<RunReport & { branch: string; commit: string; base: string }> {
  const result = await run(world, plays, more, env);
  expect(result.code, result.stderr + result.stdout).toBe(0);
  const report = JSON.parse(result.stdout) as RunReport;
  expect(report.status).toBe('accepted');
  return report as RunReport & { branch: string; commit: string; base: string };
}

/** Nothing in it does anything to a terminal. */
export function quiet(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  expect(text).not.toMatch(/[\u0007\u001b\u009b]/);
  return text;
}

/** One sentence that says what to do; never a stack, never "a defect". */
export function refused({ code, stdout, stderr }: Result, exit: number, ...parts: (string | RegExp)[]): string {
  const said = quiet(stderr + stdout);
  expect(said).not.toMatch(/ {4}at |bug in Supervisor/);
  for (const part of parts) {
    if (typeof part === 'string') expect(said).toContain(part);
    else expect(said).toMatch(part);
  }
  expect(code, said).toBe(exit);
  return said;
}

/** Every byte of a directory, and the kind of each entry. */
export function digest(dir: string): string {
  const hash = createHash('sha256');
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  const sorted = entries.map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }));
  for (const { entry, path } of sorted.sort((one, other) => (one.path < other.path ? -1 : 1))) {
    hash.update(`${path}\0${entry.isFile()}\0${entry.isDirectory()}\0`);
    if (entry.isFile()) hash.update(readFileSync(path));
    if (entry.isSymbolicLink()) hash.update(readlinkSync(path));
  }
  return hash.digest('hex');
}
