/** Packs one task of a repository, in a process that has done nothing else, and then once more what it knows by then. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PackedContexts } from '../src/hands/context/pack.ts';
import { counter } from '../src/hands/context/token-file.ts';
import { GitTrees } from '../src/hands/context/tree.ts';
import { createRedactor } from '../src/hands/redact/redact.ts';
import { parseStrategy } from '../src/mind/context/strategy.ts';
import type { Role } from '../src/mind/roles/role.ts';
import { endsSoon } from '../src/os/machine/short-lived.ts';

export type PackedOnce = {
  readonly files: readonly string[];
  readonly tokens: number;
  /** Of each packet after the first, on the wall. */
  readonly warmMs: readonly number[];
};

const BUDGET = 25_000;
const [dir = '', templates = '', again = '0', base = '', text = '', target = '', cacheDir = ''] = process.argv.slice(2);

// As the command that packs does it; what is packed again is measured as in a process that stays.
if (again === '0') endsSoon();

const role = {
  name: 'implementer',
  context: {
    ...{ strategy: 'implementer_targeted', token_budget: BUDGET, git_diff: true },
    ...{ include: [], exclude: [], always_include: [], priority_order: [] },
  },
} as unknown as Role;
const kept = { cacheDir: cacheDir === '' ? null : cacheDir };
const contexts = new PackedContexts({
  ...kept,
  trees: new GitTrees({ commonDir: join(dir, '.git'), worktree: dir, ...kept }),
  redact: createRedactor(),
  strategies: (name) => {
    const file = join(templates, `${name}.yaml`);
    const parsed = parseStrategy(readFileSync(file, 'utf8'), file);
    if (parsed.type === 'problem') throw new Error(parsed.message);
    return parsed.value;
  },
  count: counter,
  knowledge: ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', 'docs/knowledge/**'],
});
const pack = (seed: string) =>
  contexts.pack({ ...{ role, base, tree: null, text, targets: [target], budget: BUDGET, factor: 1 }, seed });

const packed = await pack('one');
if (packed.tokens > BUDGET) throw new Error(`${packed.tokens} tokens are over the budget`);
const warmMs: number[] = [];
for (let n = 0; n < Number(again); n += 1) {
  const start = performance.now();
  await pack(`again-${n}`);
  warmMs.push(performance.now() - start);
}
const files = [...new Set(packed.parts.flatMap(({ path }) => path ?? []))];
console.log(JSON.stringify({ files, tokens: packed.tokens, warmMs } satisfies PackedOnce));
