/** A small project and a packer for it, with the real trees, the real tokeniser and the shipped strategies. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContextAsk } from '../../src/engine/ports/contexts.ts';
import type { Redact } from '../../src/engine/ports/surroundings.ts';
import { PackedContexts, type PackedContextsOptions } from '../../src/hands/context/pack.ts';
import type { PackedContext } from '../../src/mind/context/packed.ts';
import { parseStrategy, type Strategy } from '../../src/mind/context/strategy.ts';
import type { Role, RoleContext } from '../../src/mind/roles/role.ts';
import { loadCounter } from '../../src/mind/tokens/count.ts';
import { role } from '../support/role.ts';
import { type Repository, repository } from './tree-repository.ts';

export const ROLE_CONTEXT: RoleContext = {
  strategy: 'implementer_full',
  include: [],
  exclude: [],
  always_include: [],
  token_budget: 20_000,
  git_diff: false,
  priority_order: [],
};

export const roleWith = (context: Partial<RoleContext>): Role =>
  role('implementer', { context: { ...ROLE_CONTEXT, ...context } });

const SHIPPED = join(import.meta.dirname, '../../templates/strategies');
export function strategyOf(name: string, yaml = readFileSync(join(SHIPPED, `${name}.yaml`), 'utf8')): Strategy {
  const parsed = parseStrategy(yaml, `${name}.yaml`);
  if (parsed.type === 'problem') throw new Error(parsed.message);
  return parsed.value;
}

/** Leaves texts as they are. */
export const untouched: Redact = async (texts) => texts;

let loaded: Promise<(text: string) => number> | undefined;
export function counter(): Promise<(text: string) => number> {
  loaded ??= loadCounter();
  return loaded;
}

export type PackAsk = Partial<Omit<ContextAsk, 'role'>> & { readonly context?: Partial<RoleContext> };
export type PackWorld = Repository & {
  /** Made anew for each call that says `options`. */
  contexts(options?: Partial<PackedContextsOptions>): PackedContexts;
  pack(ask?: PackAsk, contexts?: PackedContexts): Promise<PackedContext>;
  /** The tree of what the directory holds now; the commit stays. */
  written(): string;
};

export function packWorld(files: Readonly<Record<string, string | Uint8Array>>, redact: Redact = untouched): PackWorld {
  const own = repository(files);
  const base = own.git('rev-parse', 'HEAD');
  let first: PackedContexts | undefined;
  const contexts = (options: Partial<PackedContextsOptions> = {}) =>
    new PackedContexts({
      ...{ trees: own.trees(), redact, strategies: strategyOf, count: counter, knowledge: ['AGENTS.md', 'CLAUDE.md'] },
      ...options,
    });
  const shared = () => {
    first ??= contexts();
    return first;
  };
  return {
    ...own,
    contexts,
    pack: ({ context = {}, ...ask } = {}, packer = shared()) =>
      packer.pack({
        ...{ role: roleWith(context), base, tree: null, text: 'Say hello', targets: [] },
        ...{ budget: 10_000, factor: 1, seed: 'seed' },
        ...ask,
      }),
    written: () => {
      own.git('add', '-A', '.');
      return own.git('write-tree');
    },
  };
}

export const kindsOf = ({ parts }: PackedContext): Record<string, (string | null)[]> => {
  const kinds: Record<string, (string | null)[]> = {};
  for (const { kind, path } of parts) kinds[kind] = [...(kinds[kind] ?? []), path];
  return kinds;
};
