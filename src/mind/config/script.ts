/** A script for the scripted hands: what each attempt of each step does. For demos, tests and dry runs; costs nothing. */
import * as v from 'valibot';
import { parseDuration } from '../../kernel/duration.ts';
import { outcomeClass } from '../domain/values.ts';

const duration = v.pipe(
  v.union([v.string(), v.number()]),
  v.check((text) => parseDuration(text) !== null, 'must be a duration such as 200ms or 5s'),
  v.transform((text) => parseDuration(text) as number),
);

const play = v.strictObject({
  /** How long the attempt takes. */
  after: v.optional(duration),
  outcome: v.optional(outcomeClass),
  /** What the worker says: kept as the attempt's answer. */
  says: v.optional(v.pipe(v.string(), v.maxLength(100_000))),
  reason: v.optional(v.pipe(v.string(), v.maxLength(1_000))),
  /** What each gate finds; a gate not named passes. */
  gates: v.optional(v.record(v.string(), v.picklist(['pass', 'fail', 'error']))),
  cost_usd: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1_000))),
});
export type Play = v.InferOutput<typeof play>;

export const script = v.strictObject({
  /** Per step: the first entry is the first attempt; the last one is played again when more are needed. */
  steps: v.record(v.string(), v.pipe(v.array(play), v.minLength(1))),
  /** A file to which every effect that is carried out adds a line; tests count them. */
  ledger: v.optional(v.string()),
  /** Tell a person at the end (a line in the ledger). */
  notify: v.optional(v.boolean()),
});
export type Script = v.InferOutput<typeof script>;

/** Everything succeeds at once: what `run --simulate` plays without a script. */
export const PLAIN_SCRIPT: Script = { steps: {} };

export function playFor(from: Script, step: string, attempt: number): Play {
  const plays = from.steps[step] ?? [];
  return plays[Math.min(attempt, plays.length) - 1] ?? {};
}
