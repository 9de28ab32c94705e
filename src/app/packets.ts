/** Joins what packets are made of: roles, templates, and the trees of the repository that context is taken from. */
import { join } from 'node:path';
import type { Redact } from '../engine/ports/surroundings.ts';
import { PackedContexts } from '../hands/context/pack.ts';
import { counter } from '../hands/context/token-file.ts';
import { GitTrees } from '../hands/context/tree.ts';
import type { PacketMakers } from '../hands/workers/packet.ts';
import type { Settings } from '../mind/config/project-config.ts';
import type { CountTokens } from '../mind/tokens/count.ts';
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
}): Omit<PacketMakers, 'settings'> {
  const { project, settings, told, redact, checkout } = of;
  const cacheDir = of.stateDir === null ? null : join(of.stateDir, 'cache', 'context', project.id);
  const trees = new GitTrees({ commonDir: project.commonDir, worktree: checkout, cacheDir });
  let counting: Promise<CountTokens> | null = null;
  const count = () => {
    counting ??= counter();
    return counting;
  };
  return {
    ...{ redact, count },
    role: (name) => told.roles.get(name),
    templates: told.templates,
    contexts: new PackedContexts({
      ...{ trees, redact, count, cacheDir },
      strategies: told.strategy,
      knowledge: settings.knowledge,
    }),
  };
}
