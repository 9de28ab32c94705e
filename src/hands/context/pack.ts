/** Packs what a worker is shown of the project: wishes, candidates, texts without secrets, the budget, the text. */
import type { ContextAsk, Contexts } from '../../engine/ports/contexts.ts';
import type { ProjectTrees } from '../../engine/ports/project-tree.ts';
import { choose } from '../../mind/context/candidates.ts';
import { type FitOptions, fitParts, roomAfter } from '../../mind/context/fit.ts';
import { MAX_DIFF_BYTES, MAX_LEFT, MIN_EXCERPT_TOKENS } from '../../mind/context/limits.ts';
import type { LeftOut, Packed, PartKind } from '../../mind/context/packed.ts';
import { type Plan, planOf } from '../../mind/context/plan.ts';
import { renderParts, wrapPart } from '../../mind/context/render.ts';
import type { Strategy } from '../../mind/context/strategy.ts';
import { wishesFor } from '../../mind/context/wishes.ts';
import { estimateTokens } from '../../mind/tokens/estimate.ts';
import { memoCount } from './pack-count.ts';
import { findFor } from './pack-find.ts';
import { diffOffers, fileOffers, type Offered, overviewOffers } from './pack-offers.ts';
import type { RedactFiles } from './pack-texts.ts';
import { type Estimate, makeTools, type Tools } from './pack-tools.ts';
import { View } from './pack-view.ts';

export type PackedContextsOptions = {
  readonly trees: ProjectTrees;
  readonly redact: RedactFiles;
  /** By name; throws when there is none. */
  readonly strategies: (name: string) => Strategy;
  /** The real tokeniser; loaded when the first packet is made. */
  readonly count: () => Promise<(text: string) => number>;
  /** Patterns of files that tell about the project. */
  readonly knowledge: readonly string[];
  /** Kept in memory, of texts without secrets and of what was found out about trees. */
  readonly cacheBytes?: number;
  /** Where the words of files are kept for other processes, as hashes; null: nowhere. */
  readonly cacheDir?: string | null;
};

const CACHE_BYTES = 64 << 20;
/** With less room than this an overview says nothing. */
const MIN_OVERVIEW = MIN_EXCERPT_TOKENS;
const PROTECTED: ReadonlySet<PartKind> = new Set(['always_include']);

export class PackedContexts implements Contexts {
  readonly #options: PackedContextsOptions;
  readonly #tools: Tools;
  #count: Promise<(text: string) => number> | null = null;

  constructor(options: PackedContextsOptions) {
    this.#options = options;
    this.#tools = makeTools(options.redact, options.cacheBytes ?? CACHE_BYTES, options.cacheDir ?? null);
  }

  /** Throws `PatternRefused` when role or strategy name what is outside of the repository. */
  async pack(ask: ContextAsk, signal?: AbortSignal): Promise<Packed> {
    const { trees, strategies, knowledge } = this.#options;
    const tools = this.#tools;
    const plan = planOf(strategies(ask.strategy ?? ask.role.context.strategy), ask.role.context);
    const estimate = estimator(ask.factor);
    signal?.throwIfAborted();
    const base = await View.of(await trees.open(ask.base), tools.cache);
    const now = ask.tree === null ? base : await View.of(await trees.open(ask.base, ask.tree), tools.cache);
    signal?.throwIfAborted();
    const finding = await findFor(ask, plan, { base, now }, tools, knowledge);
    signal?.throwIfAborted();
    const { excluded, apiOnly, diff } = finding;
    const { order, uses } = plan;
    const chosen = choose(wishesFor(finding.found), { files: now.byPath, order, uses, excluded, apiOnly });
    const changes = await diffOffers(finding, { base, now }, tools, estimate);
    signal?.throwIfAborted();
    const files = await fileOffers(chosen.candidates, ask, finding, now, tools, estimate);
    signal?.throwIfAborted();
    const offers = [...changes.offers, ...files.offers];
    const left = [...chosen.left, ...changes.left, ...files.left];
    const overviews = () => overviewOffers(finding, now, ask.budget, tools, estimate);
    // Outlines of many files take a while: not made where everything else comes first and leaves no room for them.
    const isFull = overviewsLast(plan) && (await this.#room(ask, plan, { offers, left }, estimate)) < MIN_OVERVIEW;
    signal?.throwIfAborted();
    const all = isFull ? offers : [...offers, ...(await overviews())];
    const packed = await this.#fitted(ask, plan, { offers: all, left }, estimate);
    const cut = `the change so far is larger than ${MAX_DIFF_BYTES} bytes: its end is not shown`;
    return diff.cut ? { ...packed, warnings: [...packed.warnings, cut] } : packed;
  }

  async #room(ask: ContextAsk, plan: Plan, offered: Offered, estimate: Estimate): Promise<number> {
    const { offers, told } = await this.#named(ask, plan, offered, estimate);
    return roomAfter(offers, told);
  }

  async #fitted(ask: ContextAsk, plan: Plan, offered: Offered, estimate: Estimate): Promise<Packed> {
    const { offers, told, before } = await this.#named(ask, plan, offered, estimate);
    const fitted = fitParts(offers, told);
    const missing = [...before, ...fitted.left];
    return {
      text: fitted.text,
      parts: fitted.parts.map(({ text: _, ...part }) => part),
      left: missing.slice(0, MAX_LEFT),
      tokens: fitted.tokens,
      warnings: [
        ...fitted.warnings,
        ...missing.filter(isMissed).map(({ path, reason }) => `always_include: ${path} ${reason}`),
      ],
      strategy: plan.strategy,
    };
  }

  async #named(ask: ContextAsk, plan: Plan, { offers, left }: Offered, estimate: Estimate) {
    this.#count ??= this.#options.count().then(memoCount);
    const count = await this.#count;
    // Names of files may hold secrets too, and stand outside of the texts; reasons name files.
    const said = [...[...offers, ...left].flatMap(({ path }) => path ?? []), ...offers.map(({ why }) => why)];
    const names = await this.#tools.texts.names([...new Set(said)]);
    const named = <T extends { readonly path: string | null; readonly why?: string }>(one: T): T => ({
      ...one,
      path: one.path === null ? null : (names.get(one.path) ?? ''),
      ...(one.why === undefined ? {} : { why: names.get(one.why) ?? '' }),
    });
    const before = left.map(named);
    const told: FitOptions = {
      ...{ before, estimate },
      budget: ask.budget,
      protectedKinds: PROTECTED,
      order: plan.order,
      shares: new Map([...plan.uses].map(([kind, { share }]) => [kind, share])),
      count: (text) => Math.ceil(count(text) * ask.factor),
      wrap: (part) => wrapPart(part, ask.seed),
      render: (parts, missing) => renderParts(parts, missing, ask.seed),
    };
    return { offers: offers.map(named), told, before };
  }
}

/** Each text is asked about when it is offered, when it is fitted and when it is cut. */
function estimator(factor: number): Estimate {
  const known = new Map<string, number>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const tokens = Math.ceil(estimateTokens(text) * factor);
    known.set(text, tokens);
    return tokens;
  };
}

const isOverview = (kind: PartKind): boolean => kind === 'map' || kind === 'tree';
function overviewsLast({ order, uses }: Plan): boolean {
  const used = order.filter((kind) => uses.has(kind));
  const from = used.findIndex(isOverview);
  return from > 0 && used.slice(from).every(isOverview);
}

/** Protected and still not shown. Roles name files that some projects do not have, which is no mistake. */
const isMissed = ({ kind, reason }: LeftOut): boolean => kind === 'always_include' && reason !== 'is not in the tree';
