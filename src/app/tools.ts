/** The operator's tool chains and programs, as sandboxes see them. */
import type { Mount } from '../engine/ports/sandbox.ts';
import { findProgram, findToolChains, programMount, type ToolChains } from '../os/machine/tool-chains.ts';
import type { Environment } from './config/environment.ts';
import type { ProjectAt } from './open-store.ts';

export type InstalledTools = {
  readonly chains: ToolChains;
  /** Where a program is inside the sandbox, and what to mount for it; null if it is not installed. */
  find(program: string): { readonly program: string; readonly readable: readonly Mount[] } | null;
};

export function findTools({ path, home, stateDir }: Environment, { dir, commonDir }: ProjectAt): InstalledTools {
  const chains = findToolChains({ path, home: home ?? '/nonexistent', never: [stateDir, dir, commonDir] });
  return {
    chains,
    find(name) {
      const program = findProgram(name, path);
      return program === null ? null : programMount(program, chains.readable);
    },
  };
}
