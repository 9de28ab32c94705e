/** What the product itself would send: the packer as it runs, on the tree before a commit, without a checkout. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PackedContexts } from '../../src/hands/context/pack.ts';
import { counter } from '../../src/hands/context/token-file.ts';
import { GitTrees } from '../../src/hands/context/tree.ts';
import { createRedactor } from '../../src/hands/redact/redact.ts';
import type { PackedPart, PartKind } from '../../src/mind/context/packed.ts';
import { parseStrategy } from '../../src/mind/context/strategy.ts';
import type { Lines } from '../../src/mind/ranking/excerpt.ts';
import type { Role } from '../../src/mind/roles/role.ts';
import type { Commit } from './make-list.ts';
import { BUDGET } from './measure.ts';

/** The lines of each file that the packet shows. */
export type Packet = ReadonlyMap<string, readonly Lines[]>;

const STRATEGIES = join(import.meta.dirname, '../../templates/strategies');
/** Overviews name files and outline them, which is not to show them. */
const OVERVIEWS: ReadonlySet<PartKind> = new Set(['map', 'tree', 'git_diff']);

const role = {
  name: 'implementer',
  context: {
    ...{ strategy: 'implementer_targeted', token_budget: BUDGET, git_diff: true },
    ...{ include: [], exclude: [], always_include: [], priority_order: [] },
  },
} as unknown as Role;

export class Packets {
  readonly #cacheDir = mkdtempSync(join(tmpdir(), 'recall-'));
  readonly #contexts: PackedContexts;

  constructor(commonDir: string) {
    process.once('exit', () => rmSync(this.#cacheDir, { recursive: true, force: true }));
    const kept = { cacheDir: this.#cacheDir };
    this.#contexts = new PackedContexts({
      ...kept,
      trees: new GitTrees({ commonDir, worktree: null, ...kept }),
      redact: createRedactor(),
      strategies: (name) => {
        const file = join(STRATEGIES, `${name}.yaml`);
        const parsed = parseStrategy(readFileSync(file, 'utf8'), file);
        if (parsed.type === 'problem') throw new Error(parsed.message);
        return parsed.value;
      },
      count: counter,
      knowledge: ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', 'docs/knowledge/**'],
    });
  }

  async of({ commit, parent, message, target }: Commit): Promise<Packet> {
    const ask = { role, base: parent, tree: null, text: message, targets: [target], budget: BUDGET, factor: 1 };
    const { parts, tokens } = await this.#contexts.pack({ ...ask, seed: commit });
    if (tokens > BUDGET) throw new Error(`the packet for ${commit} has ${tokens} tokens, more than ${BUDGET}`);
    return new Map(
      parts.flatMap((part) => {
        const lines = shownIn(part);
        return part.path === null || lines.length === 0 ? [] : [[part.path, lines] as const];
      }),
    );
  }
}

/** `12-80,95`; a public API is an outline too. */
export function shownIn({ kind, lines }: Pick<PackedPart, 'kind' | 'lines'>): readonly Lines[] {
  if (OVERVIEWS.has(kind)) return [];
  if (lines === null) return [{ from: 1, to: Number.POSITIVE_INFINITY }];
  if (!/^\d/.test(lines)) return [];
  return lines.split(',').map((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return { from, to };
  });
}
