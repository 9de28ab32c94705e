/**
 * Tests that a machine or a user cannot run. Each says what is not tested and why, and the end of the run lists it: a
 * test that is skipped without a word looks like one that passed.
 *
 *     test.skipIf(untested('files of another user', NOT_ROOT))('…', …)
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Set for the whole run by suite.ts. */
const FILE = 'SUPERVISOR_TEST_UNTESTED';

/** Why somebody else than root cannot test something; null for root. */
export const NOT_ROOT = process.getuid?.() === 0 ? null : 'only root can do this';

/** Notes what is not tested here; whether to skip it. `why` is null where it can be tested. */
export function untested(what: string, why: string | null): boolean {
  if (why === null) return false;
  const file = process.env[FILE];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify([what, why])}\n`);
  return true;
}

export function noteUntestedIn(file: string): void {
  process.env[FILE] = file;
}

/** What was noted, each once, as lines for people. */
export function untestedLines(file: string): string[] {
  if (!existsSync(file)) return [];
  const noted = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const rows = [...new Set(noted)].map((line) => JSON.parse(line) as [what: string, why: string]);
  if (rows.length === 0) return [];
  return [`Not tested here (${rows.length}):`, ...rows.map(([what, why]) => `  ${what}: ${why}`).sort()];
}
