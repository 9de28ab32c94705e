/**
 * Fits parts into a budget. Protected parts always get in. The others follow in order of need; one that does not fit is
 * shortened if possible, or else left out. The result is counted as a whole: the tokens of a text are not the sum of
 * the tokens of its pieces.
 */

import type { PartKind } from '../fields/part-kinds.ts';
import { shareFor } from '../ranking/shares.ts';
import { MIN_EXCERPT_TOKENS, MIN_FOUND_TOKENS, NOTICE_TOKENS } from './limits.ts';
import { type ContextPart, type LeftOut, largerThan, NAMED_KINDS, NO_ROOM, SHARE_USED } from './packed.ts';

/** A shortened part. */
export type ShortenedPart = { readonly text: string; readonly lines: string | null };

export type Offer = Omit<ContextPart, 'text'> & {
  /** The text; null if it is made when its turn comes. */
  readonly text: string | null;
  /** The most tokens it may take. */
  readonly most: number;
  /**
   * Returns a version with at most `room` tokens; `shown` are the files that already fit. Null if it cannot be
   * shortened usefully.
   */
  readonly shrink: ((room: number, shown: ReadonlySet<string>) => ShortenedPart | null) | null;
};

export type FitOptions = {
  readonly budget: number;
  readonly protectedKinds: ReadonlySet<PartKind>;
  /** Most needed kind first. */
  readonly order: readonly PartKind[];
  /** The largest share of the budget per kind; a kind without an entry may take all of it. */
  readonly shares: ReadonlyMap<PartKind, number>;
  /**
   * Files that the task does not name are added only up to this many tokens; their shares are shares of it. Absent: the
   * budget.
   */
  readonly enough?: number;
  /** The real tokeniser, times the model's factor. */
  readonly count: (text: string) => number;
  /** Cheap and roughly right: parts that are far too large are not counted. */
  readonly estimate: (text: string) => number;
  /** A part as it will appear in the packet. */
  readonly wrap: (part: ContextPart) => string;
  /** Left out before the budget was considered; listed after those that did not fit. */
  readonly before?: readonly LeftOut[];
  /** Renders everything, with a note on what is missing if `left` is not empty and there is room. */
  readonly render: (parts: readonly ContextPart[], left: readonly LeftOut[]) => string;
};

type FittedPart = ContextPart & { readonly tokens: number; readonly protected: boolean };
export type Fitted = {
  readonly text: string;
  readonly tokens: number;
  readonly parts: readonly FittedPart[];
  readonly left: readonly LeftOut[];
  readonly warnings: readonly string[];
};

/**
 * The estimate nearly always errs by less than this factor; a part is only skipped uncounted if it is far too large.
 */
const SURELY = 1.6;
/** Two adjacent texts may cost this much more than both alone. */
const SEAM = 2;
/** A separate heading. */
const HEADING = 14;

/** What became of an offer, in order of need. */
type OfferSlot = {
  readonly offer: Offer;
  readonly kept: boolean;
  /** Tokens of the heading above it, if it is the first of its kind. */
  heading: number;
  /** The offer's place in the ranking limited its size. */
  held: boolean;
  part: FittedPart | null;
  missing: LeftOut | null;
};

/** Adds parts one after the other. */
export class Fit {
  readonly #told: FitOptions;
  #room: number;
  /** Tokens of files that the task, the role or the change so far names. */
  #named = 0;
  #ranked = 0;
  readonly #slots: OfferSlot[] = [];
  readonly #spent = new Map<PartKind, number>();
  readonly #shown = new Set<string>();

  constructor(asked: FitOptions) {
    this.#told = { ...asked, budget: Math.max(0, asked.budget) };
    this.#room = this.#told.budget - Math.min(NOTICE_TOKENS, Math.ceil(this.#told.budget / 10));
  }

