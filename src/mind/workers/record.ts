/** What the hand saw of an attempt, as one bounded JSON text: for people and later roles, never for a decision. */
import type { Cost } from '../domain/values.ts';
import type { RunEnd } from './outcome.ts';

type EgressFacts = {
  readonly requests: number;
  readonly bytesOut: number;
  readonly bytesIn: number;
  readonly decisions: readonly object[];
};

type ContextFacts = {
  readonly strategy: string;
  /** Of the whole packet, as the model is thought to count. */
  readonly tokens: number;
  readonly budget: number;
  readonly parts: readonly string[];
  readonly left_out: number;
  readonly warnings: readonly string[];
};

/** The part of `Packed` that is recorded; the room that packs lies above this one. */
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
  /** What of the project was in it; null: nothing was looked for. */
  readonly context: ContextFacts | null;
  readonly command: readonly string[];
  readonly environment: string | null;
  /** What the CLI told about itself; null: it does not tell. */
  readonly model: string | null;
  readonly session: string | null;
  /** How often it was asked in that session. */
  readonly turns: number;
  /** The answer alone was asked for once more, in a run of its own; null: it was not. */
  readonly answer_turn: {
    readonly reason: string;
    readonly answered: boolean;
    readonly end: RunEnd;
    readonly ms: number;
    readonly cost: Cost;
  } | null;
  readonly cost: Cost;
  /** HTTP status and words of its failure, if it told one. */
  readonly failure: { readonly class: string; readonly reason: string; readonly status: number | null } | null;
  readonly category: string | null;
  /** Whom it asked, and what was refused; null: it had no way out. */
  readonly egress: EgressFacts | null;
  readonly end: RunEnd;
  readonly ms: number;
  readonly leftovers: number;
  /** Whether it had to be killed: asked to end, it did not, or its limit leaves no time to ask. */
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
  /** Json blocks beside the one that counts. */
  readonly other_blocks: number;
  readonly malformed_lines: number;
  /** Of another session than the one that was started: not believed. */
  readonly foreign_lines: number;
  /** Protected paths that it changed and may not. */
  readonly refused_paths: readonly string[];
  readonly notes: readonly string[];
};

const MAX_LISTED = 200;
const MAX_CHARS = 500;

export function recordText(record: AttemptRecord): string {
  const { changed, ignored, claims, uncounted, notes, command, refused_paths } = record;
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
    refused_paths: bounded(refused_paths),
    notes: bounded(notes),
  });
}

const short = (text: string | null): string | null => (text === null ? null : text.slice(0, MAX_CHARS));

const bounded = (texts: readonly string[]): string[] =>
  texts.slice(0, MAX_LISTED).map((text) => (text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text));
