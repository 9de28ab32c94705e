/** The packer of the product, asked as for an implementer with 25,000 tokens. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ContentCache } from '../src/hands/context/content-cache.ts';
import { PackedContexts } from '../src/hands/context/pack.ts';
import { counter } from '../src/hands/context/token-file.ts';
import { GitTrees } from '../src/hands/context/tree.ts';
import { createRedactor } from '../src/hands/redact/redact.ts';
import type { PackedContext } from '../src/mind/context/packed.ts';
import { parseStrategy } from '../src/mind/context/strategy.ts';
import type { Role } from '../src/mind/roles/role.ts';

export const BUDGET = 25_000;

export type Task = {
  readonly base: string;
  readonly text: string;
  readonly target: string;
  readonly seed: string;
  /** Instead of the role's own. */
  readonly strategy?: string;
};

const role = {
  name: 'implementer',
  context: {
    ...{ strategy: 'implementer_targeted', token_budget: BUDGET, git_diff: true },
    ...{ include: [], exclude: [], always_include: [], priority_order: [] },
  },
} as unknown as Role;

export type Places = {
  readonly commonDir: string;
  readonly worktree: string | null;
  /** The folder of the built-in strategies. */
  readonly strategies: string;
  /** Where packets of other processes left something; null: nowhere. */
  readonly cacheDir: string | null;
};

export function implementerPacks({ commonDir, worktree, strategies, cacheDir }: Places) {
  const cache = new ContentCache({ dir: cacheDir, version: 'bench' });
  const contexts = new PackedContexts({
    cache,
    trees: new GitTrees({ commonDir, worktree, cache }),
    redact: createRedactor(),
    strategies: (name) => {
      const file = join(strategies, `${name}.yaml`);
      const parsed = parseStrategy(readFileSync(file, 'utf8'), file);
      if (parsed.type === 'problem') throw new Error(parsed.message);
      return parsed.value;
    },
    count: counter,
    knowledge: ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', 'docs/knowledge/**'],
  });
  return async ({ target, ...task }: Task): Promise<PackedContext> => {
    const ask = { role, tree: null, targets: [target], budget: BUDGET, factor: 1, ...task };
    const packed = await contexts.pack(ask);
    if (packed.tokens > BUDGET) throw new Error(`the packet has ${packed.tokens} tokens, more than ${BUDGET}`);
    return packed;
  };
}
