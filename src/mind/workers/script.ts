/**
 * A script for the scripted worker: what each attempt of each step does. For demos, tests and dry runs; costs nothing.
 */
import * as v from 'valibot';
import { MAX_DURATION_MS } from '../../kernel/duration.ts';
import { outcomeClass } from '../domain/values.ts';
import { duration, insideFile, text } from '../fields/fields.ts';

/** Milliseconds already: parsed like people's input, a bare number would mean seconds. */
const stored = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_DURATION_MS));

/** Longer ones belong into the repository, not into a script. */
const MAX_TEXT = 500_000;

const play = <D extends typeof duration | typeof stored>(after: D) =>
  v.strictObject({
    /** The whole final output of the worker, stored as the attempt's answer. */
    says: v.optional(v.pipe(v.string(), v.maxLength(100_000))),
    /** Its output when it is asked once more only for its answer; absent: it is not asked. */
    again: v.optional(v.pipe(v.string(), v.maxLength(100_000))),
    reason: v.optional(v.pipe(v.string(), v.maxLength(1_000))),

    /** Written into the workspace unchanged; null removes the file. */
    files: v.optional(
      v.pipe(
        v.record(insideFile, v.nullable(text(MAX_TEXT))),
        v.check((files) => Object.keys(files).length <= 1_000, 'names more than 1000 files'),
      ),
    ),
    /** Run by `sh` in the worker's sandbox, after the files. */
    run: v.optional(v.pipe(text(100_000), v.minLength(1, 'is empty'))),
    /** The exit code of the worker's process; default 0. */
    exit: v.optional(v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(0), v.maxValue(255))),

    /** Only with `--simulate`: how long it takes, how it ends, what each gate finds (unnamed: pass), its price. */
    after: v.optional(after),
    outcome: v.optional(outcomeClass),
    /** With outcome `quota`: the time until it resets; absent: the CLI does not say. */
    resets: v.optional(after),
    /** The result of a review; default APPROVED. */
    review: v.optional(v.picklist(['APPROVED', 'CHANGES_REQUESTED', 'REJECTED'])),
    gates: v.optional(v.record(v.string(), v.picklist(['pass', 'fail', 'error']))),
    cost_usd: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1_000))),
  });
export type Play = v.InferOutput<ReturnType<typeof play>>;

const answer = v.picklist(['approve', 'reject', 'wait']);
/** A person's answer; `wait` means no answer. */
const personSays = v.union([
  answer,
  v.strictObject({ answer, reason: v.optional(v.pipe(v.string(), v.maxLength(1_000))) }),
]);

const plays = <D extends typeof duration | typeof stored>(after: D) =>
  v.strictObject({
    /** Per step: the first entry is the first attempt; the last one is repeated if more are needed. */
    steps: v.record(v.string(), v.pipe(v.array(play(after)), v.minLength(1))),
    /**
     * Only with `--simulate`: people's answers in order, for each step that asks one. A missing step is approved.
     * Absent: no answers, and the task waits.
     */
    people: v.optional(v.record(v.string(), v.array(personSays))),
    /** A file to which every effect adds a line; tests count them. */
    ledger: v.optional(v.string()),
    /** Notify a person at the end (a line in the ledger). */
    notify: v.optional(v.boolean()),
  });

/** As people write it. */
export const script = plays(duration);
export type Script = v.InferOutput<typeof script>;
/** As a task stores it. */
export const storedScript = plays(stored);

/** Everything succeeds at once. */
export const PLAIN_SCRIPT: Script = { steps: {} };
/** Every person approves: the script of `run --simulate` without one. */
export const APPROVING_SCRIPT: Script = { ...PLAIN_SCRIPT, people: {} };

/** Fields of a script that only work with `--simulate`, as people write them. */
export function playedOnly({ steps, people, ledger }: Script): string[] {
  const fields = Object.entries(steps).flatMap(([step, entries]) =>
    entries.flatMap((entry, n) =>
      PLAYED_ONLY.flatMap((key) => (entry[key] === undefined ? [] : [`steps.${step}[${n}].${key}`])),
    ),
  );
  return [...fields, ...(people === undefined ? [] : ['people']), ...(ledger === undefined ? [] : ['ledger'])];
}
const PLAYED_ONLY = ['after', 'outcome', 'resets', 'review', 'gates', 'cost_usd'] as const;

export function playFor(from: Script, step: string, attempt: number): Play {
  const entries = Object.hasOwn(from.steps, step) ? (from.steps[step] ?? []) : [];
  return entries[Math.min(attempt, entries.length) - 1] ?? {};
}
