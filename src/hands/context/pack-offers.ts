/** Turns candidates and diffs into redacted offers for the budget; reports what cannot be shown. */
import type { ContextAsk } from '../../engine/ports/contexts.ts';
import type { TreeFile } from '../../engine/ports/project-tree.ts';
import type { ShownWish } from '../../mind/context/candidates.ts';
import type { Offer, ShortenedPart } from '../../mind/context/fit.ts';
import { fixtureLimit } from '../../mind/context/fixture-folders.ts';
import { diffOffer, fileOffer } from '../../mind/context/offers.ts';
import type { Estimate } from '../../mind/context/outlines.ts';
import { type LeftOut, NAMED_KINDS, NO_ROOM } from '../../mind/context/packed.ts';
import type { Plan, Use } from '../../mind/context/plan.ts';
import type { PartKind } from '../../mind/fields/part-kinds.ts';
import { shareFor } from '../../mind/ranking/shares.ts';
import type { ContentCache } from './content-cache.ts';
import { diffPieces } from './pack-diff.ts';
import type { FoundFacts, Views } from './pack-find.ts';
import { mapOffer, pathsOffer, treeOffer } from './pack-overviews.ts';
import { type Clean, notOurs } from './pack-texts.ts';
import type { PackTools } from './pack-tools.ts';
import type { View } from './pack-view.ts';

type Offered = { readonly offers: readonly Offer[]; readonly left: readonly LeftOut[] };

/** Files are read until they would overfill the budget a little; smaller ones than guessed make room for more. */
const SPARE = 1.15;
const BYTES_PER_TOKEN = 3.5;

export async function fileOffers(
  candidates: readonly ShownWish[],
  ask: ContextAsk,
  finding: FoundFacts,
  view: View,
  tools: PackTools,
  estimate: Estimate,
): Promise<Offered> {
  const left: LeftOut[] = [];
  const offers: Offer[] = [];
  const room = new Room(finding.found.plan, ask);
  // The same text under another name counts as read, too.
  const own = (ask.reading?.instructions ?? []).flatMap((path) => view.byPath.get(path) ?? []);
  const knowledge = new Map(own.map(({ id, path }) => [id, path]));
  for (let rest = candidates; rest.length > 0; ) {
    // The size is first guessed from the bytes, so that many files can be read at once.
    const guessed = room.copy();
    const near = rest.filter((one) =>
      guessed.take(one, ((view.byPath.get(one.path)?.bytes ?? 0) / BYTES_PER_TOKEN) * ask.factor),
    );
    if (near.length === 0) {
      left.push(...rest.map(({ path, kind }) => ({ path, kind, reason: NO_ROOM })));
      break;
    }
    const contents = await tools.texts.read(
      view.tree,
      near.map(({ path }) => view.byPath.get(path) as TreeFile),
    );
    for (const [n, candidate] of near.entries()) {
      const offer = offerOf(candidate, contents[n] ?? 'cannot be read', {
        finding,
        view,
        tools,
        estimate,
        knowledge,
        factor: ask.factor,
      });
      if (typeof offer === 'string') left.push({ path: candidate.path, kind: candidate.kind, reason: offer });
      else {
        room.take(candidate, estimate(offer.text ?? ''));
        offers.push(offer);
      }
    }
    const read = new Set(near);
    rest = rest.filter((one) => !read.has(one));
  }
  return { offers, left };
}

/** Tracks roughly how full the budget is, and each kind's share of it. */
class Room {
  readonly #plan: Plan;
  readonly #budget: number;
  readonly #spent = new Map<PartKind, number>();
  #all = 0;
  #ranked = 0;

  constructor(plan: Plan, { budget }: Pick<ContextAsk, 'budget'>) {
    this.#plan = plan;
    this.#budget = budget;
  }

