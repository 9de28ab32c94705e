/** What the hand saw of an attempt, as one bounded JSON text: for people and later roles, never for a decision. */
import type { Cost } from '../domain/values.ts';
import type { RunEnd, TreeCheck } from './outcome.ts';

type EgressFacts = {
  readonly requests: number;
  readonly bytesOut: number;
  readonly bytesIn: number;
  readonly decisions: readonly object[];
};

type ContextFacts = {
  readonly strategy: string;
  /** Tokens of the whole packet, in the model's estimated count. */
  readonly tokens: number;
  readonly budget: number;
  readonly parts: readonly string[];
  readonly left_out: number;
  readonly warnings: readonly string[];
};

/** The recorded part of `Packed`; the room that packs lies above this one. */
type PackedFacts = {
  readonly strategy: string;
  readonly parts: readonly { readonly kind: string; readonly path: string | null; readonly tokens: number }[];
  readonly left: readonly unknown[];
  readonly warnings: readonly string[];
};

export function contextFacts(of: {
  readonly packed: PackedFacts;
  readonly tokens: number;
  readonly budget: number;
}): ContextFacts {
  const { strategy, parts, left, warnings } = of.packed;
  return {
    strategy,
    tokens: of.tokens,
    budget: of.budget,
    parts: parts
      .slice(0, MAX_LISTED)
      .map(({ kind, path, tokens }) => `${kind} ${path ?? ''} ${tokens}`.slice(0, MAX_CHARS)),
    left_out: left.length,
    warnings: warnings.slice(0, MAX_LISTED).map((one) => one.slice(0, MAX_CHARS)),
  };
}

type AttemptRecord = {
  readonly cli: string;
  readonly role: string;
  readonly packet: string;
  readonly packet_sha256: string;
  /** The project context in it; null if none was packed. */
  readonly context: ContextFacts | null;
  readonly command: readonly string[];
  readonly environment: string | null;
  /** The model that the CLI reported; null if it does not report it. */
  readonly model: string | null;
  readonly session: string | null;
  /** How often it was asked in that session. */
  readonly turns: number;
  /** A separate run asked once more only for the answer; null if not. */
  readonly answer_turn: {
    readonly reason: string;
    readonly answered: boolean;
    readonly end: RunEnd;
    readonly ms: number;
    readonly cost: Cost;
  } | null;
  readonly cost: Cost;
  /** HTTP status and message of its failure, if it gave one. */
  readonly failure: { readonly class: string; readonly reason: string; readonly status: number | null } | null;
  readonly category: string | null;
  /** Which hosts it asked, and what was refused; null if it had no network access. */
  readonly egress: EgressFacts | null;
  readonly end: RunEnd;
  readonly ms: number;
  readonly leftovers: number;
  /** Whether it had to be killed: it ignored the request to end, or its limit leaves no time to ask. */
  readonly forced: boolean;
  readonly transcript: {
    readonly path: string;
    readonly bytes: number;
    readonly omitted: number;
    readonly problem: string | null;
  };
  readonly tree: 'candidate' | 'unchanged' | 'refused' | 'not taken';
  readonly changed: readonly string[];
  readonly ignored: readonly string[];
  readonly claims: readonly string[];
  /** Findings of a review that do not count, and why. */
  readonly uncounted: readonly string[];
  /** Findings of a review that name a line of the change: confirmed, refuted or not checked, and by what. */
  readonly checked: readonly string[];
  /** Json blocks beside the one that counts. */
  readonly other_blocks: number;
  readonly malformed_lines: number;
  /** Ignored lines of another session than the started one. */
  readonly foreign_lines: number;
  /** Protected paths that it changed without a grant. */
  readonly refused_paths: readonly string[];
  readonly notes: readonly string[];
};

const MAX_LISTED = 200;
const MAX_CHARS = 500;

export function recordText(record: AttemptRecord): string {
  const { changed, ignored, claims, uncounted, checked, notes, command, refused_paths } = record;
  return JSON.stringify({
    version: 1,
    ...record,
    model: short(record.model),
    session: short(record.session),
    command: bounded(command),
    changed: bounded(changed),
    changed_count: changed.length,
    ignored: bounded(ignored),
    ignored_count: ignored.length,
    claims: bounded(claims),
    claims_count: claims.length,
    uncounted: bounded(uncounted),
    checked: bounded(checked),
    refused_paths: bounded(refused_paths),
    notes: bounded(notes),
  });
}

type GivenRecord = {
  /** The person, and their checkout. */
  readonly by: string;
  readonly dir: string;
  readonly taken: {
    readonly type: 'candidate' | 'unchanged' | 'refused';
    readonly changed?: readonly { readonly path: string }[];
    readonly ignored?: readonly string[];
  };
  readonly checked: TreeCheck | null;
};

/** The same for a person's work: no CLI, no packet, no process. */
export function givenRecord({ by, dir, taken, checked }: GivenRecord): string {
  const changed = (taken.changed ?? []).map(({ path }) => path);
  const ignored = taken.ignored ?? [];
  return JSON.stringify({
    version: 1,
    by,
    checkout: dir,
    tree: taken.type,
    changed: bounded(changed),
    changed_count: changed.length,
    ignored: bounded(ignored),
    ignored_count: ignored.length,
    refused_paths: bounded(checked?.ok === false ? (checked.paths ?? []) : []),
    notes: bounded(checked?.ok === true ? checked.notes : []),
  });
}

const short = (text: string | null): string | null => (text === null ? null : text.slice(0, MAX_CHARS));

const bounded = (texts: readonly string[]): string[] =>
  texts.slice(0, MAX_LISTED).map((text) => (text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text));
