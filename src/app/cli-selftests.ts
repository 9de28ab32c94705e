/** Which versions of a CLI passed their self-test on this machine. The test runs once for each version. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageVersion } from '../os/files/package-root.ts';
import { run } from '../os/process/run.ts';
import { childVariables, type Environment } from './config/environment.ts';
import { readKept, writeKept } from './kept-json.ts';

/** The remembered result of a self-test. Returns null if there is none, or if the machine could not run it. */
export type SelfTestResult = 'passed' | 'failed' | null;

const fileIn = (stateDir: string): string => join(stateDir, 'cli-selftests.json');
/** Another version of Supervisor calls the same CLI in another way. */
const keyOf = (cli: string, version: string): string => `${cli} ${version}, supervisor ${packageVersion()}`;

export function knownSelfTest(stateDir: string, cli: string, version: string): SelfTestResult {
  const result = readKept<unknown>(fileIn(stateDir))[keyOf(cli, version)];
  return result === 'passed' || result === 'failed' ? result : null;
}

export function rememberSelfTest(stateDir: string, cli: string, version: string, result: 'passed' | 'failed'): void {
  mkdirSync(stateDir, { recursive: true });
  const file = fileIn(stateDir);
  writeKept(file, { ...readKept<unknown>(file), [keyOf(cli, version)]: result });
}

const MAX_MS = 5 * 60_000;

/** Runs `supervisor doctor --selftest CLI` in a child process, which stores the result. */
export async function selfTestOnce(
  environment: Environment,
  cli: string,
  version: string,
  signal: AbortSignal,
): Promise<SelfTestResult> {
  const { stateDir } = environment;
  const known = knownSelfTest(stateDir, cli, version);
  if (known !== null) return known;
  const [program = ''] = process.argv.slice(1);
  await run(process.execPath, [...process.execArgv, program, 'doctor', '--selftest', cli, '--json'], {
    env: childVariables(environment),
    cwd: '/',
    timeoutMs: MAX_MS,
    signal,
  });
  return knownSelfTest(stateDir, cli, version);
}
