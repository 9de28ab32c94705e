/**
 * Puts parts into a budget. Protected parts always get in. The others are taken in the order in which they are needed;
 * one that does not fit is shown smaller if it can be, and else left out. What is returned was counted as a whole:
 * the tokens of a text are not the sum of the tokens of its pieces.
 */

import type { PartKind } from '../fields/part-kinds.ts';
import { shareFor } from '../ranking/shares.ts';
import { MIN_EXCERPT_TOKENS, MIN_FOUND_TOKENS, NOTICE_TOKENS } from './limits.ts';
import { type LeftOut, largerThan, NAMED_KINDS, NO_ROOM, type Part, SHARE_USED } from './packed.ts';

/** A smaller showing of a part. */
export type Shown = { readonly text: string; readonly lines: string | null };

export type Offer = Omit<Part, 'text'> & {
  /** Null: it is made to measure when its turn comes. */
  readonly text: string | null;
  /** Most tokens it may take. */
  readonly most: number;
  /** Of at most so many tokens, when `shown` are the files that got in before; null: that would say nothing. */
  readonly shrink: ((room: number, shown: ReadonlySet<string>) => Shown | null) | null;
};

export type FitOptions = {
  readonly budget: number;
  readonly protectedKinds: ReadonlySet<PartKind>;
  /** The most needed kind first. */
  readonly order: readonly PartKind[];
  /** Of the budget, at most; a kind that is not there may take all. */
  readonly shares: ReadonlyMap<PartKind, number>;
  /** Files that the task does not name are added only up to this many tokens; their shares are shares of it. Absent: the budget. */
  readonly enough?: number;
  /** The real tokeniser, times the factor of the model. */
  readonly count: (text: string) => number;
  /** Cheap and roughly right: what is far too large is not counted. */
  readonly estimate: (text: string) => number;
  /** One part as it will stand in the packet. */
  readonly wrap: (part: Part) => string;
  /** Left out before the budget was looked at: told after those that did not fit. */
  readonly before?: readonly LeftOut[];
  /** All of it, with a word on what is missing when `left` is not empty and there is room. */
  readonly render: (parts: readonly Part[], left: readonly LeftOut[]) => string;
};

type FittedPart = Part & { readonly tokens: number; readonly protected: boolean };
export type Fitted = {
  readonly text: string;
  readonly tokens: number;
  readonly parts: readonly FittedPart[];
  readonly left: readonly LeftOut[];
  readonly warnings: readonly string[];
};

/** The estimate is wrong by less than this, nearly always; a part is only passed over unseen when it is far too large. */
const SURELY = 1.6;
/** Two texts side by side may cost this much more than both alone. */
const SEAM = 2;
/** A heading of its own. */
const HEADING = 14;

/** What became of an offer, in the order in which they are needed. */
type Slot = {
  readonly offer: Offer;
  readonly kept: boolean;
  /** Tokens of the heading above it, if it is the first of its kind. */
  heading: number;
  /** It was its place in the ranking that kept it small. */
  held: boolean;
  part: FittedPart | null;
  missing: LeftOut | null;
};

/** Parts that are put in one after the other. */
export class Fit {
  readonly #told: FitOptions;
  #room: number;
  /** Tokens of what the task, the role or the change so far names. */
  #named = 0;
  #ranked = 0;
  readonly #slots: Slot[] = [];
  readonly #spent = new Map<PartKind, number>();
  readonly #shown = new Set<string>();

  constructor(asked: FitOptions) {
    this.#told = { ...asked, budget: Math.max(0, asked.budget) };
    this.#room = this.#told.budget - Math.min(NOTICE_TOKENS, Math.ceil(this.#told.budget / 10));
  }

