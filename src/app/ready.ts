/**
 * Checks that everything a task needs is there, before the task is taken on: a machine that is not ready costs no
 * attempt.
 */
import { SandboxError, type SandboxReport } from '../engine/ports/sandbox.ts';
import type { CliState } from '../hands/workers/cli-state.ts';
import { judgeCli } from '../mind/workers/judge-cli.ts';
import { tooFewOpenFiles } from '../os/machine/machine-refusal.ts';
import { unready } from './clis.ts';
import { CliRefused, NotReady } from './not-ready.ts';
import type { RealHands } from './real-hands.ts';

export type Needs = {
  readonly clis: readonly string[];
  readonly base: string;
  readonly unsafe: boolean;
  /** The gates that will check the work; absent if it waits for none. */
  readonly gates?: readonly string[];
};

type ReadyProgress = {
  preparing(text: string): void;
  output(text: string): void;
  prepared(ms: number): void;
  /** Reports something that may still work. */
  doubt(text: string): void;
};

export async function checkReady(
  real: RealHands,
  task: Needs,
  progress: ReadyProgress,
  signal: AbortSignal,
): Promise<SandboxReport> {
  const tooFew = tooFewOpenFiles();
  if (tooFew !== null) throw new NotReady(tooFew);
  const looks = [...new Set(task.clis)].map((name) => ({ name, look: real.cli(name) }));
  for (const { name, look } of looks) {
    const problem = name === 'scripted' ? null : unready(name, look);
    if (problem !== null) throw new NotReady(problem);
    if (look.type === 'built in' && task.unsafe)
      throw new NotReady(
        `CLI ${name} gets its key from a proxy that needs the sandbox: leave out --unsafe-no-sandbox, or declare the command yourself under \`clis:\``,
      );
  }
  await real.workspaces.check(task.base);
  const report = await real.sandbox(task.unsafe).probe();
  if (!report.ready)
    throw new NotReady(`no sandbox, so nothing is run: ${report.problem}. ${report.fix ?? 'See `supervisor doctor`'}`);
  for (const { name, look } of looks) {
    if (look.type === 'built in') await checkVersion(real, name, look.state, progress, signal);
  }
  if (!task.unsafe) await checkGates(real, task, progress);
  await prepare(real, task.base, progress, signal);
  return report;
}

/** A gate that cannot run would end its task with an error, after the worker was paid. */
async function checkGates(real: RealHands, { gates = [], base }: Needs, progress: ReadyProgress): Promise<void> {
  for (const { text, sure } of await real.unreadyGates(gates, base)) {
    if (sure) throw new NotReady(`${text}. Nothing was started`);
    progress.doubt(text);
  }
}

/**
 * Refuses only versions that are known not to work. A version older than the tested ones must pass its self-test once.
 */
async function checkVersion(
  real: RealHands,
  name: string,
  state: CliState,
  progress: ReadyProgress,
  signal: AbortSignal,
): Promise<void> {
  if (state.type === 'refused' || state.adapter.tested === null) return;
  const asked = await real.version(state, signal);
  if (asked === null) return;
  if (asked.type === 'failed')
    throw new CliRefused(name, `CLI ${name} does not start in the sandbox: ${asked.message}`);
  // This is a self-test, which finds out for itself whether the version works.
  if (real.selfTest === null) return;
  const { adapter } = state;
  const judged = judgeCli(adapter, asked.version, real.knownSelfTest(name, asked.version));
  const what = `CLI ${name}: ${judged.text}`;
  if (judged.refused !== null) throw new CliRefused(name, `${what}, ${judged.refused}: ${judged.fix}`);
  if (judged.type === 'in range') return;
  if (judged.type === 'newer' || judged.selfTest === 'passed') return progress.doubt(`${what}; ${judged.advice}`);
  progress.doubt(`${what}; its self-test runs once, offline`);
  const after = judgeCli(adapter, asked.version, await real.selfTest(name, asked.version, signal));
  signal.throwIfAborted();
  if (after.refused !== null) throw new CliRefused(name, `${what}, ${after.refused}: ${after.fix}`);
  progress.doubt(
    `CLI ${name}: ${after.selfTest === 'passed' ? 'its self-test passed' : 'it could not be tested'}; it is used`,
  );
}

async function prepare(real: RealHands, base: string, progress: ReadyProgress, signal: AbortSignal): Promise<void> {
  if (real.environments === null) return;
  const began = performance.now();
  let told = false;
  const onOutput = (text: string) => {
    if (!told) progress.preparing('the environment is prepared once for these lock files');
    told = true;
    progress.output(text);
  };
  try {
    const state = await real.environments.ready(base, { signal, onOutput });
    if (state.type === 'failed') throw new NotReady(state.message);
    if (told) progress.prepared(performance.now() - began);
  } catch (error) {
    if (error instanceof SandboxError) throw new NotReady(error.message);
    throw error;
  }
}
