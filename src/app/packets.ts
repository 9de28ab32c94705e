/** Joins the parts of packets: roles, templates, and the trees that context is taken from. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contexts } from '../engine/ports/contexts.ts';
import type { Redact } from '../engine/ports/surroundings.ts';
import type { PacketMakers } from '../hands/workers/packet.ts';
import { sha256 } from '../kernel/hash.ts';
import type { Settings } from '../mind/config/project-config.ts';
import { writePrivateFile } from '../os/files/private-file.ts';
import { programName } from '../os/files/program-name.ts';
import type { PromptFiles } from './config/prompt-files.ts';
import type { ProjectAt } from './open-store.ts';

export function packetMakers(of: {
  readonly project: ProjectAt;
  readonly settings: Settings;
  readonly told: PromptFiles;
  readonly redact: Redact;
  readonly checkout: string | null;
  /** Where facts about the repository are cached for other processes; null for no cache. */
  readonly stateDir: string | null;
}): Omit<PacketMakers, 'settings'> {
  const { project, settings, told, redact, checkout } = of;
  const count = once(async () => (await import('../hands/context/token-file.ts')).counter());
  // Loaded with the first packet: many runs only look, or play a script.
  const contexts = once(async (): Promise<Contexts> => {
    const { PackedContexts } = await import('../hands/context/pack.ts');
    const { GitTrees } = await import('../hands/context/tree.ts');
    const { ContentCache } = await import('../hands/context/content-cache.ts');
    // A run from source has no version to key the cache by, so nothing is stored.
    const version = programName(import.meta.filename);
    const dir = of.stateDir === null || version === null ? null : join(of.stateDir, 'cache', 'context', project.id);
    const cache = new ContentCache({ dir, version: version ?? '' });
    return new PackedContexts({
      trees: new GitTrees({ commonDir: project.commonDir, worktree: checkout, cache }),
      redact,
      strategies: told.strategy,
      count,
      knowledge: settings.knowledge,
      cache,
    });
  });
  return {
    redact,
    count,
    seed: seedsFor(of.stateDir, project.id),
    role: (name) => told.roles.get(name),
    templates: told.templates,
    contexts: { pack: async (ask, signal) => (await contexts()).pack(ask, signal) },
  };
}

/** The same seed for all attempts of a step in every process; another one for every other step. */
export const seedsFor =
  (stateDir: string | null, project: string) =>
  (task: string, step: string): string =>
    sha256(JSON.stringify([secretOf(stateDir), project, task, step]));

/** Made once per installation. The sandbox hides the state directory, so no worker can compute a mark. */
function secretOf(stateDir: string | null): string {
  if (stateDir === null) return PASSING_SECRET;
  const file = join(stateDir, 'mark-secret');
  const known = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (/^[0-9a-f]{64}$/.test(known)) return known;
  const secret = randomBytes(32).toString('hex');
  writePrivateFile(file, secret);
  return secret;
}

/** For a process that stores nothing. */
const PASSING_SECRET = randomBytes(32).toString('hex');

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}