  copy(): Room {
    const copy = new Room(this.#plan, { budget: this.#budget });
    for (const [kind, tokens] of this.#spent) copy.#spent.set(kind, tokens);
    copy.#all = this.#all;
    copy.#ranked = this.#ranked;
    return copy;
  }

  /** Returns false if there is no room. Protected files need none. */
  take({ kind }: ShownWish, tokens: number): boolean {
    if (kind === 'always_include') return true;
    const use = this.#plan.uses.get(kind);
    const whole = NAMED_KINDS.has(kind) ? this.#budget : Math.min(this.#budget, this.#plan.enough);
    const share = whole * (use?.share ?? 1);
    const before = this.#spent.get(kind) ?? 0;
    if (this.#all > this.#budget * SPARE || before > share * SPARE) return false;
    // Mirrors how the budget will be shared: a file far down in the ranking gets less than the maximum.
    const most = kind === 'related' ? shareFor(this.#ranked++, use?.most ?? tokens) : (use?.most ?? tokens);
    const taken = Math.min(tokens, most, share);
    this.#spent.set(kind, before + taken);
    // Beyond its share, a kind takes nothing from the others.
    this.#all += Math.min(taken, Math.max(0, share - before));
    return true;
  }
}

type OfferWith = {
  readonly finding: FoundFacts;
  readonly view: View;
  readonly tools: PackTools;
  readonly estimate: Estimate;
  readonly knowledge: Map<string, string>;
  readonly factor: number;
};

/** A string is the reason why it cannot be shown. */
function offerOf(candidate: ShownWish, clean: Clean | string, told: OfferWith): Offer | string {
  if (typeof clean === 'string') return clean;
  const { view, tools, estimate, finding } = told;
  const { found, terms } = finding;
  const reason = unwanted(candidate, clean) ?? twin(candidate, view, told.knowledge);
  if (reason !== null) return reason;
  const { most, excerpt } = found.plan.uses.get(candidate.kind) as Use;
  const offer = fileOffer(candidate, clean.text, { terms, estimate, most });
  if (offer.text === '') return offer.lines === null ? 'is empty' : 'has no public API';
  const { id = '' } = view.byPath.get(candidate.path) ?? {};
  const { shrink, ...rest } = remembered(
    offer,
    `${id} ${candidate.path} ${tools.nameOf(terms)} ${told.factor}`,
    tools.cache,
  );
  return { ...rest, shrink: shrink && ((room, shown) => shrink(Math.min(room, excerpt), shown)) };
}

/** Choosing the lines of an excerpt takes longer than the rest of a packet, and the next packet has the same ones. */
function remembered(offer: Offer, name: string, cache: ContentCache): Offer {
  const { shrink } = offer;
  if (shrink === null) return offer;
  return {
    ...offer,
    shrink: (room, shown) => {
      const own = `excerpt ${offer.lines} ${room} ${name}`;
      const before = cache.get<{ readonly shown: ShortenedPart | null }>(own);
      if (before !== undefined) return before.shown;
      const made = shrink(room, shown);
      cache.set(own, { shown: made }, own.length * 2 + (made?.text.length ?? 0) * 2);
      return made;
    },
  };
}

/** Many projects keep the same text in one file per CLI. */
function twin({ kind, path }: ShownWish, { byPath }: View, seen: Map<string, string>): string | null {
  if (kind !== 'knowledge') return null;
  const id = byPath.get(path)?.id ?? '';
  const first = seen.get(id);
  if (first === undefined) seen.set(id, path);
  return first === undefined ? null : `is the same as ${first}`;
}

/** A named file is shown, even if it is generated. */
const unwanted = ({ kind, path }: ShownWish, clean: Clean): string | null =>
  kind === 'always_include' || kind === 'target_file' ? null : notOurs(path, clean);

export async function diffOffers(
  finding: FoundFacts,
  views: Views,
  tools: PackTools,
  estimate: Estimate,
): Promise<Offered> {
  const { found, diff, excluded, apiOnly } = finding;
  const use = found.plan.uses.get('git_diff');
  if (use === undefined || diff.text === '') return { offers: [], left: [] };
  const hide = (path: string) =>
    excluded(path) ?? (apiOnly(path) ? 'only the public API of the component may be seen' : null);
  const { pieces, left } = await diffPieces(diff, views, tools.texts, hide);
  const targets = new Set(found.targets);
  const offers = pieces.map(({ path, text }, n) =>
    diffOffer(path, text, (targets.has(path) ? 1 : 0) - n / 1e6, { estimate, most: use.most }),
  );
  return { offers, left };
}

export async function overviewOffers(
  { found, excluded, apiOnly, terms }: FoundFacts,
  view: View,
  budget: number,
  tools: PackTools,
  estimate: Estimate,
  shown: ReadonlySet<string>,
): Promise<readonly Offer[]> {
  const { uses, depth } = found.plan;
  const [map, tree] = [uses.get('map'), uses.get('tree')];
  // Outlines contain the names of internals, too.
  const hide = (path: string) => excluded(path) !== null || apiOnly(path);
  const offers: Offer[] = [];
  if (map !== undefined)
    offers.push(
      await mapOffer(view, { ranked: found.ranked, terms, most: map.maxFiles, hide, shown }, tools, estimate),
    );
  if (tree !== undefined) offers.push(await treeOffer(view, depth, Math.floor(budget * tree.share), tools, estimate));
  return offers;
}

/** The likeliest files by name. Their text may not fit, but their path is always worth its tokens. */
export async function pathOffers(
  { found, excluded }: FoundFacts,
  tools: PackTools,
  estimate: Estimate,
): Promise<readonly Offer[]> {
  const use = found.plan.uses.get('paths');
  if (use === undefined) return [];
  const isAllowed = fixtureLimit();
  const likely = found.ranked.filter(({ path }) => excluded(path) === null && isAllowed(path)).slice(0, use.maxFiles);
  return likely.length === 0 ? [] : [await pathsOffer(likely, tools, estimate)];
}