  /** About how many tokens are left for what was found; the packet as a whole is not counted. */
  get room(): number {
    const { budget, enough = budget } = this.#told;
    const spent = [...this.#spent.values()].reduce((sum, tokens) => sum + tokens, 0);
    return Math.min(this.#room, Math.max(enough - this.#named, MIN_FOUND_TOKENS) - (spent - this.#named));
  }

  /** The files that are in. */
  get shown(): ReadonlySet<string> {
    return this.#shown;
  }

  /** Behind all that were added before, whatever their kinds. */
  add(offers: readonly Offer[]): this {
    for (const offer of sorted(offers, this.#told)) {
      const kept = this.#told.protectedKinds.has(offer.kind);
      // Found by ranking: the further down, the less of a file is worth its place. What was named or is tied has all.
      const most = offer.kind === 'related' ? shareFor(this.#ranked, offer.most) : offer.most;
      const slot: Slot = { offer, kept, heading: 0, held: false, part: null, missing: null };
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

  /** Room that nobody took is of no use to anybody: files that were cut for the sake of others get more, the best first. */
  #grow(): void {
    for (const slot of this.#slots) {
      if (this.room < MIN_EXCERPT_TOKENS) return;
      const { offer, part, held } = slot;
      if (held && part?.text !== offer.text) this.#fill(slot, offer.most);
    }
  }

  /** Puts the offer in, or more of it than there was. */
  #fill(slot: Slot, most: number): void {
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

/** Counted as a whole; what is over goes, the least needed first. */
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
      `the protected files (always_include) alone need ${tokens} tokens, ${told.budget} were left for context: sent all the same`,
    );
    return { text, tokens, parts: taken, left, warnings };
  }
}

/** With a word on what is missing, if that fits too. */
function rendered(
  parts: readonly Part[],
  unfitting: readonly LeftOut[],
  told: FitOptions,
): { text: string; tokens: number } {
  const left = [...unfitting, ...(told.before ?? [])];
  const text = told.render(parts, left);
  const tokens = text === '' ? 0 : told.count(text);
  if (tokens <= told.budget || left.length === 0) return { text, tokens };
  const bare = told.render(parts, []);
  const less = bare === '' ? 0 : told.count(bare);
  // Nothing else could go: better everything without the word than less of it.
  return less <= told.budget || parts.every(({ kind }) => told.protectedKinds.has(kind))
    ? { text: bare, tokens: less }
    : { text, tokens };
}

/** Where the place in the ranking was too small for it, others took the room. */
function missing(offer: Offer, limit: number, room: number): LeftOut {
  const reason = limit >= room ? NO_ROOM : limit === offer.most ? largerThan(offer.most) : SHARE_USED;
  return { path: offer.path ?? offer.kind, kind: offer.kind, reason };
}

/** A part, and what it costs as it stands in the packet. */
type Counted = Part & { readonly tokens: number };

const inFull = (offer: Offer, told: FitOptions): Counted | null =>
  offer.text === null ? null : counted(partOf(offer, { text: offer.text, lines: offer.lines }), told);

const partOf = ({ kind, path, score, why }: Offer, { text, lines }: Shown): Part => ({
  kind,
  path,
  text,
  score,
  why,
  lines,
});

function sized(offer: Offer, limit: number, shown: ReadonlySet<string>, told: FitOptions): Counted | null {
  const full = offer.text === null || told.estimate(offer.text) > limit * SURELY ? null : inFull(offer, told);
  if (full !== null && full.tokens <= limit) return full;
  if (offer.shrink === null || limit < MIN_EXCERPT_TOKENS) return null;
  // The estimate that it is cut by may be wrong, and its frame costs something: asked again for less.
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

/** The next packet of a task has a little more or less room; the same excerpts are asked for all the same. */
const stepped = (room: number): number => Math.floor(room / 32) * 32;

const counted = (part: Part, told: FitOptions): Counted => ({
  ...part,
  tokens: told.count(part.text) + frame(part, told),
});
const frame = (part: Part, { wrap, count }: FitOptions): number => count(wrap({ ...part, text: '' })) + SEAM;
