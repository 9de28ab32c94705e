/** What the product itself would send: the packer as it runs, on the tree before a commit, without a checkout. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PackedPart } from '../../src/mind/context/packed.ts';
import type { PartKind } from '../../src/mind/fields/part-kinds.ts';
import type { LineRange } from '../../src/mind/ranking/excerpt.ts';
import { implementerPacks } from '../implementer.ts';
import type { Commit } from './make-list.ts';

export type Packet = {
  /** The lines of each file that the packet shows. */
  readonly shown: ReadonlyMap<string, readonly LineRange[]>;
  /** Files that it names, in its list of paths or as left out. */
  readonly named: ReadonlySet<string>;
  readonly tokens: number;
  /** Tokens of each file's text. */
  readonly spent: ReadonlyMap<string, number>;
};

const STRATEGIES = join(import.meta.dirname, '../../templates/strategies');
/** Overviews name files and outline them, which is not to show them. */
const OVERVIEWS: ReadonlySet<PartKind> = new Set(['map', 'tree', 'git_diff']);

export class Packets {
  readonly #cacheDir = mkdtempSync(join(tmpdir(), 'recall-'));
  readonly #pack;

  constructor(commonDir: string) {
    process.once('exit', () => rmSync(this.#cacheDir, { recursive: true, force: true }));
    const cacheDir = this.#cacheDir;
    this.#pack = implementerPacks({ commonDir, worktree: null, cacheDir, strategies: STRATEGIES });
  }

  async of({ commit, parent, message, target }: Commit, strategy: string): Promise<Packet> {
    const packed = await this.#pack({ base: parent, text: message, target, seed: commit, strategy });
    const shown = packed.parts.flatMap((part) => {
      const lines = shownIn(part);
      return part.path === null || lines.length === 0 ? [] : [{ path: part.path, lines, tokens: part.tokens }];
    });
    return {
      shown: new Map(shown.map(({ path, lines }) => [path, lines])),
      named: new Set(namedIn(packed.text)),
      tokens: packed.tokens,
      spent: new Map(shown.map(({ path, tokens }) => [path, tokens])),
    };
  }
}

/** Lists of paths in the text as it is sent, so that only what a worker can read counts. */
export function namedIn(text: string): string[] {
  const lists = text.matchAll(/^<<<(\d+) (?:likely files|names of files)\n([\s\S]*?)\n\1>>>$/gm);
  return [...lists].flatMap(([, , list = '']) => list.split('\n').map((line) => line.replace(/ {2}\(.*$/, '')));
}

/** `12-80,95`; a public API is an outline too. */
export function shownIn({ kind, lines }: Pick<PackedPart, 'kind' | 'lines'>): readonly LineRange[] {
  if (OVERVIEWS.has(kind)) return [];
  if (lines === null) return [{ from: 1, to: Number.POSITIVE_INFINITY }];
  if (!/^\d/.test(lines)) return [];
  return lines.split(',').map((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return { from, to };
  });
}
