/** Turns wishes for files into candidates: each file once, in its most needed kind; the others with the reason. */

import type { PartKind } from '../fields/part-kinds.ts';
import { fixtureLimit, MAX_OF_FIXTURE_FOLDER } from './fixture-folders.ts';
import { MAX_FILE_BYTES, MAX_LEFT, MAX_PROTECTED_BYTES } from './limits.ts';
import type { LeftOut } from './packed.ts';
import type { Use } from './plan.ts';
import { isSecretFile } from './secret-files.ts';

export type FileFacts = { readonly path: string; readonly bytes: number; readonly link: boolean };

/** A request to show a file. */
export type Wish = {
  readonly kind: PartKind;
  readonly path: string;
  readonly score: number;
  readonly why: string;
};

/** How it is shown if there is room. */
type Showing = 'whole' | 'excerpts' | 'api';
export type ShownWish = Wish & { readonly show: Showing };

export type ChooseOptions = {
  readonly files: { get(path: string): FileFacts | undefined };
  /** Most needed kind first. */
  readonly order: readonly PartKind[];
  readonly uses: ReadonlyMap<PartKind, Use>;
  /** Why a path must not be shown; null if it may be. Not called for protected files. */
  readonly excluded: (path: string) => string | null;
  /** Project knowledge that the CLI reads by itself. */
  readonly read?: ReadonlySet<string>;
  /** Files of which only the public API may be shown. */
  readonly apiOnly: (path: string) => boolean;
};

type ChosenWishes = { readonly candidates: readonly ShownWish[]; readonly left: readonly LeftOut[] };

/** Candidates are returned in order of need. */
export function choose(wishes: readonly Wish[], told: ChooseOptions): ChosenWishes {
  const rank = new Map(told.order.map((kind, place) => [kind, place]));
  const sorted = wishes
    .filter(({ kind }) => told.uses.has(kind))
    .sort(
      (a, b) => (rank.get(a.kind) ?? 0) - (rank.get(b.kind) ?? 0) || b.score - a.score || (a.path < b.path ? -1 : 1),
    );
  const seen = new Set<string>();
  const counts = new Map<PartKind, number>();
  const candidates: ShownWish[] = [];
  const left = new LeftList();
  const isAllowed = fixtureLimit();
  let protectedBytes = 0;
  for (const wish of sorted) {
    if (seen.has(wish.path)) continue;
    seen.add(wish.path);
    const file = told.files.get(wish.path);
    const use = told.uses.get(wish.kind) as Use;
    const count = counts.get(wish.kind) ?? 0;
    const always = wish.kind === 'always_include';
    const reason =
      unfit(wish.path, file) ??
      (always ? null : told.excluded(wish.path)) ??
      (wish.kind === 'knowledge' && told.read?.has(wish.path) === true ? 'the CLI reads it by itself' : null) ??
      (always && protectedBytes + (file?.bytes ?? 0) > MAX_PROTECTED_BYTES
        ? `protected files are over ${MAX_PROTECTED_BYTES} bytes together`
        : null) ??
      (count >= use.maxFiles ? `more than ${use.maxFiles} files of this kind` : null) ??
      (wish.kind === 'related' && !isAllowed(wish.path)
        ? `more than ${MAX_OF_FIXTURE_FOLDER} files of one fixture folder`
        : null);
    if (reason !== null) {
      left.add({ path: wish.path, kind: wish.kind, reason });
      continue;
    }
    counts.set(wish.kind, count + 1);
    if (always) protectedBytes += file?.bytes ?? 0;
    const show = told.apiOnly(wish.path) && !always ? 'api' : use.whole || always ? 'whole' : 'excerpts';
    candidates.push({ ...wish, show });
  }
  return { candidates, left: left.all };
}

/** Why a file cannot be shown at all, known before reading it. */
function unfit(path: string, file: FileFacts | undefined): string | null {
  if (isSecretFile(path)) return 'holds secrets by its name: never shown';
  if (file === undefined) return 'is not in the tree';
  if (file.link) return 'is a link: never followed';
  return file.bytes > MAX_FILE_BYTES ? `has ${file.bytes} bytes, more than ${MAX_FILE_BYTES}` : null;
}

/** A pattern may match thousands of files that are not shown; the list stays readable. */
class LeftList {
  readonly #all: LeftOut[] = [];

  add(one: LeftOut): void {
    if (this.#all.length < MAX_LEFT) this.#all.push(one);
  }

  get all(): readonly LeftOut[] {
    return this.#all;
  }
}
