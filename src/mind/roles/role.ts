/** A role as the rest of Supervisor sees it: whole, after inheritance. What a worker is, sees, may do and owes. */
import type { AnswerKind } from '../answers/schemas.ts';
import type { AttemptKind, Spec } from '../domain/values.ts';
import type { Tool } from '../workers/adapter.ts';

/** How much of a model is wanted; which model that is for a CLI, the operator says. */
type Tier = 'fast' | 'standard' | 'strong';

export type RoleContext = {
  /** Name of a strategy; see `templates/strategies/`. */
  readonly strategy: string;
  /** Patterns and variables such as `$TARGET`. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Never left out, whatever the budget. */
  readonly always_include: readonly string[];
  /** Of the whole packet. */
  readonly token_budget: number;
  /** Whether it is shown what the task changed so far. */
  readonly git_diff: boolean;
  /** Kinds of parts, the most needed first; empty: the strategy's order. */
  readonly priority_order: readonly string[];
};

type OwnGate = NonNullable<Spec['gates']>[number];
/** By name, or a check of the role's own. */
export type RoleGate = string | (Omit<OwnGate, 'command'> & Partial<Pick<OwnGate, 'command'>>);

export type Role = {
  readonly name: string;
  readonly description: string;
  readonly extends: string | null;
  /** The root of its chain of `extends`; null: it is a root itself. */
  readonly base_role: string | null;
  readonly kind: AttemptKind;
  /** What it answers with. */
  readonly answer: AnswerKind;
  /** Name of the prompt template. */
  readonly template: string;
  /** First choice and fail-overs; empty: those of the config. */
  readonly cli: readonly string[];
  readonly tier: Tier | null;
  readonly strengths: readonly string[];
  /** Of the root, with the additions of all below it. */
  readonly system_prompt: string;
  readonly context: RoleContext;
  readonly gates: readonly RoleGate[];
  /** Null: all that its CLI has. */
  readonly allowed_tools: readonly Tool[] | null;
  /** How often its worker may be asked again in one session. */
  readonly continue: number;
  /** The only paths it may change; empty: all that the task may. */
  readonly write_scope: readonly string[];
  /** Protected paths, such as tests, that it may change all the same. */
  readonly grants: readonly string[];
  /** More words for its CLI; only a person's own roles may have some. */
  readonly flags: readonly string[];
  /** Numbers and switches of its own; those we know are listed in `schema.ts`. */
  readonly config: Readonly<Record<string, unknown>>;
  /** `x-…`: kept and shown, not understood. */
  readonly extensions: Readonly<Record<string, unknown>>;
  /** The skill pack that it belongs to; null: built-in core, or a person's own. */
  readonly pack: string | null;
};
