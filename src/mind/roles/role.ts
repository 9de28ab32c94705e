/** A role as the rest of Supervisor sees it, after inheritance: what a worker is, sees, may do and must return. */
import type { AnswerKind } from '../answers/schemas.ts';
import type { AttemptKind, OwnGate } from '../domain/values.ts';
import type { Tool } from '../workers/adapter.ts';
import type { Tier } from '../workers/cli-config.ts';

export type RoleContext = {
  /** The name of a strategy; see `templates/strategies/`. */
  readonly strategy: string;
  /** Patterns, and variables such as `$TARGET`. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Never left out, whatever the budget. */
  readonly always_include: readonly string[];
  /** The token budget of the whole packet. */
  readonly token_budget: number;
  /** Whether it sees what the task changed so far. */
  readonly git_diff: boolean;
  /** Kinds of parts, most needed first; empty for the strategy's order. */
  readonly priority_order: readonly string[];
};

/** A name, or a check of the role's own. */
export type RoleGate = string | (Omit<OwnGate, 'command'> & Partial<Pick<OwnGate, 'command'>>);

export type Role = {
  readonly name: string;
  readonly description: string;
  readonly extends: string | null;
  /** The root of its chain of `extends`; null if it is a root itself. */
  readonly base_role: string | null;
  readonly kind: AttemptKind;
  /** The kind of its answer. */
  readonly answer: AnswerKind;
  /** The name of the prompt template. */
  readonly template: string;
  /** First choice and fail-overs; empty for those of the config. */
  readonly cli: readonly string[];
  readonly tier: Tier | null;
  readonly strengths: readonly string[];
  /** The prompt of the base role and every addition below it. */
  readonly system_prompt: string;
  readonly context: RoleContext;
  readonly gates: readonly RoleGate[];
  /** The allowed tools; null for all tools of the CLI. */
  readonly allowed_tools: readonly Tool[] | null;
  /** How often its worker may be asked again in one session. */
  readonly continue: number;
  /** The only paths it may change; empty for all that the task may. */
  readonly write_scope: readonly string[];
  /** Protected paths, such as tests, that it may change all the same. */
  readonly grants: readonly string[];
  /** More flags for its CLI; only a user's own roles may have some. */
  readonly flags: readonly string[];
  /** Its own numbers and switches; `schema.ts` lists the known ones. */
  readonly config: Readonly<Record<string, unknown>>;
  /** `x-…`: kept and shown, but without effect. */
  readonly extensions: Readonly<Record<string, unknown>>;
  /** Its skill pack; null for the built-in core, or a user's own role. */
  readonly pack: string | null;
};
