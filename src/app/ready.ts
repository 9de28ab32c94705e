/** Is everything there that a task needs? Asked before the task is taken on: a machine that is not ready costs no attempt. */
import { SandboxError, type SandboxReport } from '../engine/ports/sandbox.ts';
import type { CliState } from '../hands/workers/cli-state.ts';
import { judgeVersion } from '../kernel/version.ts';
import { unready } from './clis.ts';
import { NotReady } from './not-ready.ts';
import type { RealHands } from './open.ts';

export type Needs = { readonly clis: readonly string[]; readonly base: string; readonly unsafe: boolean };

export type ReadyProgress = {
  preparing(text: string): void;
  output(text: string): void;
  prepared(ms: number): void;
  /** Something that may go well all the same. */
  doubt(text: string): void;
};

export async function checkReady(
  real: RealHands,
  task: Needs,
  progress: ReadyProgress,
  signal: AbortSignal,
): Promise<SandboxReport> {
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
  await prepare(real, task.base, progress, signal);
  return report;
}

/** What is older than everything that was tested speaks another language; what is newer mostly does not. */
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
  if (asked.type === 'failed') throw new NotReady(`CLI ${name} does not start in the sandbox: ${asked.message}`);
  const { tested, install } = state.adapter;
  const judged = judgeVersion(asked.version, tested);
  const what = `CLI ${name}: ${asked.version} is ${judged} than what was tested (${tested.from} up to ${tested.below})`;
  if (judged === 'older') throw new NotReady(`${what}: ${install}`);
  if (judged === 'newer') progress.doubt(`${what}; \`supervisor doctor --selftest ${name}\` tells whether it works`);
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
