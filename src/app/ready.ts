/** Is everything there that a task needs? Asked before the task is taken on: a machine that is not ready costs no attempt. */
import { SandboxError, type SandboxReport } from '../engine/ports/sandbox.ts';
import { NotReady } from './not-ready.ts';
import type { RealHands } from './open.ts';

export type Needs = { readonly clis: readonly string[]; readonly base: string; readonly unsafe: boolean };

export type ReadyProgress = {
  preparing(text: string): void;
  output(text: string): void;
  prepared(ms: number): void;
};

export async function checkReady(
  real: RealHands,
  task: Needs,
  progress: ReadyProgress,
  signal: AbortSignal,
): Promise<SandboxReport> {
  for (const name of new Set(task.clis)) {
    const look = real.cli(name);
    if (look.type === 'declared' && !look.installed)
      throw new NotReady(
        `CLI ${name}: ${look.program} is not installed, or not on PATH: install it, or correct clis.${name}.command`,
      );
    if (look.type === 'built in' && look.state.type === 'refused') throw new NotReady(look.state.message);
  }
  await real.workspaces.check(task.base);
  const report = await real.sandbox(task.unsafe).probe();
  if (!report.ready)
    throw new NotReady(`no sandbox, so nothing is run: ${report.problem}. ${report.fix ?? 'See `supervisor doctor`'}`);
  await prepare(real, task.base, progress, signal);
  return report;
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