  /** About how many tokens are left for found files; the packet as a whole is not counted. */
  get room(): number {
    const { budget, enough = budget } = this.#told;
    const spent = [...this.#spent.values()].reduce((sum, tokens) => sum + tokens, 0);
    return Math.min(this.#room, Math.max(enough - this.#named, MIN_FOUND_TOKENS) - (spent - this.#named));
  }

  /** The files that are in. */
  get shown(): ReadonlySet<string> {
    return this.#shown;
  }

  /** Adds offers after all earlier ones, whatever their kinds. */
  add(offers: readonly Offer[]): this {
    for (const offer of sorted(offers, this.#told)) {
      const kept = this.#told.protectedKinds.has(offer.kind);
      // Files found by ranking get less room the lower they rank. Named and tied files may use all of it.
      const most = offer.kind === 'related' ? shareFor(this.#ranked, offer.most) : offer.most;
      const slot: OfferSlot = { offer, kept, heading: 0, held: false, part: null, missing: null };
      this.#slots.push(slot);
      this.#fill(slot, most);
      if (slot.part !== null && offer.kind === 'related') this.#ranked++;
    }
    return this;
  }

  end(): Fitted {
    this.#grow();
    const taken = this.#slots.flatMap(({ part }) => part ?? []);
    const left = this.#slots.flatMap(({ part, missing }) => (part === null && missing !== null ? [missing] : []));
    return settled(taken, left, this.#told);
  }

  /** Room must not stay unused: files that were cut get more, best first. */
  #grow(): void {
    for (const slot of this.#slots) {
      if (this.room < MIN_EXCERPT_TOKENS) return;
      const { offer, part, held } = slot;
      if (held && part?.text !== offer.text) this.#fill(slot, offer.most);
    }
  }

  /** Adds the offer, or enlarges it. */
  #fill(slot: OfferSlot, most: number): void {
    const { offer, kept, part: before } = slot;
    const told = this.#told;
    const own = before === null ? 0 : before.tokens + slot.heading;
    const used = (this.#spent.get(offer.kind) ?? 0) - own;
    const isNamed = NAMED_KINDS.has(offer.kind);
    const room = (isNamed ? this.#room : this.room) + own;
    const whole = isNamed ? told.budget : Math.min(told.budget, told.enough ?? told.budget);
    const share = Math.floor((told.shares.get(offer.kind) ?? 1) * whole) - used;
    const heading = before !== null ? slot.heading : used === 0 ? HEADING : 0;
    const limit = kept ? Number.POSITIVE_INFINITY : Math.min(room - heading, share, most);
    const part = kept ? inFull(offer, told) : sized(offer, limit, this.#shown, told);
    slot.held = limit === most && most < offer.most;
    if (part === null) {
      if (before === null && (offer.path !== null || offer.text !== null))
        slot.missing = missing(offer, limit, slot.held ? limit : room - heading);
      return;
    }
    const { tokens } = part;
    if (before !== null && tokens <= before.tokens) return;
    slot.part = { ...part, protected: kept };
    slot.heading = heading;
    this.#spent.set(offer.kind, used + tokens + heading);
    this.#room += own - tokens - heading;
    if (isNamed) this.#named += tokens + heading - own;
    if (part.path !== null && part.kind !== 'git_diff') this.#shown.add(part.path);
  }
}

function sorted(offers: readonly Offer[], told: FitOptions): Offer[] {
  const rank = new Map(told.order.map((kind, place) => [kind, place]));
  const isProtected = ({ kind }: Offer) => told.protectedKinds.has(kind);
  return [...offers].sort(
    (a, b) =>
      Number(isProtected(b)) - Number(isProtected(a)) ||
      (rank.get(a.kind) ?? 0) - (rank.get(b.kind) ?? 0) ||
      b.score - a.score ||
      ((a.path ?? '') < (b.path ?? '') ? -1 : 1),
  );
}

/** Counts everything as a whole; what exceeds the budget is removed, least needed first. */
function settled(taken: FittedPart[], left: LeftOut[], told: FitOptions): Fitted {
  const warnings: string[] = [];
  for (;;) {
    const { text, tokens } = rendered(taken, left, told);
    if (tokens <= told.budget) return { text, tokens, parts: taken, left, warnings };
    let over = tokens - told.budget;
    const before = taken.length;
    for (let i = taken.length - 1; i >= 0 && over > 0; i--) {
      const part = taken[i] as FittedPart;
      if (part.protected) continue;
      taken.splice(i, 1);
      over -= part.tokens;
      if (part.path !== null) left.push({ path: part.path, kind: part.kind, reason: NO_ROOM });
    }
    if (taken.length < before) continue;
    warnings.push(
      `the protected files (always_include) alone need ${tokens} tokens, ${told.budget} were left for context: sent anyway`,
    );
    return { text, tokens, parts: taken, left, warnings };
  }
}

/** With a note on what is missing, if that fits too. */
function rendered(
  parts: readonly ContextPart[],
  unfitting: readonly LeftOut[],
  told: FitOptions,
): { text: string; tokens: number } {
  const left = [...unfitting, ...(told.before ?? [])];
  const text = told.render(parts, left);
  const tokens = text === '' ? 0 : told.count(text);
  if (tokens <= told.budget || left.length === 0) return { text, tokens };
  const bare = told.render(parts, []);
  const less = bare === '' ? 0 : told.count(bare);
  // Nothing else could be removed: better everything without the note than less.
  return less <= told.budget || parts.every(({ kind }) => told.protectedKinds.has(kind))
    ? { text: bare, tokens: less }
    : { text, tokens };
}

/** The offer's place in the ranking was too small for it, and others took the room. */
function missing(offer: Offer, limit: number, room: number): LeftOut {
  const reason = limit >= room ? NO_ROOM : limit === offer.most ? largerThan(offer.most) : SHARE_USED;
  return { path: offer.path ?? offer.kind, kind: offer.kind, reason };
}

/** A part, and its cost in the packet. */
type CountedPart = ContextPart & { readonly tokens: number };

const inFull = (offer: Offer, told: FitOptions): CountedPart | null =>
  offer.text === null ? null : counted(partOf(offer, { text: offer.text, lines: offer.lines }), told);

const partOf = ({ kind, path, score, why }: Offer, { text, lines }: ShortenedPart): ContextPart => ({
  kind,
  path,
  text,
  score,
  why,
  lines,
});

function sized(offer: Offer, limit: number, shown: ReadonlySet<string>, told: FitOptions): CountedPart | null {
  const full = offer.text === null || told.estimate(offer.text) > limit * SURELY ? null : inFull(offer, told);
  if (full !== null && full.tokens <= limit) return full;
  if (offer.shrink === null || limit < MIN_EXCERPT_TOKENS) return null;
  // The estimate used for cutting may be wrong, and the frame costs something; then a smaller version is requested.
  let ask = stepped(limit - frame(partOf(offer, { text: '', lines: '1-9999,1-9999' }), told));
  for (let tries = 0; tries < 5 && ask >= MIN_EXCERPT_TOKENS / 2; tries++) {
    const smaller = offer.shrink(ask, shown);
    if (smaller === null || smaller.text === '') return null;
    const part = counted(partOf(offer, smaller), told);
    if (part.tokens <= limit) return part;
    ask = stepped(Math.min(ask * 0.9, (ask * limit) / part.tokens - 5));
  }
  return null;
}

/** The next packet of a task has a little more or less room; rounding makes it request the same excerpts. */
const stepped = (room: number): number => Math.floor(room / 32) * 32;

const counted = (part: ContextPart, told: FitOptions): CountedPart => ({
  ...part,
  tokens: told.count(part.text) + frame(part, told),
});
const frame = (part: ContextPart, { wrap, count }: FitOptions): number => count(wrap({ ...part, text: '' })) + SEAM;
