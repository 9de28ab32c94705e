/** Builds a worker's context: wishes, candidates, redacted texts, the budget, the final text. */
import type { ContextAsk, Contexts } from '../../engine/ports/contexts.ts';
import type { ProjectTree, ProjectTrees } from '../../engine/ports/project-tree.ts';
import type { Redact } from '../../engine/ports/surroundings.ts';
import { choose } from '../../mind/context/candidates.ts';
import { Fit, type FitOptions, type Fitted } from '../../mind/context/fit.ts';
import { MAX_DIFF_BYTES, MAX_HISTORY, MAX_LEFT, MIN_EXCERPT_TOKENS } from '../../mind/context/limits.ts';
import type { Estimate } from '../../mind/context/outlines.ts';
import type { LeftOut, PackedContext } from '../../mind/context/packed.ts';
import { type Plan, planOf } from '../../mind/context/plan.ts';
import { renderParts, wrapPart } from '../../mind/context/render.ts';
import type { Strategy } from '../../mind/context/strategy.ts';
import { wishesFor } from '../../mind/context/wishes.ts';
import type { PartKind } from '../../mind/fields/part-kinds.ts';
import { ContentCache } from './content-cache.ts';
import { findFor } from './pack-find.ts';
import { diffOffers, fileOffers, overviewOffers, pathOffers } from './pack-offers.ts';
import { makeTools, memoCount, type PackTools } from './pack-tools.ts';
import { View } from './pack-view.ts';

export type PackedContextsOptions = {
  readonly trees: ProjectTrees;
  readonly redact: Redact;
  /** Returns a strategy by name; throws if there is none. */
  readonly strategies: (name: string) => Strategy;
  /** The real tokeniser; loaded for the first packet. */
  readonly count: () => Promise<(text: string) => number>;
  /** Patterns of files with knowledge about the project. */
  readonly knowledge: readonly string[];
  readonly cache?: ContentCache;
};

/** With less room an overview is useless. */
const MIN_OVERVIEW = MIN_EXCERPT_TOKENS;
const PROTECTED: ReadonlySet<PartKind> = new Set(['always_include']);

export class PackedContexts implements Contexts {
  readonly #options: PackedContextsOptions;
  readonly #tools: PackTools;
  #count: Promise<(text: string) => number> | null = null;

  constructor(options: PackedContextsOptions) {
    this.#options = options;
    this.#tools = makeTools(options.redact, options.cache ?? new ContentCache());
  }

  /** Throws `PatternRefused` if a role or strategy names something outside the repository. */
  async pack(ask: ContextAsk, signal?: AbortSignal): Promise<PackedContext> {
    const plan = planOf(this.#strategyFor(ask), ask.role.context);
    signal?.throwIfAborted();
    const begun = await this.#options.trees.open(ask.base);
    // Ranking needs the history: start git now, while it lists the tree.
    const past = begun.history(MAX_HISTORY).catch(() => {});
    try {
      return await this.#packed(ask, plan, begun, signal);
    } finally {
      await past;
    }
  }

  /**
   * A strategy that relies on file tools names another one for a CLI without them. A strategy named on the command line
   * is used as it is.
   */
  #strategyFor({ strategy, role, reading }: ContextAsk): Strategy {
    const { strategies } = this.#options;
    const own = strategies(strategy ?? role.context.strategy);
    const { without_file_tools: full } = own;
    return strategy === undefined && reading?.files === false && full !== undefined ? strategies(full) : own;
  }

  async #packed(
    ask: ContextAsk,
    plan: Plan,
    begun: ProjectTree,
    signal: AbortSignal | undefined,
  ): Promise<PackedContext> {
    const { trees, knowledge } = this.#options;
    const tools = this.#tools;
    const estimate: Estimate = (text) => Math.ceil(tools.estimate(text) * ask.factor);
    const base = await View.of(begun, tools.cache);
    const now = ask.tree === null ? base : await View.of(await trees.open(ask.base, ask.tree), tools.cache);
    signal?.throwIfAborted();
    const finding = await findFor(ask, plan, { base, now }, tools, knowledge);
    signal?.throwIfAborted();
    const { excluded, apiOnly, diff } = finding;
    const { order, uses } = plan;
    const chosen = choose(wishesFor(finding.found), {
      files: now.byPath,
      order,
      uses,
      excluded,
      apiOnly,
      read: new Set(ask.reading?.instructions),
    });
    const changes = await diffOffers(finding, { base, now }, tools, estimate);
    signal?.throwIfAborted();
    const files = await fileOffers(chosen.candidates, ask, finding, now, tools, estimate);
    signal?.throwIfAborted();
    const offers = [...changes.offers, ...(await pathOffers(finding, tools, estimate)), ...files.offers];
    const left = [...chosen.left, ...changes.left, ...files.left];
    const overviews = () => overviewOffers(finding, now, ask.budget, tools, estimate, fit.shown);
    const before = await this.#named(left);
    const fit = new Fit(await this.#told(ask, plan, before, estimate));
    if (overviewsLast(plan)) {
      fit.add(await this.#named(offers));
      signal?.throwIfAborted();
      // Outlines of many files are slow, so they are skipped if other parts leave no room.
      if (fit.room >= MIN_OVERVIEW) fit.add(await this.#named(await overviews()));
    } else fit.add(await this.#named([...offers, ...(await overviews())]));
    const packed = packedFrom(fit.end(), before, plan);
    const cut = `the change so far is larger than ${MAX_DIFF_BYTES} bytes: its end is not shown`;
    return diff.cut ? { ...packed, warnings: [...packed.warnings, cut] } : packed;
  }

  async #told(ask: ContextAsk, plan: Plan, before: readonly LeftOut[], estimate: Estimate): Promise<FitOptions> {
    this.#count ??= this.#options.count().then(memoCount);
    const count = await this.#count;
    return {
      before,
      estimate,
      budget: ask.budget,
      protectedKinds: PROTECTED,
      order: plan.order,
      shares: new Map([...plan.uses].map(([kind, { share }]) => [kind, share])),
      enough: plan.enough,
      count: (text) => Math.ceil(count(text) * ask.factor),
      wrap: (part) => wrapPart(part, ask.seed),
      render: (parts, missing) => renderParts(parts, missing, ask.seed),
    };
  }

  /** File names may hold secrets too and stand outside the texts; reasons name files. */
  async #named<T extends { readonly path: string | null; readonly why?: string }>(all: readonly T[]): Promise<T[]> {
    const said = [...all.flatMap(({ path }) => path ?? []), ...all.flatMap(({ why }) => why ?? [])];
    const names = await this.#tools.texts.names([...new Set(said)]);
    return all.map((one) => ({
      ...one,
      path: one.path === null ? null : (names.get(one.path) ?? ''),
      ...(one.why === undefined ? {} : { why: names.get(one.why) ?? '' }),
    }));
  }
}

function packedFrom(fitted: Fitted, before: readonly LeftOut[], { strategy }: Plan): PackedContext {
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
    strategy,
  };
}

const isOverview = (kind: PartKind): boolean => kind === 'map' || kind === 'tree';
function overviewsLast({ order, uses }: Plan): boolean {
  const used = order.filter((kind) => uses.has(kind));
  const from = used.findIndex(isOverview);
  return from > 0 && used.slice(from).every(isOverview);
}

/** Protected and still left out. A file that roles name and the project lacks is no mistake. */
const isMissed = ({ kind, reason }: LeftOut): boolean => kind === 'always_include' && reason !== 'is not in the tree';
