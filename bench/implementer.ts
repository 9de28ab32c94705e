/** The packer of the product, asked as for an implementer with 25,000 tokens. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadPacking } from '../src/app/packets.ts';
import { counter } from '../src/hands/context/token-file.ts';
import type { TreesOptions } from '../src/hands/context/tree.ts';
import { createRedactor } from '../src/hands/redact/redact.ts';
import type { Packed } from '../src/mind/context/packed.ts';
import { parseStrategy } from '../src/mind/context/strategy.ts';
import type { Role } from '../src/mind/roles/role.ts';

export const BUDGET = 25_000;

export type Task = { readonly base: string; readonly text: string; readonly target: string; readonly seed: string };

const role = {
  name: 'implementer',
  context: {
    ...{ strategy: 'implementer_targeted', token_budget: BUDGET, git_diff: true },
    ...{ include: [], exclude: [], always_include: [], priority_order: [] },
  },
} as unknown as Role;

/** `strategies`: the directory of the built-in ones. */
export function implementerPacks(of: TreesOptions & { readonly strategies: string }): (task: Task) => Promise<Packed> {
  const { strategies, ...places } = of;
  const made = loadPacking().then(
    ({ PackedContexts, GitTrees }) =>
      new PackedContexts({
        cacheDir: places.cacheDir ?? null,
        trees: new GitTrees(places),
        redact: createRedactor(),
        strategies: (name) => {
          const file = join(strategies, `${name}.yaml`);
          const parsed = parseStrategy(readFileSync(file, 'utf8'), file);
          if (parsed.type === 'problem') throw new Error(parsed.message);
          return parsed.value;
        },
        count: counter,
        knowledge: ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', 'docs/knowledge/**'],
      }),
  );
  return async ({ base, text, target, seed }) => {
    const ask = { role, base, tree: null, text, targets: [target], budget: BUDGET, factor: 1, seed };
    const packed = await (await made).pack(ask);
    if (packed.tokens > BUDGET) throw new Error(`the packet has ${packed.tokens} tokens, more than ${BUDGET}`);
    return packed;
  };
}
