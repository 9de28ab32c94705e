/** Joins what packets are made of: roles, templates, and the trees of the repository that context is taken from. */
import { join } from 'node:path';
import type { Contexts } from '../engine/ports/contexts.ts';
import type { Redact } from '../engine/ports/surroundings.ts';
import type { PacketMakers } from '../hands/workers/packet.ts';
import type { Settings } from '../mind/config/project-config.ts';
import { type Afterwards, atOnce } from '../os/machine/afterwards.ts';
import { type Aside, meanwhile } from '../os/machine/aside.ts';
import { loadedWhole } from '../os/process/loaded-whole.ts';
import type { Told } from './config/told.ts';
import type { ProjectAt } from './open-store.ts';

export function packetMakers(of: {
  readonly project: ProjectAt;
  readonly settings: Settings;
  readonly told: Told;
  readonly redact: Redact;
  readonly checkout: string | null;
  /** Where what was found out about the repository is kept for other processes; null: nowhere. */
  readonly stateDir: string | null;
  /** When that is written; at once unless it is said. */
  readonly later?: Afterwards;
  /** When that is found out which no packet waits for. */
  readonly aside?: Aside;
}): Omit<PacketMakers, 'settings'> {
  const { project, settings, told, redact, checkout, later = atOnce, aside = meanwhile } = of;
  const cacheDir = of.stateDir === null ? null : join(of.stateDir, 'cache', 'context', project.id);
  const count = once(async () => (await import('../hands/context/token-file.ts')).counter());
  // Loaded when the first packet needs it: many a run is played by a script, or only looks.
  const contexts = once(async (): Promise<Contexts> => {
    const { PackedContexts, GitTrees } = await loadPacking();
    const trees = new GitTrees({ commonDir: project.commonDir, worktree: checkout, cacheDir, later });
    return new PackedContexts({
      ...{ trees, redact, count, cacheDir, later, aside },
      ...{ strategies: told.strategy, knowledge: settings.knowledge },
    });
  });
  return {
    ...{ redact, count },
    role: (name) => told.roles.get(name),
    templates: told.templates,
    contexts: { pack: async (ask, signal) => (await contexts()).pack(ask, signal) },
  };
}

/** Before a process says that it ends soon: what is compiled under other flags is of no use to the others. */
export const loadPacking = once(() =>
  loadedWhole(async () => ({
    ...(await import('../hands/context/pack.ts')),
    ...(await import('../hands/context/tree.ts')),
  })),
);

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}
