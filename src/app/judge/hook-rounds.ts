/**
 * Counts how often a stop hook sent back each turn of an agent, so that an agent that cannot succeed stops some time.
 */
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../kernel/hash.ts';
import { namesIn } from '../../os/files/names-in.ts';
import type { Environment } from '../config/environment.ts';
import { readKept, writeKept } from '../kept-json.ts';

const KEPT_MS = 2 * 86_400_000;

const dirOf = ({ stateDir }: Environment): string => join(stateDir, 'hooks');
const fileOf = (environment: Environment, session: string): string =>
  join(dirOf(environment), `${sha256(session).slice(0, 32)}.json`);

export function roundsOf(environment: Environment, session: string): number {
  const { rounds } = readKept<unknown>(fileOf(environment, session));
  return typeof rounds === 'number' && rounds > 0 ? rounds : 0;
}

/** Throws if the count cannot be written: without it nothing would end the loop. */
export function keepRounds(environment: Environment, session: string, rounds: number): void {
  const dir = dirOf(environment);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  for (const name of namesIn(dir)) {
    const stat = statSync(join(dir, name), { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs > KEPT_MS) rmSync(join(dir, name), { force: true });
  }
  writeKept(fileOf(environment, session), { rounds });
}
